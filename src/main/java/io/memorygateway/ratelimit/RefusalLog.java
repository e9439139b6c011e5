package io.memorygateway.ratelimit;

import com.google.common.collect.Lists;
import io.memorygateway.concurrent.BackgroundWriter;
import io.memorygateway.database.Home;
import io.memorygateway.database.Homes;
import io.memorygateway.database.OldRows;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background writer of {@code rate_limit_refusals}: how many requests of a key each rule refused in
 * a minute, so that operators can explain refusals. However many are refused, there is one row per
 * key, minute and rule; a refused request costs an entry in memory. This node writes its own rows
 * only, always with the total, so that writing a row again does not count twice.
 */
final class RefusalLog extends BackgroundWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusalLog.class);

  /** Most rows held in memory: one minute of as many keys. */
  private static final int MAX_ROWS = 10_000;

  /**
   * Age below which a row may still change: a thread may be delayed between reading the clock and
   * counting.
   */
  private static final Duration GROWS_FOR = Duration.ofMinutes(3);

  private static final int ROWS_PER_BATCH = 500;
  private static final int ROWS_PER_DELETE = 1000;
  private static final long WRITE_INTERVAL_MILLIS = 1000;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration RETENTION = Duration.ofDays(90);

  private static final String WRITE =
      """
      INSERT INTO rate_limit_refusals
        (minute, key_id, rule, scope, node, limited_to, window_seconds, refused, last_at, last_request_id)
      VALUES (:minute, :keyId, :rule, :scope, :node, :limit, :seconds, :refused, :lastAt, :requestId)
      ON DUPLICATE KEY UPDATE limited_to = VALUES(limited_to), refused = GREATEST(refused, VALUES(refused)),
        last_at = VALUES(last_at), last_request_id = VALUES(last_request_id)
      """;

  private final Map<Row, Count> rows = new ConcurrentHashMap<>();
  private final Jdbi jdbi;
  private final String node;
  private final InstantSource clock;
  private final Counter lost;
  private boolean failing;

  /** Key of a row of this node. */
  private record Row(Instant minute, long keyId, RateLimitRule rule, String scope) {}

  /**
   * Values of a row.
   *
   * @param written the number that the database has
   */
  private record Count(
      long refused, long written, long limit, Instant lastAt, String lastRequestId) {}

  /**
   * @param node unique name of this process
   */
  RefusalLog(Jdbi jdbi, String node, InstantSource clock, PrometheusRegistry registry) {
    super("rate-limit-refusals", STOP_TIMEOUT);
    this.jdbi = jdbi;
    this.node = node;
    this.clock = clock;
    lost =
        Counter.builder()
            .name("memory_gateway_rate_limit_refusals_dropped_total")
            .help("Refused requests that are missing in what operators are shown of refusals.")
            .register(registry);
  }

  void add(long keyId, RequestKind kind, Decision decision, String requestId) {
    RateLimitRule rule = decision.refusedBy();
    Decision.Shown shown = decision.shown();
    if (rule == null || shown == null) {
      return;
    }
    Instant now = clock.instant();
    Row row = new Row(now.truncatedTo(ChronoUnit.MINUTES), keyId, rule, kind.scope());
    if (rows.size() >= MAX_ROWS && !rows.containsKey(row)) {
      lost.inc();
      return;
    }
    rows.compute(
        row,
        (same, count) ->
            new Count(
                count == null ? 1 : count.refused() + 1,
                count == null ? 0 : count.written(),
                shown.limit(),
                now,
                requestId));
  }

  @Override
  protected void run() throws InterruptedException {
    while (!stopsWithin(WRITE_INTERVAL_MILLIS)) {
      write();
    }
    write();
  }

  /** Writes the rows that have changed; rows that cannot be written stay for the next call. */
  void write() {
    Instant over = clock.instant().minus(GROWS_FOR);
    List<Map.Entry<Row, Count>> changed = new ArrayList<>();
    rows.forEach(
        (row, count) -> {
          if (count.refused() > count.written()) {
            changed.add(Map.entry(row, count));
          } else if (row.minute().isBefore(over)) {
            rows.remove(row, count);
          }
        });
    changed.sort(
        Comparator.comparing((Map.Entry<Row, Count> entry) -> entry.getKey().minute())
            .thenComparing(entry -> entry.getKey().keyId()));
    try {
      Homes.each(
          Home.groups(changed, entry -> entry.getKey().keyId()),
          some -> Lists.partition(some, ROWS_PER_BATCH).forEach(this::writeBatch));
      if (failing) {
        failing = false;
        LOGGER.info("Refusals of rate limits are written again");
      }
    } catch (RuntimeException e) {
      if (!failing) {
        failing = true;
        LOGGER.warn("Refusals of rate limits cannot be written and wait: {}", e.toString());
      }
    }
  }

  private void writeBatch(List<Map.Entry<Row, Count>> batch) {
    jdbi.useTransaction(
        handle -> {
          PreparedBatch statements = handle.prepareBatch(WRITE);
          for (Map.Entry<Row, Count> entry : batch) {
            Row row = entry.getKey();
            Count count = entry.getValue();
            statements
                .bind("minute", row.minute())
                .bind("keyId", row.keyId())
                .bind("rule", row.rule().name())
                .bind("scope", row.scope())
                .bind("node", node)
                .bind("limit", count.limit())
                .bind("seconds", row.rule().window().toSeconds())
                .bind("refused", count.refused())
                .bind("lastAt", count.lastAt())
                .bind("requestId", count.lastRequestId())
                .add();
          }
          statements.execute();
        });
    for (Map.Entry<Row, Count> entry : batch) {
      long written = entry.getValue().refused();
      rows.computeIfPresent(
          entry.getKey(),
          (row, count) ->
              new Count(
                  count.refused(), written, count.limit(), count.lastAt(), count.lastRequestId()));
    }
  }

  /** Removes rows past their retention, unless another node is doing so; returns how many. */
  static long removeOld(Jdbi jdbi, Instant now) {
    return OldRows.remove(
        jdbi,
        "rate-limit-refusals",
        ROWS_PER_DELETE,
        (handle, home) ->
            handle
                .createUpdate(
                    "DELETE FROM rate_limit_refusals WHERE minute < :before AND key_id BETWEEN"
                        + " :first AND :last ORDER BY minute LIMIT :limit")
                .bindMethods(home)
                .bind("before", now.minus(RETENTION))
                .bind("limit", ROWS_PER_DELETE)
                .execute());
  }
}
