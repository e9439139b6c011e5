package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dropwizard.util.Duration;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.HeapReservation;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** A node that stores messages and observes when it is told to, on a real database. */
final class ObserverRig {
  /** Never rests. */
  private static final BackgroundThrottle UNLIMITED =
      new BackgroundThrottle(1, 1, 1, () -> 0, () -> 0, nanos -> {});

  final ObservationSettings settings;
  final ContextSettings context;
  final Jdbi jdbi;
  final MemoryModule memory;
  final ObservationWorkers workers;
  final Caller caller;

  ObserverRig(TestDatabase database, ObservationSettings settings, @Nullable ModelClient model) {
    this(settings, database.jdbi(), database.jdbi(), model);
  }

  /** A node whose threads give to their resource, and get from it. */
  static ObserverRig sharing(
      TestDatabase database, ObservationSettings settings, @Nullable ModelClient model) {
    return new ObserverRig(settings, RecallScope.RESOURCE, database.jdbi(), database.jdbi(), model);
  }

  /**
   * A node.
   *
   * @param observers what the observer works on, apart from those who store
   */
  ObserverRig(
      ObservationSettings settings, Jdbi jdbi, Jdbi observers, @Nullable ModelClient model) {
    this(settings, RecallScope.THREAD, jdbi, observers, model);
  }

  private ObserverRig(
      ObservationSettings settings,
      RecallScope scope,
      Jdbi jdbi,
      Jdbi observers,
      @Nullable ModelClient model) {
    this.settings = settings;
    this.context = new ContextSettings(settings, RecallSettings.read(null, null, scope));
    this.jdbi = jdbi;
    PrometheusRegistry registry = new PrometheusRegistry();
    Random random = new Random();
    memory = TestMemory.create(jdbi, settings, registry);
    workers =
        ObservationModule.create(
            settings,
            context,
            observers,
            new Transactions(observers, random, new PrometheusRegistry()),
            model,
            UNLIMITED,
            null,
            Clock.systemUTC(),
            random,
            registry,
            Executors.newSingleThreadScheduledExecutor());
    caller = TestMemory.newCaller(jdbi);
  }

  static ObservationSettings settings(
      @Nullable String model, int messageTokens, int observationTokens) {
    return settings(model, messageTokens, observationTokens, null);
  }

  static ObservationSettings settings(
      @Nullable String model,
      int messageTokens,
      int observationTokens,
      @Nullable Integer resourceTokens) {
    return ObservationSettings.read(
        model,
        messageTokens,
        observationTokens,
        null,
        Duration.seconds(5),
        1,
        2,
        null,
        1,
        null,
        null,
        Duration.milliseconds(10),
        null,
        null,
        resourceTokens,
        null,
        null);
  }

  /** A thread; gives {@code threads.id}. */
  long createThread(String id) {
    return createThread(id, "r");
  }

  /** A thread of a resource. */
  long createThread(String id, String resource) {
    return memory
        .transactions()
        .write(
            handle ->
                memory
                    .threads()
                    .create(
                        handle, caller, memory.threads().newRow(caller), id, resource, null, null))
        .thread()
        .id();
  }

  /** {@code threads.id} of the threads of a resource. */
  List<Long> threadsOf(String resource) {
    return jdbi.withExtension(
        ResourceDao.class,
        dao ->
            dao.threads(
                new ResourceDao.Resource(caller.projectId(), caller.projectName(), resource),
                1_000));
  }

  Appended append(String thread, List<NewMessage> messages) {
    return memory
        .transactions()
        .write(handle -> memory.messages().append(handle, caller, thread, messages));
  }

  static NewMessage message(String role, String content, Instant time) {
    String type =
        content.contains("tool_call_id")
            ? "tool-result"
            : content.contains("tool_calls") ? "tool-call" : "text";
    return new NewMessage(null, role, type, content, time, false);
  }

  static NewMessage user(String text) {
    return message("user", "\"" + text + "\"", Instant.parse("2026-11-20T09:30:00Z"));
  }

  static NewMessage call(String id, String arguments) {
    return message(
        "assistant",
        "{\"content\":null,\"tool_calls\":[{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"search\",\"arguments\":\"%s\"}}]}"
            .formatted(id, arguments),
        Instant.parse("2026-11-20T09:31:00Z"));
  }

  static NewMessage result(String id, String text) {
    return message(
        "tool",
        "{\"tool_call_id\":\"%s\",\"content\":\"%s\"}".formatted(id, text),
        Instant.parse("2026-11-20T09:32:00Z"));
  }

  /** Does all work that is due. */
  void observe() {
    try {
      while (workers.workOnce()) {
        // the next job
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  ThreadView view(long thread) {
    return jdbi.withHandle(handle -> ThreadView.read(handle, thread, context)).orElseThrow();
  }

  /** Of a stored message. */
  record Stored(long seq, String id, int tokens) {}

  List<Stored> messages(long thread) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT seq, public_id, COALESCE(tokens, -1) AS tokens FROM messages WHERE"
                        + " thread_id = :t ORDER BY seq")
                .bind("t", thread)
                .map(
                    (row, context) ->
                        new Stored(
                            row.getLong("seq"),
                            new String(
                                row.getBytes("public_id"), java.nio.charset.StandardCharsets.UTF_8),
                            row.getInt("tokens")))
                .list());
  }

  /** Contract §8: each message is raw, prepared or observed, and counted once. */
  void assertEachMessageIsCoveredOnce(long thread) {
    ThreadView view = view(thread);
    List<Stored> messages = messages(thread);
    long observed = 0;
    for (Stored message : messages) {
      if (message.seq() <= view.observedSeq()) {
        assertThat(message.tokens()).isNotNegative();
        observed += message.tokens();
      }
    }
    assertThat(view.record() == null ? 0 : view.record().totalTokensObserved()).isEqualTo(observed);
    List<String> prepared = new ArrayList<>();
    jdbi.useExtension(
        RecordDao.class,
        dao -> dao.chunks(thread).forEach(chunk -> prepared.addAll(ids(chunk.messageIds()))));
    assertThat(prepared)
        .containsExactlyElementsOf(
            messages.stream()
                .filter(m -> m.seq() > view.observedSeq() && m.seq() <= view.preparedSeq())
                .map(Stored::id)
                .toList());
  }

  private static List<String> ids(String json) {
    String inner = json.substring(1, json.length() - 1).replace("\"", "");
    return inner.isEmpty() ? List.of() : List.of(inner.split(","));
  }

  /** What goes upstream of the thread, in tokens. */
  long contextTokens(long thread) {
    ThreadView view = view(thread);
    TokenCounter counter = new TokenCounter();
    long raw =
        new UnobservedMessagesReader(counter, UNLIMITED)
            .read(jdbi, thread, view.observedSeq(), new HeapReservation(null, -1))
            .pendingTokens();
    return raw + (view.record() == null ? 0 : view.record().observationTokens());
  }

  List<Integer> generations(long thread) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT generation FROM observation_records WHERE thread_id = :t ORDER BY"
                        + " generation")
                .bind("t", thread)
                .mapTo(Integer.class)
                .list());
  }

  long count(String table, long thread) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) FROM " + table + " WHERE thread_id = :t")
                .bind("t", thread)
                .mapTo(Long.class)
                .one());
  }
}
