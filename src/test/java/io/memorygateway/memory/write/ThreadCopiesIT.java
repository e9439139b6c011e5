package io.memorygateway.memory.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.CloneOptions;
import io.memorygateway.memory.rows.MessagePatch;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.ResultSet;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What may happen while a long thread is copied. */
class ThreadCopiesIT {
  private static final int MESSAGES = 4_500;
  private static final CloneOptions WHOLE = new CloneOptions("copy", null, null, null, null);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private Jdbi jdbi;
  private Transactions transactions;
  private Threads threads;
  private Messages messages;
  private ThreadClones clones;
  private ThreadCopies copies;
  private Caller caller;

  @BeforeEach
  void makeALongThread() {
    jdbi = DATABASE.jdbi();
    transactions = new Transactions(jdbi, new Random(1), new PrometheusRegistry());
    threads = new Threads(transactions, Clock.systemUTC(), new Random(), Long.MAX_VALUE);
    messages = new Messages(threads);
    clones = new ThreadClones(threads);
    copies = new ThreadCopies(transactions, threads, Duration.ofMinutes(5));
    caller = TestMemory.newCaller(jdbi);
    transactions.write(
        handle -> threads.create(handle, caller, threads.newRow(caller), "t", "r", null, null));
    append(0, MESSAGES);
  }

  private void append(int from, int count) {
    List<NewMessage> batch =
        IntStream.range(from, from + count)
            .mapToObj(i -> new NewMessage("m" + i, "user", "text", "\"" + i + "\"", null, false))
            .toList();
    transactions.write(handle -> messages.append(handle, caller, "t", batch));
  }

  private static StorageLimit.Hold unlimited() {
    return StorageLimit.Hold.unlimited();
  }

  /** What the head says that a thread holds, and what its messages come to. */
  private void assertHeldBytesOfCopyAreThoseOfItsMessages() throws Exception {
    assertThat(
            count(
                "SELECT stored_bytes - removed_bytes - (SELECT SUM(OCTET_LENGTH(content)) FROM"
                    + " messages m WHERE m.thread_id = h.thread_id) FROM thread_heads h WHERE"
                    + " public_id = 'copy' AND project_id = "
                    + caller.projectId()))
        .isZero();
  }

  private ThreadClones.Cloned last(CloneOptions wish, ThreadCopy copy) {
    return transactions.write(
        handle ->
            clones.clone(handle, caller, threads.newRow(caller), "t", wish, copy, unlimited()));
  }

