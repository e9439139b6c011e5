package io.memorygateway.bench;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.mysql.Bucket4jMySQL;
import io.memorygateway.ratelimit.RequestKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.sql.DataSource;

/** bucket4j_jdk17-mysql: a bucket per key, with three bandwidths whatever the kind of request. */
final class Bucket4j implements Contender {
  private static final long LIMIT = 1_000_000_000L;
  private static final BucketConfiguration CONFIGURATION =
      BucketConfiguration.builder()
          .addLimit(limit -> limit.capacity(LIMIT).refillGreedy(LIMIT, Duration.ofSeconds(60)))
          .addLimit(limit -> limit.capacity(LIMIT).refillGreedy(LIMIT, Duration.ofSeconds(60)))
          .addLimit(limit -> limit.capacity(LIMIT).refillGreedy(LIMIT, Duration.ofSeconds(10)))
          .build();

  private final boolean batching;
  private final ProxyManager<Long> buckets;
  private final ConcurrentMap<Long, BucketProxy> proxies = new ConcurrentHashMap<>();

  Bucket4j(DataSource pool, boolean batching) throws SQLException {
    this.batching = batching;
    String table = batching ? "bench_bucket_batched" : "bench_bucket";
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + table);
      statement.execute("CREATE TABLE " + table + " (id BIGINT NOT NULL PRIMARY KEY, state BLOB)");
    }
    this.buckets =
        Bucket4jMySQL.selectForUpdateBasedBuilder(pool)
            .table(table)
            .primaryKeyMapper(PrimaryKeyMapper.LONG)
            .build();
  }

  @Override
  public String name() {
    return batching ? "bucket4j-mysql 8.15.0, batching" : "bucket4j-mysql 8.15.0";
  }

  @Override
  public boolean admit(long key, RequestKind kind) {
    return proxies.computeIfAbsent(key, this::proxy).tryConsume(1);
  }

  private BucketProxy proxy(Long key) {
    RemoteBucketBuilder<Long> builder = buckets.builder();
    if (batching) {
      builder = builder.withOptimization(Optimizations.batching());
    }
    return builder.build(key, () -> CONFIGURATION);
  }
}
