package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.MessagePatch;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.HandleConsumer;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §11: what is new in several threads is read at once, and found like all else. */
class IndexedTogetherIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int THREADS = 6;
  private static final int MESSAGES = 5;

  private final Jdbi jdbi = DATABASE.jdbi();
  private final MemoryModule memory =
      TestMemory.create(jdbi, ObservationSettings.defaults(), new PrometheusRegistry());
  private final Caller caller = TestMemory.newCaller(jdbi);
  private final Map<String, Integer> appended = new HashMap<>();
  private final AtomicInteger statements = new AtomicInteger();
  private final ThreadIndexes indexes = indexes();

  private ThreadIndexes indexes() {
    PrometheusRegistry registry = new PrometheusRegistry();
    Jdbi counted = DATABASE.jdbi();
    counted.setSqlLogger(
        new SqlLogger() {
          @Override
          public void logAfterExecution(StatementContext context) {
            statements.incrementAndGet();
          }
        });
    return new ThreadIndexes(
        new Transactions(counted, new Random(), registry), 1 << 20, new SearchMetrics(registry));
  }

  @Test
  void whatIsNewInSeveralThreadsIsReadInOneStatement() {
    for (int thread = 0; thread < THREADS; thread++) {
      create("t" + thread);
    }
    load();
    statements.set(0);
    for (int thread = 0; thread + 1 < THREADS; thread++) {
      append("t" + thread, "The marmot of thread " + thread + " sleeps.");
    }
    create("new");
    List<List<Ranking.Ranked>> found = load();
    assertThat(statements).hasValue(1);
    load();
    assertThat(statements).as("nothing is new").hasValue(1);

    assertThat(found).hasSize(2).isEqualTo(afresh());
    assertThat(found.get(1)).hasSize(THREADS - 1);
  }

  @Test
  void whatWasRewrittenOrDeletedMeanwhileIsNotTakenForWhatItWas() {
    for (int thread = 0; thread < THREADS; thread++) {
      create("t" + thread);
      append("t" + thread, "The marmot of thread " + thread + " sleeps.");
    }
    load();
    write(handle -> memory.messages().delete(handle, caller, "t0", List.of("t0-6")));
    append("t1", "The marmot of thread 1 eats.");
    write(handle -> memory.messages().delete(handle, caller, "t1", List.of("t1-6")));
    patch("t2", "t2-6", "The badger of thread 2 sleeps.");
    append("t3", "The marmot of thread 3 eats.");
    write(handle -> memory.messages().delete(handle, caller, "t4", List.of("t4-1", "t4-2")));
    assertThat(load()).isEqualTo(afresh());
  }

  /** What turns of this node add need not be read, unless something else was changed, too. */
  @Test
  void whatIsHandedOverIsNotRead() {
    for (int thread = 0; thread < THREADS; thread++) {
      create("t" + thread);
    }
    handOver("t5", "The marmot of nothing that was read before.");
    load();
    statements.set(0);
    handOver("t0", "The marmot of thread 0 sleeps.");
    handOver("t0", "The marmot of thread 0 wakes up.");
    handOver("t1", "The marmot of thread 1 sleeps.");
    assertThat(load()).isEqualTo(afresh());
    assertThat(statements).as("those that were read afresh").hasValue(1);

    handOver("t0", "The marmot of thread 0 eats.");
    append("t0", "The marmot of thread 0 drinks.");
    handOver("t0", "The marmot of thread 0 sleeps again.");
    handOver("t1", "The marmot of thread 1 eats.");
    write(handle -> memory.messages().delete(handle, caller, "t1", List.of("t1-7")));
    handOver("t2", "The marmot of thread 2 eats.");
    patch("t2", "t2-6", "The badger of thread 2 eats.");
    handOver("t3", "The marmot of thread 3 eats.");
    write(handle -> memory.messages().delete(handle, caller, "t3", List.of("t3-2")));
    assertThat(load()).isEqualTo(afresh());
  }

  /** What a search for each of two words finds. */
  private List<List<Ranking.Ranked>> load() {
    return load(indexes);
  }

  private List<List<Ranking.Ranked>> afresh() {
    return load(indexes());
  }

  private List<List<Ranking.Ranked>> load(ThreadIndexes from) {
    List<ThreadScope> scope =
        jdbi.withHandle(handle -> SearchStatements.first(handle, caller.projectId(), "r"));
    List<ThreadTerms> terms = from.load(caller.projectId(), scope).terms();
    assertThat(terms)
        .extracting(each -> (long) each.messages())
        .isEqualTo(scope.stream().map(ThreadScope::messageCount).toList());
    return IntStream.of(0, 1)
        .mapToObj(
            i ->
                Query.of(
                    i == 0 ? "letter" : "marmot", new TermReader(), LocalDate.of(2026, 11, 20)))
        .map(query -> Ranking.best(terms, query, (thread, role, time, seq) -> true, 100))
        .toList();
  }

  private void create(String thread) {
    write(
        handle ->
            memory
                .threads()
                .create(handle, caller, memory.threads().newRow(caller), thread, "r", null, null));
    for (int i = 0; i < MESSAGES; i++) {
      append(thread, "This is letter " + i + " of many that were written to " + thread + ".");
    }
  }

  private void handOver(String thread, String text) {
    Appended added = append(thread, text);
    indexes.add(added.thread().id(), added.messages());
  }

  private Appended append(String thread, String text) {
    String id = thread + "-" + appended.merge(thread, 1, Integer::sum);
    NewMessage message =
        new NewMessage(id, "user", "text", "\"" + text + "\"", Instant.EPOCH, false);
    return memory
        .transactions()
        .write(handle -> memory.messages().append(handle, caller, thread, List.of(message)));
  }

  private void patch(String thread, String message, String text) {
    try (StorageLimit.Hold storage = memory.storageLimit().open(caller.projectId(), 0)) {
      MessagePatch patch = new MessagePatch("\"" + text + "\"", null);
      write(
          handle ->
              memory.messages().patch(handle, caller, thread, message, patch, heap -> {}, storage));
    }
  }

  private void write(HandleConsumer<RuntimeException> work) {
    memory
        .transactions()
        .write(
            handle -> {
              work.useHandle(handle);
              return true;
            });
  }
}