  private long count(String sql) throws Exception {
    try (var connection = DATABASE.connect();
        ResultSet row = connection.createStatement().executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private List<String> contents(String thread) {
    List<String> contents = new ArrayList<>();
    // In two parts, since Vitess answers with 10,000 rows at most.
    for (String part : List.of("<", ">=")) {
      contents.addAll(
          jdbi.withHandle(
              handle ->
                  handle
                      .createQuery(
                          "SELECT content FROM messages m JOIN thread_heads h ON h.thread_id ="
                              + " m.thread_id WHERE h.project_id = ? AND h.public_id = ? AND seq "
                              + part
                              + " 9000 ORDER BY seq")
                      .bind(0, caller.projectId())
                      .bind(1, thread)
                      .mapTo(String.class)
                      .list()));
    }
    return contents;
  }

  @Test
  void whatIsAddedMeanwhileIsCopiedToo() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    copies.copy(
        caller,
        "t",
        WHOLE,
        unlimited(),
        copy -> {
          if (calls.getAndIncrement() < 2) {
            append(MESSAGES + 3_000 * calls.get(), 3_000);
          }
          return last(WHOLE, copy);
        });
    assertThat(calls).hasValue(3);
    assertThat(contents("copy")).hasSize(MESSAGES + 6_000).isEqualTo(contents("t"));
    assertHeldBytesOfCopyAreThoseOfItsMessages();
  }

  @Test
  void onlySoManyOfTheNewestAreThereAfterwards() throws Exception {
    CloneOptions some = new CloneOptions("copy", null, null, null, 4_000);
    copies.copy(
        caller,
        "t",
        some,
        unlimited(),
        copy -> {
          append(MESSAGES, 100);
          return last(some, copy);
        });
    assertThat(contents("copy")).isEqualTo(contents("t").subList(600, 4_600));
    assertHeldBytesOfCopyAreThoseOfItsMessages();
  }

  @Test
  void aMessageThatIsChangedMeanwhileIsCopiedAsItIsThen() {
    AtomicInteger calls = new AtomicInteger();
    copies.copy(
        caller,
        "t",
        WHOLE,
        unlimited(),
        copy -> {
          if (calls.getAndIncrement() == 0) {
            transactions.write(
                handle ->
                    messages.patch(
                        handle,
                        caller,
                        "t",
                        "m5",
                        new MessagePatch("\"changed\"", "text"),
                        bytes -> {},
                        unlimited()));
            transactions.write(handle -> messages.delete(handle, caller, "t", List.of("m6")));
          }
          return last(WHOLE, copy);
        });
    assertThat(calls).hasValue(2);
    assertThat(contents("copy")).isEqualTo(contents("t")).contains("\"changed\"");
  }

  @Test
  void whoeverChangesItAllTheTimeIsToldToTryAgain() throws Exception {
    assertThatThrownBy(
            () ->
                copies.copy(
                    caller,
                    "t",
                    WHOLE,
                    unlimited(),
                    copy -> {
                      transactions.write(
                          handle ->
                              messages.patch(
                                  handle,
                                  caller,
                                  "t",
                                  "m5",
                                  new MessagePatch("\"changed\"", "text"),
                                  bytes -> {},
                                  unlimited()));
                      return last(WHOLE, copy);
                    }))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(503));
    assertThat(contents("copy")).isEmpty();
    nothingIsLeft();
  }

  @Test
  void aThreadThatIsDeletedMeanwhileIsNotCopied() throws Exception {
    assertThatThrownBy(
            () ->
                copies.copy(
                    caller,
                    "t",
                    WHOLE,
                    unlimited(),
                    copy -> {
                      transactions.write(
                          handle -> {
                            threads.delete(handle, caller, "t");
                            return threads.create(
                                handle, caller, threads.newRow(caller), "t", "r", null, null);
                          });
                      return last(WHOLE, copy);
                    }))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(404));
    nothingIsLeft();
  }

  @Test
  void aCopyWhoseRowsAreBeingRemovedIsNotShown() throws Exception {
    assertThatThrownBy(
            () ->
                copies.copy(
                    caller,
                    "t",
                    WHOLE,
                    unlimited(),
                    copy -> {
                      // As after a pause of this node that was longer than the lease.
                      jdbi.useHandle(
                          handle ->
                              handle.execute(
                                  "UPDATE removed_threads SET due_at = UTC_TIMESTAMP(3) WHERE"
                                      + " thread_id = ?",
                                  copy.thread()));
                      RemovedThreads.remove(jdbi);
                      return last(WHOLE, copy);
                    }))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(503));
    assertThat(contents("copy")).isEmpty();
    nothingIsLeft();
  }

  @Test
  void whatTakesTooLongIsRefusedWithAWayOut() throws Exception {
    ThreadCopies hasty = new ThreadCopies(transactions, threads, Duration.ofNanos(1));
    assertThatThrownBy(() -> hasty.copy(caller, "t", WHOLE, unlimited(), copy -> last(WHOLE, copy)))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(413);
              assertThat(e.error().message()).contains("messageLimit");
            });
    nothingIsLeft();
  }

  /** Of a copy that came to nothing, the cleaner finds all. */
  private void nothingIsLeft() throws Exception {
    // A gateway of other classes may just be at it, where there is one schema for all.
    await()
        .until(
            () -> {
              RemovedThreads.remove(jdbi);
              return count("SELECT COUNT(*) FROM removed_threads") == 0;
            });
    assertThat(
            count(
                "SELECT COUNT(*) FROM threads t LEFT JOIN thread_heads h ON h.thread_id = t.id"
                    + " WHERE h.thread_id IS NULL"))
        .isZero();
  }
}
