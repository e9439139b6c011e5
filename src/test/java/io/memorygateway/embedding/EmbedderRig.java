package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.MessagePatch;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.testing.ManualClock;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;

/** The memory of one project, a model that is scripted, and nodes that embed with it. */
final class EmbedderRig {
  /** Bytes of vectors that a node may hold. */
  static final long CACHE = 8 << 20;

  final Jdbi jdbi;
  final MemoryModule memory;
  final Caller caller;
  final FakeEmbeddings model = new FakeEmbeddings();
  final EmbeddingModule node;
  private final ManualClock clock = new ManualClock(Instant.now());

  /** Nothing of the tests before is pending, and nothing of it is there. */
  EmbedderRig(TestDatabase database) {
    jdbi = database.jdbi();
    memory = TestMemory.create(jdbi, ObservationSettings.defaults(), new PrometheusRegistry());
    for (String table :
        List.of(
            "leases", "embedding_threads", "message_vectors", "embedding_models", "thread_heads")) {
      jdbi.useHandle(handle -> handle.execute("DELETE FROM " + table));
    }
    node = node(model, FakeEmbeddings.MODEL);
    caller = TestMemory.newCaller(jdbi);
  }

  /** Another node, with a cache of its own. */
  EmbeddingModule node(EmbeddingClient client, String name) {
    return node(client, name, EmbeddedInput.PLAIN);
  }

  /** Another node whose model is told what a message is. */
  EmbeddingModule node(EmbeddingClient client, String name, EmbeddedInput passage) {
    return node(jdbi, client, name, passage);
  }

  /** Another node, on connections of its own. */
  EmbeddingModule node(Jdbi connections) {
    return node(connections, model, FakeEmbeddings.MODEL, EmbeddedInput.PLAIN);
  }

  private EmbeddingModule node(
      Jdbi connections, EmbeddingClient client, String name, EmbeddedInput passage) {
    PrometheusRegistry registry = new PrometheusRegistry();
    return EmbeddingModule.create(
        new EmbeddingModule.Settings(
            name, EmbeddedInput.PLAIN, passage, Duration.ofSeconds(1), CACHE),
        client,
        new Transactions(connections, new Random(), registry),
        connections,
        clock,
        new Random(),
        registry);
  }

  void advanceClock(Duration time) {
    clock.advance(time);
  }

  void embed() throws Exception {
    embed(node);
  }

  /** Embeds until nothing is left to do. */
  static void embed(EmbeddingModule by) throws Exception {
    while (by.embedder().workOnce()) {
      // until there is nothing left
    }
  }

  /** The seqs of messages that are near a text, as a search of a node that is warm sees them. */
  List<Long> near(String thread, String text) {
    MessageVectors.Comparison comparison =
        node.vectors()
            .compare(caller.projectId(), null, searched(thread), FakeEmbeddings.vector(text));
    if (comparison == null) {
      return List.of();
    }
    List<Long> near = new ArrayList<>();
    for (ThreadVectors vectors : comparison.load().values()) {
      ThreadVectors.Cursor cursor = vectors.cursor(comparison.query());
      for (long seq = 0; seq < 5_000; seq++) {
        if (cursor.cosine(seq) > 0.8) {
          near.add(seq);
        }
      }
    }
    return near;
  }

  List<MessageVectors.SearchedThread> searched(String thread) {
    return searched(caller, thread);
  }

  private List<MessageVectors.SearchedThread> searched(Caller caller, String thread) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT thread_id, message_count FROM thread_heads WHERE project_id = :project"
                        + " AND public_id = :thread")
                .bind("project", caller.projectId())
                .bind("thread", thread)
                .map(
                    (row, context) ->
                        new MessageVectors.SearchedThread(row.getLong(1), row.getLong(2)))
                .list());
  }

  /** How many of the vectors are of these messages, each at most once. */
  int vectors(List<MessageRow> rows) {
    int count = count("message_vectors");
    assertThat(count).isLessThanOrEqualTo(rows.size());
    return count;
  }

  int count(String table) {
    return jdbi.withHandle(
        handle -> handle.createQuery("SELECT COUNT(*) FROM " + table).mapTo(Integer.class).one());
  }

  void delete(String thread, MessageRow message) {
    int deleted =
        memory
            .transactions()
            .write(
                handle ->
                    memory.messages().delete(handle, caller, thread, List.of(message.publicId())));
    assertThat(deleted).isEqualTo(1);
  }

  void patch(String thread, MessageRow message, String text) {
    try (StorageLimit.Hold storage = memory.storageLimit().open(caller.projectId(), 0)) {
      var unused =
          memory
              .transactions()
              .write(
                  handle ->
                      memory
                          .messages()
                          .patch(
                              handle,
                              caller,
                              thread,
                              message.publicId(),
                              new MessagePatch("\"" + text + "\"", null),
                              bytes -> {},
                              storage));
    }
  }

  List<MessageRow> store(String thread, String... texts) {
    return store(caller, thread, texts);
  }

  List<MessageRow> store(Caller caller, String thread, String... texts) {
    List<NewMessage> messages = new ArrayList<>();
    for (String text : texts) {
      messages.add(new NewMessage(null, "user", "text", "\"" + text + "\"", null, false));
    }
    return new ArrayList<>(
        memory
            .transactions()
            .write(
                handle -> {
                  if (searched(caller, thread).isEmpty()) {
                    memory
                        .threads()
                        .create(
                            handle,
                            caller,
                            memory.threads().newRow(caller),
                            thread,
                            "r",
                            null,
                            null);
                  }
                  return memory.messages().append(handle, caller, thread, messages);
                })
            .messages());
  }
}
