package io.memorygateway.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Fills a request log of 30 days for {@link ConsoleBench}: 200 keys of 20 projects, models and keys
 * of very different use, some statuses that are rare or long ago. It is made of a short stretch by
 * doubling it, in the order of time.
 */
final class ConsoleData {
  private static final int SEED = 9_766;
  private static final int DAYS = 30;

  private final Connection database;
  private final long rows;

  ConsoleData(Connection database, long rows) {
    this.database = database;
    this.rows = rows;
  }

  /** Takes the number of rows. */
  public static void main(String[] arguments) throws SQLException {
    try (Connection database = connect()) {
      new ConsoleData(database, Long.parseLong(arguments[0])).fill();
    }
  }

  /** Connects to the database of {@code DATABASE_URL}. */
  static Connection connect() throws SQLException {
    return DriverManager.getConnection(
        System.getenv("DATABASE_URL"),
        System.getenv("DATABASE_USER"),
        System.getenv("DATABASE_PASSWORD"));
  }

  /** Fills the log, unless it is there already. */
  void fill() throws SQLException {
    try (Statement sql = database.createStatement()) {
      sql.execute("SET SESSION time_zone = '+00:00'");
      if (count(sql) >= rows) {
        return;
      }
      long began = System.nanoTime();
      keys(sql);
      seed(sql);
      int doublings = doublings();
      for (int i = 0; i < doublings; i++) {
        sql.execute(
            """
            INSERT INTO request_log (started_at, id, project_id, key_id, request_id, thread_hash, endpoint, provider, model,
              status, stream, input_tokens, output_tokens, cached_tokens, duration_ms, upstream_ms, first_byte_ms, error_type,
              attempt, outcome, attempt_status, attempt_ms, cost)
            SELECT started_at + INTERVAL %d SECOND, FLOOR(RAND() * 9e18), project_id, key_id, CONCAT('d%d', request_id),
              thread_hash, endpoint, provider, model, status, stream, input_tokens, output_tokens, cached_tokens, duration_ms,
              upstream_ms, first_byte_ms, error_type, attempt, outcome, attempt_status, attempt_ms, cost
            FROM request_log ORDER BY started_at, id
            """
                .formatted(seedSeconds(doublings) << i, i));
      }
      // Long ago, and seldom.
      sql.execute(
          "UPDATE request_log SET status = 504, error_type = 'upstream_timeout' ORDER BY"
              + " started_at, id LIMIT 10");
      total(sql, "usage_hours", 3_600);
      traffic(sql);
      total(sql, "usage_days", 86_400);
      sql.execute("ANALYZE TABLE request_log, usage_traffic, usage_hours, usage_days");
      System.out.printf(
          "%,d rows in %d s%n", count(sql), (System.nanoTime() - began) / 1_000_000_000);
    }
  }

  private int doublings() {
    int doublings = 0;
    while ((long) SEED << doublings < rows) {
      doublings++;
    }
    return doublings;
  }

  private static long seedSeconds(int doublings) {
    return Math.max(1, ((long) DAYS * 86_400) >> doublings);
  }

  private static long count(Statement sql) throws SQLException {
    try (var found = sql.executeQuery("SELECT COUNT(*) FROM request_log")) {
      found.next();
      return found.getLong(1);
    }
  }

  private static void keys(Statement sql) throws SQLException {
    for (int project = 0; project < 20; project++) {
      sql.execute(
          "INSERT IGNORE INTO projects (public_id, name, created_at) VALUES (UUID(), 'bench-%d', UTC_TIMESTAMP(3))"
              .formatted(project));
    }
    for (int key = 0; key < 200; key++) {
      sql.execute(
          """
          INSERT IGNORE INTO api_keys (public_id, project_id, name, prefix, secret_hash, created_at)
          SELECT 'bench-key-%1$d', id, 'key %1$d', 'msk_0000', UNHEX(SHA2('bench %1$d', 256)), UTC_TIMESTAMP(3)
          FROM projects WHERE name = 'bench-%2$d'
          """
              .formatted(key, key % 20));
    }
  }

