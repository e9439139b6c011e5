package io.memorygateway.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.memorygateway.database.Home;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.figures.TestFigures;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** The request log never holds a call up, loses only what it counts, and does not grow for ever. */
class CallLogIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private final AtomicBoolean down = new AtomicBoolean();
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Jdbi jdbi = SqlObjects.install(Jdbi.create(this::connect));

  private Connection connect() throws SQLException {
    if (down.get()) {
      throw new SQLException("down", "08001");
    }
    return DATABASE.connect();
  }

  @BeforeEach
  void empty() throws Exception {
    jdbi.useHandle(handle -> handle.execute("TRUNCATE TABLE request_log"));
  }

  @Test
  void whileTheDatabaseIsAwayRowsWaitAndWhatDoesNotFitIsCounted() throws Exception {
    down.set(true);
    CallLog log = new CallLog(jdbi, reached -> {}, registry);
    log.start();
    LongStream.range(0, 12_000).forEach(id -> log.add(call(id, NOW)));
    double lost = counter("memory_gateway_request_log_dropped");
    assertThat(lost).isBetween(1_500.0, 2_000.0);

    down.set(false);

    await().until(() -> rows() == 12_000 - (long) lost);
    log.stop();
    assertThat(counter("memory_gateway_request_log_rows")).isEqualTo(12_000 - lost);
    assertThat(counter("memory_gateway_request_log_dropped")).isEqualTo(lost);
  }

  /** Of one home are many projects, of which one may be moved. */
  @Test
  void aProjectWaitsWhileACallOfItDoes() throws Exception {
    long one = 7;
    CallLog log = new CallLog(jdbi, reached -> {}, registry);
    log.add(call(1, one));
    assertThat(log.isWaiting(one)).isTrue();
    assertThat(log.isWaiting(one + 1)).isFalse();

    log.start();

    await().until(() -> !log.isWaiting(one));
    assertThat(rows()).isEqualTo(1);
    log.stop();
  }

  @Test
  void aHomeThatIsAwayHoldsUpNoOther() throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    CallLog log =
        new CallLog(
            Jdbi.create(
                () -> {
                  if (away.get() && Thread.currentThread().getName().endsWith("-5")) {
                    throw new SQLException("down", "08001");
                  }
                  return DATABASE.connect();
                }),
            reached -> {},
            registry);
    log.start();
    log.add(call(1, new Home(5).first() + 1));
    LongStream.range(2, 12).forEach(id -> log.add(call(id, NOW)));
    await().until(() -> rows() == 10);
    away.set(false);
    await().until(() -> rows() == 11);
    log.stop();
  }

  @Test
  void aNodeThatStopsWritesWhatWaits() throws Exception {
    CallLog log = new CallLog(jdbi, reached -> {}, registry);
    LongStream.range(0, 1_200).forEach(id -> log.add(call(id, NOW)));

    log.start();
    log.stop();

    // To stop waits for a while only, which a busy machine may need longer than.
    await().until(() -> rows() == 1_200);
  }

  @Tag("heavy")
  @Test
  void aRowThatTheDatabaseNeverTakesIsDroppedAndTheOthersAreWritten() throws Exception {
    CallLog log = new CallLog(jdbi, reached -> {}, registry);
    for (long id = 0; id < 700; id++) {
      log.add(call(id, NOW, "r" + id, id == 17 || id == 600 ? "no hash" : null));
    }

    log.start();

    await().until(() -> rows() == 698);
    log.add(call(1_000, NOW));
    await().until(() -> rows() == 699);
    log.stop();
    assertThat(counter("memory_gateway_request_log_dropped")).isEqualTo(2);
    assertThat(counter("memory_gateway_request_log_rows")).isEqualTo(699);
  }

  /** An INSERT IGNORE would store what fits of it, and nobody would know. */
  @Test
  void aValueThatDoesNotFitCostsItsRowAloneAndIsSeen() throws Exception {
    CallLog log = new CallLog(jdbi, reached -> {}, registry);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(CallLog.class);
    logger.addAppender(lines);
    try {
      for (long id = 0; id < 300; id++) {
        log.add(call(id, NOW, id == 17 || id == 200 ? "r" + "7".repeat(128) : "r" + id, null));
      }
      log.start();

      await().until(() -> rows() >= 298);
      log.stop();
    } finally {
      logger.detachAppender(lines);
    }

    assertThat(rows()).isEqualTo(298);
    assertThat(counter("memory_gateway_request_log_dropped")).isEqualTo(2);
    assertThat(counter("memory_gateway_request_log_refused")).isEqualTo(2);
    assertThat(counter("memory_gateway_request_log_rows")).isEqualTo(298);
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line -> line.contains("request r777") && line.contains("'request_id'"));
  }

  @Test
  void aBatchThatIsWrittenAgainCountsOnce() throws Exception {
    Instant between = NOW.plusNanos(123_567_890);
    List<LoggedCall> batch = List.of(call(1, NOW), call(2, between));

    assertThat(insert(batch)).isTrue();
    assertThat(insert(batch)).isFalse();

    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void aBatchOfWhichSomeRowsExistIsNotTakenForWritten() throws Exception {
    assertThat(insert(List.of(call(1, NOW)))).isTrue();
    assertThatThrownBy(() -> insert(List.of(call(1, NOW), call(2, NOW))))
        .isInstanceOf(IllegalStateException.class);
    LoggedCall twice = call(3, NOW);
    assertThatThrownBy(() -> insert(List.of(twice, twice)))
        .isInstanceOf(IllegalStateException.class);

    assertThat(rows()).isEqualTo(1);
  }

  private boolean insert(List<LoggedCall> calls) throws SQLException {
    try (Connection connection = DATABASE.connect()) {
      return RequestLogInsert.insert(connection, calls);
    }
  }

  @Test
  void oldRowsAreRemovedByOneNodeAtATime() throws Exception {
    List<LoggedCall> old =
        LongStream.range(0, 2_500).mapToObj(id -> call(id, NOW.minusMillis(1 + id))).toList();
    jdbi.useHandle(handle -> RequestLogInsert.insert(handle.getConnection(), old));
    jdbi.useHandle(
        handle -> RequestLogInsert.insert(handle.getConnection(), List.of(call(9_999, NOW))));

    jdbi.useHandle(
        elsewhere ->
            elsewhere.execute(
                "INSERT INTO leases VALUES"
                    + " ('request-log', 'another', UTC_TIMESTAMP(3) + INTERVAL 60 SECOND)"));
    assertThat(OldUsage.removeCalls(jdbi, NOW)).isZero();
    jdbi.useHandle(elsewhere -> elsewhere.execute("DELETE FROM leases"));

    assertThat(OldUsage.removeCalls(jdbi, NOW)).isEqualTo(2_500);
    assertThat(rows()).isEqualTo(1);
    assertThat(OldUsage.removeCalls(jdbi, NOW.plus(Duration.ofDays(1)))).isEqualTo(1);
  }

  private long rows() {
    return jdbi.withHandle(
        handle -> handle.createQuery("SELECT COUNT(*) FROM request_log").mapTo(Long.class).one());
  }

  private double counter(String name) {
    return registry.scrape(name::equals).stream()
        .map(CounterSnapshot.class::cast)
        .mapToDouble(counter -> counter.getDataPoints().get(0).getValue())
        .sum();
  }

  private static LoggedCall call(long id, Instant at) {
    return call(id, at, "r" + id, null);
  }

  private static LoggedCall call(long id, long project) {
    return call(id, NOW, project, "r" + id, null);
  }

  private static LoggedCall call(long id, Instant at, String requestId, String threadHash) {
    return call(id, at, 1, requestId, threadHash);
  }

  private static LoggedCall call(
      long id, Instant at, long project, String requestId, String threadHash) {
    return new LoggedCall(
        at,
        id,
        project,
        1,
        requestId,
        threadHash,
        "chat",
        null,
        null,
        TestFigures.answered("openai", "gpt-5", 200, TestFigures.tokens(7, 3, -1)),
        null);
  }
}
