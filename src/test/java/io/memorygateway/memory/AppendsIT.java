package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.OutcomeUnknownException;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestTimeout;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Storing together comes to the same as storing alone. */
class AppendsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  // Each may need a connection of its own, of which a server has 151.
  private final ExecutorService callers = Executors.newFixedThreadPool(64);
  private MemoryModule memory;
  private final Caller caller = new Caller(1, 1, "p", "name", "msk_test", Map.of());
  private final FaultyLanes lanes = new FaultyLanes(DATABASE);

  @BeforeEach
  void openMemory() throws SQLException {
    memory = lanes.openMemory();
  }

  @AfterEach
  void endCallers() {
    callers.shutdownNow();
    memory.appends().close();
  }

  @Test
  void oneAmongManyThatIsRefusedDoesNotHarmTheOthers() throws Exception {
    for (int thread = 0; thread < 8; thread++) {
      create("mixed-" + thread);
      append("mixed-" + thread, "known-id", "\"first\"");
    }
    List<Future<String>> outcomes = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int number = i;
      outcomes.add(
          callers.submit(
              () -> {
                String thread = "mixed-" + number % 8;
                if (number % 5 == 0) {
                  assertThatThrownBy(
                          () -> untilStored(() -> append(thread, "known-id", "\"another\"")))
                      .isInstanceOf(ApiException.class)
                      .hasMessageContaining("already used");
                  return "";
                }
                return untilStored(() -> append(thread, null, "\"" + number + "\""))
                    .messages()
                    .get(0)
                    .publicId();
              }));
    }
    List<String> stored = new ArrayList<>();
    for (Future<String> outcome : outcomes) {
      stored.add(outcome.get(TestTimeout.SECONDS, TimeUnit.SECONDS));
    }
    stored.removeIf(String::isEmpty);
    assertThat(stored).hasSize(160).doesNotHaveDuplicates();
    for (int thread = 0; thread < 8; thread++) {
      List<Long> seqs = seqs("mixed-" + thread);
      assertThat(seqs).hasSize(21).isEqualTo(sequence(0, 21));
    }
  }

  @Test
  void aThreadThatIsLockedElsewhereHoldsUpNobodyElse() throws Exception {
    create("locked");
    create("free");
    append("locked", null, "1");
    append("free", null, "1");
    try (Connection other = connect()) {
      other.setAutoCommit(false);
      other
          .createStatement()
          .executeQuery(
              "SELECT * FROM thread_heads WHERE project_id = 1 AND public_id = 'locked' FOR UPDATE");
      Future<?> waiting = callers.submit(() -> untilStored(() -> append("locked", null, "2")));
      for (int i = 0; i < 20; i++) {
        append("free", null, "2");
      }
      assertThat(waiting).isNotDone();
      other.rollback();
      waiting.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(seqs("locked")).isEqualTo(sequence(0, 2));
    assertThat(seqs("free")).isEqualTo(sequence(0, 21));
  }

  @Test
  void aBatchThatTakesLongHoldsUpNobodyElse() throws Exception {
    create("slow");
    create("quick");
    append("quick", null, "1");
    lanes.have(FaultyLanes.Fault.HELD);
    Future<?> slow = callers.submit(() -> append("slow", null, "1"));
    lanes.awaitHeld();
    long heldAt = System.nanoTime();
    await().until(() -> System.nanoTime() - heldAt > 2 * Appends.SLOW_NANOS);

    append("quick", null, "2");

    assertThat(slow).isNotDone();
    lanes.release();
    slow.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    assertThat(seqs("slow")).isEqualTo(sequence(0, 1));
    assertThat(seqs("quick")).isEqualTo(sequence(0, 2));
    assertThat(lanes.opened()).hasSize(2);
  }

  @Test
  void aThreadThatWasDeletedAndMadeAgainIsTheNewOne() {
    create("again");
    append("again", null, "\"old\"");
    delete("again");
    assertThatThrownBy(() -> append("again", null, "\"lost\"")).isInstanceOf(ApiException.class);
    create("again");
    assertThat(append("again", null, "\"new\"").messages().get(0).seq()).isZero();
    assertThat(append("again", null, "\"newer\"").messages().get(0).seq()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 51})
  void whoMeansAThreadThatWasDeletedIsNotGivenTheNewOneOfItsName(int messages) throws Exception {
    long deleted = create("meant");
    delete("meant");
    create("meant");
    List<NewMessage> batch = Collections.nCopies(messages, message(null, "\"for the old one\""));

    assertThatThrownBy(
            () ->
                memory
                    .appends()
                    .append(
                        caller,
                        "meant",
                        deleted,
                        new TurnWrite(batch, null, null, List.of(), null, true, null)))
        .isInstanceOf(ApiException.class);

    assertThat(seqs("meant")).isEmpty();
    delete("meant");
  }

  @Test
  void countAndBytesOfTheThreadAreThoseOfItsMessages() throws Exception {
    create("counted");
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      done.add(callers.submit(() -> untilStored(() -> append("counted", null, "\"é🙂\""))));
    }
    for (Future<?> each : done) {
      each.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    try (Connection connection = connect();
        var row =
            connection
                .createStatement()
                .executeQuery(
                    """
                    SELECT message_count, next_seq, version,
                           stored_bytes = (SELECT SUM(LENGTH(content)) FROM messages m WHERE m.thread_id = h.thread_id)
                    FROM thread_heads h WHERE public_id = 'counted'
                    """)) {
      row.next();
      assertThat(row.getLong(1)).isEqualTo(60);
      assertThat(row.getLong(2)).isEqualTo(60);
      assertThat(row.getLong(3)).isPositive();
      assertThat(row.getBoolean(4)).isTrue();
    }
  }

  @Test
  void aConnectionThatTheDatabaseHasEndedIsReplaced() throws Exception {
    create("ended");
    append("ended", null, "1");
    try (Connection connection = connect()) {
      for (Connection lane : lanes.opened()) {
        connection.createStatement().execute("KILL " + connectionId(lane));
      }
    }
    int before = lanes.opened().size();

    append("ended", null, "2");
    append("ended", null, "3");

    assertThat(seqs("ended")).isEqualTo(sequence(0, 3));
    assertThat(lanes.opened()).hasSizeGreaterThan(before);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "given")
  void whatWasCommittedThoughTheAnswerIsLostIsFoundAndNotDoneAgain(@Nullable String id)
      throws Exception {
    String thread = "lost-" + id;
    create(thread);
    append(thread, null, "1");
    lanes.have(FaultyLanes.Fault.ANSWER_LOST);

    assertThat(append(thread, id, "2").messages().get(0).seq()).isEqualTo(1);

    assertThat(seqs(thread)).isEqualTo(sequence(0, 2));
    lanes.have(FaultyLanes.Fault.NONE);
    append(thread, id, "2");
    assertThat(seqs(thread)).isEqualTo(sequence(0, id == null ? 3 : 2));
  }

  @Test
  void nothingOfATransactionThatWasRolledBackInTheMiddleIsStored() throws Exception {
    create("aborted");
    append("aborted", null, "1");
    lanes.have(FaultyLanes.Fault.ROLLED_BACK);
    assertThat(append("aborted", null, "2").messages().get(0).seq()).isEqualTo(1);
    lanes.have(FaultyLanes.Fault.NONE);
    assertThat(append("aborted", null, "3").messages().get(0).seq()).isEqualTo(2);
    assertThat(seqs("aborted")).isEqualTo(sequence(0, 3));
  }

  @Test
  void aRoundThatBreaksOffKeepsNoLock() throws Exception {
    create("broken");
    append("broken", null, "1");
    lanes.have(FaultyLanes.Fault.DEFECT);
    assertThatThrownBy(() -> append("broken", null, "2")).isInstanceOf(ArithmeticException.class);

    try (Connection other = connect()) {
      other
          .createStatement()
          .executeQuery("SELECT * FROM thread_heads WHERE public_id = 'broken' FOR UPDATE NOWAIT");
    }
    lanes.have(FaultyLanes.Fault.NONE);
    append("broken", null, "2");
    assertThat(seqs("broken")).isEqualTo(sequence(0, 2));
  }

  @Test
  void whereNoConnectionIsToBeHadForALaneEveryoneStoresAlone() throws Exception {
    create("poor");
    lanes.have(FaultyLanes.Fault.NO_CONNECTION);

    append("poor", null, "1");
    append("poor", null, "2");

    assertThat(lanes.opened()).isEmpty();
    assertThat(seqs("poor")).isEqualTo(sequence(0, 2));
  }

  private long create(String id) {
    return memory
        .transactions()
        .write(
            handle ->
                memory
                    .threads()
                    .create(handle, caller, memory.threads().newRow(caller), id, "r", null, null))
        .thread()
        .id();
  }

  private void delete(String id) {
    memory
        .transactions()
        .write(
            handle -> {
              memory.threads().delete(handle, caller, id);
              return true;
            });
  }

  private Appended append(String thread, @Nullable String id, String content) {
    Appends.Attempt attempt =
        memory
            .appends()
            .together(
                caller, thread, List.of(message(id, content)), null, StorageLimit.Hold.unlimited());
    return attempt.appended() != null
        ? attempt.appended()
        : memory
            .transactions()
            .write(handle -> memory.messages().append(handle, caller, thread, attempt.batch()));
  }

  /** As clients do it: again, where they are told that a lock was waited for too long. */
  static <T> T untilStored(Supplier<T> append) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestTimeout.SECONDS);
    while (true) {
      try {
        return append.get();
      } catch (OutcomeUnknownException e) {
        throw e;
      } catch (ApiException e) {
        if (e.error().status() != 503 || System.nanoTime() - end >= 0) {
          throw e;
        }
      }
    }
  }

  private static NewMessage message(@Nullable String id, String content) {
    return new NewMessage(id, "user", "text", content, null, false);
  }

  private static List<Long> sequence(int from, int to) {
    List<Long> seqs = new ArrayList<>();
    for (long seq = from; seq < to; seq++) {
      seqs.add(seq);
    }
    return seqs;
  }

  private static List<Long> seqs(String thread) throws Exception {
    List<Long> seqs = Collections.synchronizedList(new ArrayList<>());
    try (Connection connection = connect();
        var rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT seq FROM messages JOIN thread_heads h USING (thread_id) WHERE h.public_id = '"
                        + thread
                        + "' ORDER BY seq")) {
      while (rows.next()) {
        seqs.add(rows.getLong(1));
      }
    }
    return seqs;
  }

  private static long connectionId(Connection connection) throws SQLException {
    return connection.unwrap(com.mysql.cj.jdbc.JdbcConnection.class).getId();
  }

  private static Connection connect() throws Exception {
    return DriverManager.getConnection(DATABASE.url(), DATABASE.user(), DATABASE.password());
  }
}
