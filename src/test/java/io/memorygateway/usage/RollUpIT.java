package io.memorygateway.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.database.Transactions;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.TestFigures;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestTimeout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The totals are those of the request log, whoever writes it, however late, and whoever dies. */
class RollUpIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Instant NOW = Instant.parse("2026-03-01T12:02:00Z");

  private final Jdbi jdbi = DATABASE.jdbi();
  private final Random random = new Random(7);
  private long ids;

  @BeforeEach
  void empty() {
    jdbi.useHandle(
        handle -> {
          handle.execute("DELETE FROM request_log");
          handle.execute("DELETE FROM usage_traffic");
          handle.execute("DELETE FROM usage_hours");
          handle.execute("DELETE FROM usage_days");
        });
  }

  @Test
  void twoNodesAddToTheSameTotals() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    List<Future<?>> writes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      List<LoggedCall> batch = calls(50, Duration.ofMinutes(10));
      writes.add(nodes.submit(() -> write(batch)));
    }
    for (Future<?> write : writes) {
      write.get();
    }
    nodes.shutdown();
    assertTotalsAreThoseOfTheLog(2_000);
  }

  @Test
  void aBatchWhoseCommitWasNotSeenCountsOnce() throws Exception {
    List<LoggedCall> batch = calls(20, Duration.ofDays(2));
    write(batch);
    write(batch);
    write(batch.subList(3, 9));
    assertTotalsAreThoseOfTheLog(20);
  }

  @Test
  void aBatchThatIsThereInPartIsLeftWhole() throws Exception {
    List<LoggedCall> batch = calls(4, Duration.ofDays(2));
    write(batch.subList(0, 1));
    assertThatThrownBy(() -> write(batch)).isInstanceOf(IllegalStateException.class);
    write(batch.subList(1, 4));
    assertTotalsAreThoseOfTheLog(4);
  }

  @Test
  void aNodeThatDiesBeforeItsCommitLeavesNeitherRowsNorTotals() throws Exception {
    List<LoggedCall> batch = calls(20, Duration.ofHours(1));
    try (Connection connection = DATABASE.connect()) {
      connection.setAutoCommit(false);
      new LoggedBatch().write(connection, batch);
      // The connection ends as that of a process that is killed.
      connection.rollback();
    }
    assertTotalsAreThoseOfTheLog(0);
    write(batch);
    assertTotalsAreThoseOfTheLog(20);
  }

  @Test
  void aLateRowCountsWhereItBelongs() throws Exception {
    write(calls(50, Duration.ofMinutes(5)));
    write(calls(50, Duration.ofDays(60)));
    assertTotalsAreThoseOfTheLog(100);
  }

  @Test
  void totalsOutliveTheLog() throws Exception {
    write(calls(100, Duration.ofDays(200)));
    OldUsage.removeCalls(jdbi, NOW.minus(Duration.ofDays(90)));
    OldUsage.removeTotals(jdbi, NOW, Duration.ofDays(800));
    assertThat(total("usage_days")).isEqualTo(100);
    OldUsage.removeTotals(jdbi, NOW, Duration.ofDays(90));
    assertThat(total("usage_days")).isBetween(1L, 99L);
    Instant oldest =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("SELECT MIN(started_at) FROM usage_hours")
                    .mapTo(Instant.class)
                    .one());
    assertThat(oldest).isAfterOrEqualTo(NOW.minus(OldUsage.DETAILS_KEPT));
  }

  /** As the runbook has it. */
  @Test
  void totalsThatWereDamagedAreMadeAgainFromTheLog() throws Exception {
    write(calls(300, Duration.ofDays(4)));
    String compare = sqlOfRunbook("SELECT d.day", "ORDER BY d.day;");
    assertThat(rows(compare)).isEmpty();
    jdbi.useHandle(
        handle -> {
          handle.execute("UPDATE usage_days SET calls = calls + 7 WHERE started_at = '2026-02-27'");
          handle.execute("DELETE FROM usage_days WHERE started_at = '2026-02-28' LIMIT 2");
          handle.execute("DELETE FROM usage_traffic WHERE started_at >= '2026-02-28'");
          handle.execute(
              "INSERT INTO usage_traffic SELECT '2026-02-28', provider, status, error_type, home_id"
                  + ", 1".repeat(Sum.ALL.size())
                  + " FROM usage_traffic LIMIT 1");
        });
    assertThat(rows(compare)).hasSize(2);

    String again =
        sqlOfRunbook("SET @from", "COMMIT;")
            .replaceAll("@from = '[0-9-]+'", "@from = '2026-02-27'")
            .replaceAll("@to = '[0-9-]+'", "@to = '2026-03-02'");
    jdbi.useHandle(
        handle ->
            List.of(again.split(";")).stream().filter(s -> !s.isBlank()).forEach(handle::execute));
    assertThat(rows(compare)).isEmpty();
    assertTotalsAreThoseOfTheLog(300);
  }

  private List<Map<String, Object>> rows(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapToMap().list());
  }

  private static String sqlOfRunbook(String begin, String end) throws Exception {
    String runbook = Files.readString(Path.of("ops/runbook.md"));
    int from = runbook.indexOf("    " + begin);
    String sql = runbook.substring(from, runbook.indexOf(end, from) + end.length());
    assertThat(sql.lines()).allMatch(line -> line.startsWith("    "));
    return end.startsWith("ORDER") ? sql.replace(";", "") : sql;
  }

  /** Callers choose the names of models; what they invent would stay in the totals for years. */
  @Test
  void namesThatAreInventedDoNotGrowTheTotals() {
    LoggedBatch node = new LoggedBatch();
    write(node, named("invented", 1_000, 404));
    assertThat(models())
        .hasSize(TotalsModels.MAX_NAMES_FOR_FAILED + 1)
        .contains(TotalsModels.OTHER);
    write(node, named("real", 3, 200));
    write(node, named("real", 3, 429));
    assertThat(models()).contains("real-0", "real-1", "real-2");
    assertThat(total("usage_days WHERE model = 'real-1'")).isEqualTo(2);

    // A server that answers under any name.
    write(node, named("any", 1_000, 200));
    // The same after a restart.
    write(named("more", 1_000, 200));
    assertThat(models()).hasSize(TotalsModels.MAX_NAMES + 1);
    write(node, named("real", 3, 200));
    assertThat(total("usage_days WHERE model = 'real-1'")).isEqualTo(3);
    assertThat(total("usage_days")).isEqualTo(3_009);
    assertThat(total("usage_hours")).isEqualTo(3_009);
    assertThat(models("usage_hours")).isEqualTo(models());
  }

  @Test
  void namesOfOneProjectTakeNoPlaceOfAnother() {
    LoggedBatch node = new LoggedBatch();
    write(node, named("any", 1_000, 200));
    write(node, calls(200, Duration.ofHours(1)));
    assertThat(models()).contains("m0", "m1");
  }

  private List<LoggedCall> named(String name, int count, int status) {
    List<LoggedCall> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(
          new LoggedCall(
              NOW,
              ids++,
              7,
              1,
              "r",
              null,
              "chat",
              null,
              null,
              TestFigures.answered("openai", name + "-" + i, status, TestFigures.tokens(1, 1, -1)),
              null));
    }
    return calls;
  }

  private Set<String> models() {
    return models("usage_days");
  }

  private Set<String> models(String table) {
    return jdbi.withHandle(
        handle ->
            Set.copyOf(
                handle
                    .createQuery("SELECT DISTINCT model FROM " + table)
                    .mapTo(String.class)
                    .list()));
  }

  /** Both tables of totals against the query of the {@code usage} command. */
  private void assertTotalsAreThoseOfTheLog(long rows) {
    List<Dimension> all =
        List.of(
            Dimension.DAY,
            Dimension.PROJECT,
            Dimension.KEY,
            Dimension.ENDPOINT,
            Dimension.PROVIDER,
            Dimension.MODEL,
            Dimension.STATUS);
    List<Map<String, Object>> log = totals(UsageTotals.Source.REQUEST_LOG, all);
    long count =
        log.stream().mapToLong(r -> (long) r.get("calls") + (long) r.get("failed_attempts")).sum();
    assertThat(count).isEqualTo(rows);
    for (UsageTotals.Source table :
        List.of(UsageTotals.Source.USAGE_HOURS, UsageTotals.Source.USAGE_DAYS)) {
      assertThat(totals(table, all))
          .as(table.name())
          .extracting(row -> new ArrayList<>(row.values()).subList(0, row.size() - 1))
          .containsExactlyInAnyOrderElementsOf(
              log.stream().map(row -> new ArrayList<>(row.values())).toList());
    }
    assertThat(duration("usage_days")).isEqualTo(duration("usage_hours"));
    assertThat(traffic()).isEqualTo(trafficOfTheLog());
    assertThat(duration("usage_days"))
        .isEqualTo(duration("request_log WHERE outcome = 'answered'"));
  }

  private List<Map<String, Object>> totals(UsageTotals.Source source, List<Dimension> by) {
    UsageTotals totals =
        new UsageTotals(source, Instant.EPOCH, NOW.plus(Duration.ofDays(1)), by, Map.of());
    return jdbi.withHandle(handle -> totals.rows(handle, 100_000));
  }

  private List<Map<String, Object>> traffic() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT TIMESTAMPDIFF(MINUTE, '2000-01-01', started_at) DIV 5 AS part, provider, status, error_type,
                      calls + 0.0 AS calls, failed_attempts + 0.0 AS attempts, errors + 0.0 AS errors,
                      input_tokens + 0.0 AS tokens, duration_ms + 0.0 AS duration, cost + 0.0 AS cost
                    FROM usage_traffic ORDER BY part, provider, status, error_type
                    """)
                .mapToMap()
                .list());
  }

  private List<Map<String, Object>> trafficOfTheLog() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT TIMESTAMPDIFF(MINUTE, '2000-01-01', started_at) DIV 5 AS part, provider, status,
                      COALESCE(error_type, '') AS error_type, SUM(outcome = 'answered') + 0.0 AS calls,
                      SUM(outcome <> 'answered') + 0.0 AS attempts,
                      SUM(outcome = 'answered' AND status >= 400) + 0.0 AS errors,
                      COALESCE(SUM(input_tokens), 0) + 0.0 AS tokens,
                      SUM(IF(outcome = 'answered', duration_ms, 0)) + 0.0 AS duration, SUM(cost) + 0.0 AS cost
                    FROM request_log GROUP BY part, provider, status, COALESCE(error_type, '')
                    ORDER BY part, provider, status, COALESCE(error_type, '')
                    """)
                .mapToMap()
                .list());
  }

  private long duration(String from) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT COALESCE(SUM(duration_ms), 0) FROM " + from)
                .mapTo(Long.class)
                .one());
  }

  private long total(String table) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT COALESCE(SUM(calls + failed_attempts), 0) FROM " + table)
                .mapTo(Long.class)
                .one());
  }

  private void write(List<LoggedCall> calls) {
    write(new LoggedBatch(), calls);
  }

  private void write(LoggedBatch node, List<LoggedCall> calls) {
    // As the background writer does: again and again, if it is the victim of a deadlock.
    long end = System.nanoTime() + TestTimeout.DEFAULT.toNanos();
    for (boolean written = false; !written; ) {
      try {
        Transactions.ofOperators(jdbi)
            .write(
                handle -> {
                  try {
                    node.write(handle.getConnection(), calls);
                    return null;
                  } catch (SQLException e) {
                    throw new TransactionException(e);
                  }
                });
        written = true;
      } catch (ApiException e) {
        assertThat(e.error().status()).isEqualTo(503);
        assertThat(System.nanoTime() - end).as("nanoseconds after its time").isNegative();
      }
    }
  }

  private List<LoggedCall> calls(int count, Duration span) {
    List<LoggedCall> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean failedOver = random.nextInt(10) == 0;
      int status = failedOver ? 502 : random.nextInt(5) == 0 ? 429 : 200;
      calls.add(
          new LoggedCall(
              NOW.minusMillis((long) (random.nextDouble() * span.toMillis())),
              ids++,
              random.nextInt(2),
              random.nextInt(3),
              "r" + i,
              null,
              "chat",
              null,
              null,
              new CallFigures(
                  "p" + random.nextInt(2),
                  random.nextInt(20) == 0 ? "größer " : "m" + random.nextInt(2),
                  status,
                  false,
                  TestFigures.tokens(
                          status == 200 && random.nextInt(5) > 0 ? 7L : null,
                          status == 200 && random.nextInt(5) > 0 ? 3L : null,
                          random.nextInt(5) == 0 ? 2L : null)
                      .with(Figure.COST, random.nextInt(3) == 0 ? -1 : random.nextInt(1_000))
                      .with(Figure.DURATION_MS, random.nextInt(1_000) * 1_000_000L),
                  null,
                  status == 200 ? null : "upstream_answer",
                  new CallFigures.Attempt(1, !failedOver, status, 5)),
              null));
    }
    return calls;
  }
}
