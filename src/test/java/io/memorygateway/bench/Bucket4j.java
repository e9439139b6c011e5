package io.memorygateway.bench;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.mysql.Bucket4jMySQL;
import io.memorygateway.http.api.RequestKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.sql.DataSource;

/**
 * bucket4j_jdk17-mysql. The bandwidths of a bucket are consumed together, so five rules of which a
 * request must pass two or three take two buckets per request: one for the global rule and one for
 * the kind of request.
 */
final class Bucket4j implements Contender {
  private static final long LIMIT = 1_000_000_000L;
  private static final BucketConfiguration MINUTE = new BucketConfiguration(List.of(per(60)));
  private static final BucketConfiguration MINUTE_AND_BURST =
      new BucketConfiguration(List.of(per(60), per(10)));

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
    // The first batch for a bucket that does not exist fails, so all exist before.
    for (long key = 1; key <= RateLimitBench.MANY_KEYS; key++) {
      for (int bucket = 0; bucket < 4; bucket++) {
        long id = key * 4 + bucket;
        buckets.builder().build(id, () -> configuration(id)).getAvailableTokens();
      }
    }
  }

  @Override
  public String name() {
    return batching ? "bucket4j-mysql 8.15.0, batching" : "bucket4j-mysql 8.15.0";
  }

  @Override
  public boolean admit(long key, RequestKind kind) {
    BucketProxy global = bucket(key * 4);
    if (!global.tryConsume(1)) {
      return false;
    }
    boolean within = bucket(key * 4 + own(kind)).tryConsume(1);
    if (!within) {
      global.addTokens(1);
    }
    return within;
  }

  private static int own(RequestKind kind) {
    return switch (kind) {
      case LLM -> 1;
      case MEMORY_READ -> 2;
      case MEMORY_WRITE -> 3;
      case OTHER -> throw new IllegalArgumentException("has no rule of its own");
    };
  }

  private BucketProxy bucket(long id) {
    return proxies.computeIfAbsent(id, this::proxy);
  }

  private BucketProxy proxy(Long id) {
    RemoteBucketBuilder<Long> builder = buckets.builder();
    if (batching) {
      builder = builder.withOptimization(Optimizations.batching());
    }
    return builder.build(id, () -> configuration(id));
  }

  private static BucketConfiguration configuration(long id) {
    return id % 4 == 1 ? MINUTE_AND_BURST : MINUTE;
  }

  private static Bandwidth per(int seconds) {
    return Bandwidth.builder()
        .capacity(LIMIT)
        .refillGreedy(LIMIT, Duration.ofSeconds(seconds))
        .build();
  }
}
