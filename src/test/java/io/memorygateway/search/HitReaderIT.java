package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.search.HitReader.Bounds;
import io.memorygateway.search.HitReader.Candidate;
import io.memorygateway.search.ThreadTerms.Sized;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §11: what was deleted is not found, and takes no place of what is there. */
class HitReaderIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int MESSAGES = 60;

  private final Jdbi jdbi = DATABASE.jdbi();
  private final Transactions transactions =
      new Transactions(jdbi, new Random(), new PrometheusRegistry());
  private final MemoryModule memory =
      TestMemory.create(jdbi, ObservationSettings.defaults(), new PrometheusRegistry());
  private final Caller caller = TestMemory.newCaller(jdbi);

  @Test
  void hitsAreThoseThatWouldBeFoundIfWhatIsGoneHadNeverBeen() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    ThreadScope thread = store(random);
    Set<Long> gone = new HashSet<>();
    for (int round = 0; round < 12; round++) {
      int context = round % 3;
      Bounds bounds =
          new Bounds(
              1 + random.nextInt(20),
              context == 0 ? 200 + random.nextInt(10_000) : Long.MAX_VALUE,
              random.nextBoolean(),
              200 + random.nextInt(10_000),
              random.nextBoolean());
      List<Long> seqs = shuffled(random);
      List<Candidate> all = candidates(thread, seqs, context, Set.of());
      List<Candidate> left = candidates(thread, seqs, context, gone);
      assertThat(new HitReader(transactions, bounds).read(all, bytes -> {}))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(new HitReader(transactions, bounds).read(left, bytes -> {}));
      long seq = random.nextInt(MESSAGES);
      gone.add(seq);
      jdbi.useHandle(
          handle ->
              handle.execute(
                  "DELETE FROM messages WHERE thread_id = ? AND seq = ?", thread.id(), seq));
    }
  }

  @Test
  void whatGrewBeyondAllThatWasIndexedIsNotRead() {
    ThreadScope thread = store(new Random());
    Bounds bounds = new Bounds(1, Long.MAX_VALUE, true, Long.MAX_VALUE, true);
    List<Candidate> candidates = candidates(thread, List.of(7L, 8L), 0, Set.of());
    jdbi.useHandle(
        handle ->
            handle.execute(
                "UPDATE messages SET content = ?, content_bytes = 100000 WHERE thread_id = ? AND seq = 7",
                "\"" + "x".repeat(99_998) + "\"",
                thread.id()));
    HitReader reader = new HitReader(transactions, bounds);

    assertThat(reader.read(candidates, bytes -> {}))
        .extracting(hit -> hit.message().seq())
        .containsExactly(8L);
    assertThat(reader.isStale()).isTrue();
  }

  /** Neither the threads nor their messages are read for a few of these. */
  @Tag("heavy")
  @Test
  void ofManyThreadsTheMessagesAloneAreRead() throws SQLException {
    int threads = 30;
    Set<SearchStatements.Position> positions = new HashSet<>();
    for (int i = 0; i < threads; i++) {
      long id = store(new Random(), "long" + i, MESSAGES).id();
      positions.add(new SearchStatements.Position(id, 20));
      positions.add(new SearchStatements.Position(id, 40));
    }
    // The database thinks of threads as short.
    for (int i = 0; i < 10 * threads; i++) {
      store(new Random(), "short" + i, 1);
    }
    jdbi.useHandle(handle -> handle.execute("ANALYZE TABLE messages, thread_heads, threads"));

    long read =
        jdbi.withHandle(
            handle -> {
              long before = rowsRead(handle);
              assertThat(SearchStatements.rows(handle, positions, 65_536, true)).hasSize(60);
              return rowsRead(handle) - before;
            });

    assertThat(read).isLessThan(threads * MESSAGES / 3);
  }

  private static long rowsRead(Handle handle) {
    return handle
        .createQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")
        .map((row, unused) -> row.getLong(2))
        .list()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private static List<Long> shuffled(Random random) {
    List<Long> seqs = new ArrayList<>(LongStream.range(0, MESSAGES).boxed().toList());
    Collections.shuffle(seqs, random);
    return seqs.subList(0, 1 + random.nextInt(MESSAGES));
  }

  private List<Candidate> candidates(
      ThreadScope thread, List<Long> seqs, int context, Set<Long> gone) {
    return seqs.stream()
        .filter(seq -> !gone.contains(seq))
        .map(
            seq ->
                new Candidate(
                    thread,
                    sized(thread, seq),
                    1,
                    List.of(),
                    LongStream.rangeClosed(1, context)
                        .boxed()
                        .flatMap(distance -> Stream.of(seq - distance, seq + distance))
                        .filter(near -> near >= 0 && near < MESSAGES && !gone.contains(near))
                        .map(near -> sized(thread, near))
                        .toList()))
        .toList();
  }

  /** A message's size follows from its seq. */
  private static Sized sized(ThreadScope thread, long seq) {
    return new Sized(seq, Roles.number("user"), content(thread.storedBytes(), seq).length());
  }

  private static String content(long salt, long seq) {
    return "\"" + "m".repeat(Math.floorMod(salt * 31 + seq * seq * 131, 1_000)) + "\"";
  }

  private ThreadScope store(Random random) {
    return store(random, "t", MESSAGES);
  }

  private ThreadScope store(Random random, String name, int count) {
    long salt = random.nextInt(1_000);
    List<NewMessage> messages = new ArrayList<>();
    for (long seq = 0; seq < count; seq++) {
      messages.add(new NewMessage(null, "user", "text", content(salt, seq), Instant.EPOCH, false));
    }
    long id =
        memory
            .transactions()
            .write(
                handle -> {
                  memory
                      .threads()
                      .create(
                          handle, caller, memory.threads().newRow(caller), name, "r", null, null);
                  memory.messages().append(handle, caller, name, messages);
                  return handle
                      .createQuery(
                          "SELECT thread_id FROM thread_heads WHERE project_id = ? AND public_id = ?")
                      .bind(0, caller.projectId())
                      .bind(1, name)
                      .mapTo(Long.class)
                      .one();
                });
    return new ThreadScope(id, name, 0, count, count, salt, 1, Instant.EPOCH);
  }
}
