package io.memorygateway.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.database.Transactions;
import io.memorygateway.testing.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is kept with a change gets into the log, once. */
class AuditOutboxIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private Jdbi jdbi;
  private Transactions transactions;
  private AuditOutbox outbox;

  @BeforeEach
  void create() {
    jdbi = DATABASE.jdbi();
    transactions = Transactions.ofOperators(jdbi);
    outbox = new AuditOutbox(jdbi, transactions, new AuditLog(transactions));
  }

  @Test
  void aRecordIsMovedAtOnceOrAfterACrashByTheCleaner() {
    put(1, "first");
    put(2, "second");
    outbox.move(2);
    assertThat(subjects("second")).hasSize(1);
    assertThat(subjects("first")).isEmpty();
    assertThat(outbox.moveAll()).isEqualTo(1);
    assertThat(subjects("first")).hasSize(1);
    assertThat(outbox.moveAll()).isZero();
    outbox.move(1);
    assertThat(subjects("first")).hasSize(1);
    assertChained();
  }

  /** A node ended before the move, and the cleaner came an hour later. */
  @Test
  void whatIsMovedLaterHasTheTimeOfTheAct() {
    put(7, "late");
    jdbi.useHandle(
        handle -> handle.execute("UPDATE audit_outbox SET at = at - INTERVAL 1 HOUR WHERE id = 7"));
    Instant done = at("audit_outbox WHERE id = 7");
    assertThat(outbox.moveAll()).isEqualTo(1);
    assertThat(at("audit_log WHERE subject = 'late'")).isEqualTo(done);
    assertChained();

    put(8, "older");
    jdbi.useHandle(handle -> handle.execute("UPDATE audit_outbox SET at = NULL WHERE id = 8"));
    assertThat(outbox.moveAll()).isEqualTo(1);
    assertThat(at("audit_log WHERE subject = 'older'")).isAfter(done);
    assertChained();
  }

  private Instant at(String row) {
    return jdbi.withHandle(
        handle -> handle.createQuery("SELECT at FROM " + row).mapTo(Instant.class).one());
  }

  @Test
  void aChangeThatWasNotMadeIsNotRecorded() {
    jdbi.useHandle(
        handle -> {
          handle.begin();
          outbox.put(handle, 3, entry("undone"));
          handle.rollback();
        });
    assertThat(outbox.moveAll()).isZero();
    assertThat(subjects("undone")).isEmpty();
  }

  /** The node ended between the log and the removal of what was kept. */
  @Test
  void whatIsInTheLogAlreadyIsNotAddedAgain() {
    put(4, "twice");
    copy(4, 40);
    outbox.move(4);
    copy(40, 4);
    jdbi.useHandle(handle -> handle.execute("DELETE FROM audit_outbox WHERE id = 40"));
    assertThat(outbox.moveAll()).isEqualTo(1);
    assertThat(subjects("twice")).hasSize(1);
    assertThat(outbox.moveAll()).isZero();
  }

  private void copy(long id, long other) {
    String rest =
        "at, actor, role, source, request_id, action, subject, outcome, before_state, after_state";
    jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO audit_outbox (id, %1$s) SELECT %2$d, %1$s FROM audit_outbox WHERE id = %3$d"
                    .formatted(rest, other, id)));
  }

  @Test
  void manyThatMoveItAtATimeAddOneRow() throws Exception {
    put(5, "raced");
    ExecutorService movers = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> moves = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        moves.add(movers.submit(() -> outbox.move(5)));
      }
      for (Future<?> move : moves) {
        move.get();
      }
    } finally {
      movers.shutdownNow();
    }
    assertThat(subjects("raced")).hasSize(1);
    assertChained();
  }

  @Test
  void aLogThatCannotBeWrittenGetsItLater() {
    put(6, "later");
    jdbi.useHandle(handle -> handle.execute("UPDATE audit_head SET id = 2"));
    try {
      outbox.move(6);
      assertThat(subjects("later")).isEmpty();
    } finally {
      jdbi.useHandle(handle -> handle.execute("UPDATE audit_head SET id = 1"));
    }
    assertThat(outbox.moveAll()).isEqualTo(1);
    assertThat(subjects("later")).hasSize(1);
  }

  private void put(long id, String subject) {
    transactions.write(
        handle -> {
          outbox.put(handle, id, entry(subject));
          return id;
        });
  }

  private static AuditEntry entry(String subject) {
    return new AuditEntry(
        new Actor("ada", "owner", "127.0.0.1", null),
        "thread-delete",
        subject,
        Outcome.DONE,
        Map.of("project", "shop"),
        null);
  }

  private List<String> subjects(String subject) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT actor FROM audit_log WHERE subject = :subject")
                .bind("subject", subject)
                .mapTo(String.class)
                .list());
  }

  private void assertChained() {
    assertThat(new AuditReader(jdbi).verify(AuditHead.EMPTY, null, () -> true).report().faults())
        .isEmpty();
  }
}