  private void seed(Statement sql) throws SQLException {
    sql.execute("TRUNCATE TABLE request_log");
    long micros = seedSeconds(doublings()) * 1_000_000;
    sql.execute("SET SESSION cte_max_recursion_depth = 100000");
    sql.execute(
        """
        INSERT INTO request_log (started_at, id, project_id, key_id, request_id, thread_hash, endpoint, provider, model,
          status, stream, input_tokens, output_tokens, cached_tokens, duration_ms, upstream_ms, first_byte_ms, error_type,
          attempt, outcome, attempt_status, attempt_ms, cost)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %1$d)
        SELECT UTC_TIMESTAMP(3) - INTERVAL %2$d DAY + INTERVAL FLOOR(i * %3$d / %1$d) MICROSECOND, FLOOR(RAND() * 9e18),
          k.project_id, k.id, UUID(), IF(i %% 3 = 0, LEFT(UNHEX(SHA2(i %% 500, 256)), 16), NULL), 'chat',
          IF(i %% 150 %% 4 = 1, 'anthropic', 'openai'),
          CASE WHEN i = 7 THEN 'rare-model' WHEN i %% 2 = 0 THEN 'gpt-5' ELSE CONCAT('model-', i %% 150 %% 17) END,
          CASE WHEN i %% 100 = 0 THEN 502 WHEN i %% 37 = 0 THEN 429 ELSE 200 END, i %% 2,
          100 + i %% 900, i %% 300, NULL, 300 + FLOOR(RAND() * 2000), 300, 200,
          IF(i %% 100 = 0, 'upstream_error', NULL), 1, IF(i %% 50 = 1, 'failed_over', 'answered'), 200, 300,
          IF(i %% 37 = 0, NULL, 150000000 * (1 + i %% 900))
        FROM n JOIN api_keys k
          ON k.public_id = CONCAT('bench-key-', CASE WHEN i = 9 THEN 199 WHEN i %% 2 = 0 THEN 0 ELSE i %% 150 END)
        """
            .formatted(SEED, DAYS, micros));
  }

  private static void total(Statement sql, String table, int seconds) throws SQLException {
    sql.execute("TRUNCATE TABLE " + table);
    sql.execute(
        """
        INSERT INTO %1$s
        SELECT FROM_UNIXTIME(UNIX_TIMESTAMP(started_at) DIV %2$d * %2$d) AS bucket, project_id, key_id, endpoint, provider,
          model, status, COALESCE(error_type, '') AS error_type, SUM(outcome = 'answered'),
          SUM(outcome = 'answered' AND status >= 400), SUM(outcome <> 'answered'), 0, SUM(input_tokens),
          SUM(output_tokens), 0, SUM(IF(outcome = 'answered', duration_ms, 0)),
          SUM(cost), SUM(outcome = 'answered' AND status < 400 AND cost IS NOT NULL)
        FROM request_log
        GROUP BY bucket, project_id, key_id, endpoint, provider, model, status, COALESCE(error_type, '')
        """
            .formatted(table, seconds));
  }

  private static void traffic(Statement sql) throws SQLException {
    sql.execute("TRUNCATE TABLE usage_traffic");
    sql.execute(
        """
        INSERT INTO usage_traffic
        SELECT FROM_UNIXTIME(UNIX_TIMESTAMP(started_at) DIV 300 * 300) AS bucket, provider, status,
          COALESCE(error_type, '') AS error_type, 0, SUM(outcome = 'answered'),
          SUM(outcome = 'answered' AND status >= 400), SUM(outcome <> 'answered'), 0, SUM(input_tokens),
          SUM(output_tokens), 0, SUM(IF(outcome = 'answered', duration_ms, 0)),
          SUM(cost), SUM(outcome = 'answered' AND status < 400 AND cost IS NOT NULL)
        FROM request_log GROUP BY bucket, provider, status, COALESCE(error_type, '')
        """);
  }
}
