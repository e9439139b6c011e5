package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §11: messages are embedded in the background, whatever the model and the nodes do. */
class EmbedderIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final EmbedderRig rig = new EmbedderRig(DATABASE);

  @Test
  void embedsEveryMessageOnceAndWhatIsNewLater() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.", " ");
    rig.embed();
    assertThat(rig.model.texts).containsOnlyOnce("The violin.", "My dog.").doesNotContain("", " ");
    assertThat(rig.vectors(rows)).isEqualTo(2);
    assertThat(rig.near("t", "fiddle")).containsExactly(rows.get(0).seq());

    List<MessageRow> more = rig.store("t", "An old fiddle.");
    rig.embed();
    assertThat(rig.model.texts).containsOnlyOnce("The violin.", "My dog.", "An old fiddle.");
    assertThat(rig.near("t", "fiddle")).containsExactly(rows.get(0).seq(), more.get(0).seq());
  }

  /** More than one round, statement and batch take, of many threads and of one. */
  @Tag("heavy")
  @Test
  void embedsMoreThanARoundTakes() throws Exception {
    String[] texts = new String[1_300];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "The train of number " + i;
    }
    List<MessageRow> rows = rig.store("large", texts);
    for (int i = 0; i < 150; i++) {
      rows.addAll(rig.store("t" + i, "A puppy, number " + i));
    }
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(1_450);
    assertThat(rig.model.texts).doesNotHaveDuplicates();
    assertThat(rig.near("large", "railway")).hasSize(1_300);
  }

  /** Contract §11: what a project has to be embedded waits for one round of another's, about. */
  @Test
  void aProjectWithMuchToEmbedLeavesRoomForOthers() throws Exception {
    String[] many = new String[2_000];
    for (int i = 0; i < many.length; i++) {
      many[i] = "The train of number " + i;
    }
    rig.store("long", many);
    for (int i = 0; i < 100; i++) {
      rig.store("t" + i, "A puppy, number " + i);
    }
    rig.store(TestMemory.newCaller(rig.jdbi), "later", "The violin.");
    for (int round = 0; round < 2; round++) {
      assertThat(rig.node.embedder().workOnce()).isTrue();
    }
    assertThat(rig.model.texts).contains("The violin.").hasSizeLessThan(1_500);
  }

  /** What is stored faster than it is embedded is not forgotten. */
  @Test
  void embedsWhatWasStoredAWhileAgo() throws Exception {
    boolean nothing = rig.node.embedder().workOnce();
    assertThat(nothing).isFalse();
    String[] texts = new String[1_300];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "The train of number " + i;
    }
    List<MessageRow> rows = rig.store("t", texts);
    assertThat(rig.node.embedder().workOnce()).isTrue();
    assertThat(rig.vectors(rows)).isLessThan(1_300);
    rig.advanceClock(Duration.ofMinutes(5));
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(1_300);
  }

  /** As after an import, or where the clock of another node is behind. */
  @Test
  void findsThreadsThatDidNotChangeLately() throws Exception {
    String[] texts = new String[1_300];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "The train of number " + i;
    }
    List<MessageRow> rows = rig.store("t", texts);
    rig.jdbi.useHandle(
        handle -> handle.execute("UPDATE thread_heads SET updated_at = '2001-01-01 00:00:00'"));
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(1_300);
  }

  @Test
  void aLongTextIsCut() throws Exception {
    rig.store("t", "violin " + "word ".repeat(300_000), "x".repeat(7_999) + "😀 and more");
    rig.embed();
    assertThat(rig.model.texts).allMatch(text -> text.length() <= EmbeddingText.MAX_CHARACTERS);
    assertThat(rig.model.texts).noneMatch(text -> text.contains("\uFFFD"));
  }

  @ParameterizedTest
  @EnumSource
  void whateverFailsIsTriedAgain(Reason reason) throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.");
    rig.embed();
    rows.addAll(rig.store("t", "The fiddle.", "My train."));
    rig.model.mood = FakeEmbeddings.failing(reason);
    assertThatThrownBy(rig.node.embedder()::workOnce).isInstanceOf(EmbeddingFailureException.class);
    assertThat(rig.vectors(rows)).isEqualTo(2);
    rig.model.mood = request -> vectors -> vectors;
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(4);
  }

  /** By the vector of a query, whatever is stored meanwhile, and back again. */
  @Test
  void whereAQueryMeetsOtherDimensionsAllIsEmbeddedAnew() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.");
    rig.embed();
    FakeEmbeddings.Mood before = rig.model.mood;
    rig.jdbi.useHandle(
        handle -> handle.execute("UPDATE thread_heads SET updated_at = '2001-01-01 00:00:00'"));
    for (int round = 0; round < 2; round++) {
      rig.model.mood =
          request -> vectors -> vectors.stream().map(vector -> new float[] {1, 2}).toList();
      assertThat(compared(new float[] {1, 2})).isFalse();
      rig.embed();
      assertThat(compared(new float[] {1, 2})).isTrue();
      rig.model.mood = before;
      assertThat(rig.near("t", "violin")).isEmpty();
      rig.embed();
      assertThat(rig.near("t", "violin")).containsExactly(rows.get(0).seq());
    }
  }

  private boolean compared(float[] vector) {
    MessageVectors.Comparison comparison =
        rig.node.vectors().compare(rig.caller.projectId(), null, rig.searched("t"), vector);
    return comparison != null && !comparison.load().isEmpty();
  }

  /** A vector that is not comparable with the others is worse than none. */
  @Test
  void vectorsOfAnotherLengthAreNotStored() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.");
    rig.embed();
    rows.addAll(rig.store("t", "My dog."));
    rig.model.mood =
        request -> vectors -> vectors.stream().map(vector -> new float[] {1, 2}).toList();
    assertThatThrownBy(rig.node.embedder()::workOnce)
        .isInstanceOf(EmbeddingFailureException.class)
        .hasMessageContaining("2 numbers instead of 4");
    assertThat(rig.vectors(rows)).isEqualTo(1);
    assertThat(rig.near("t", "violin")).hasSize(1);

    rig.embed();
    assertThat(rig.vectors(rows)).as("all of them are of the other model now").isEqualTo(2);
    assertThat(rig.near("t", "violin")).isEmpty();
    assertThat(
            rig.node
                .vectors()
                .compare(rig.caller.projectId(), null, rig.searched("t"), new float[] {1, 2}))
        .isNotNull();
  }

  @Test
  void aThreadThatTheDatabaseRefusesHoldsNothingUp() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.");
    rows.addAll(rig.store("u", "My dog."));
    long refused = rig.searched("t").get(0).id();
    rig.jdbi.useHandle(
        handle ->
            handle.execute(
                "ALTER TABLE message_vectors ADD CONSTRAINT refused CHECK (thread_id <> "
                    + refused
                    + ")"));
    try {
      rig.embed();
      assertThat(rig.vectors(rows)).isEqualTo(1);
    } finally {
      rig.jdbi.useHandle(
          handle -> handle.execute("ALTER TABLE message_vectors DROP CONSTRAINT refused"));
    }
    rig.advanceClock(Duration.ofMinutes(10));
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(2);
  }

  @Test
  void ofATextThatIsTooLongForTheModelTheBeginningIsEmbedded() throws Exception {
    List<MessageRow> rows = rig.store("t", "violin " + "word ".repeat(1_000));
    rig.model.mood =
        request -> {
          if (request.texts().stream().anyMatch(text -> text.length() > 1_500)) {
            throw new EmbeddingFailureException(Reason.REFUSED, "too long");
          }
          return vectors -> vectors;
        };
    rig.embed();
    assertThat(rig.near("t", "fiddle")).containsExactly(rows.get(0).seq());
  }

  @Test
  void aVectorGoesWithItsMessage() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.", "My fiddle.");
    rig.embed();
    assertThat(rig.near("t", "violin")).hasSize(2);
    rig.delete("t", rows.get(0));
    assertThat(rig.vectors(rows)).isEqualTo(2);

    rig.patch("t", rows.get(2), "My train.");
    assertThat(rig.vectors(rows)).isEqualTo(1);
    assertThat(rig.near("t", "violin")).isEmpty();
    rig.embed();
    assertThat(rig.near("t", "railway")).containsExactly(rows.get(2).seq());
    assertThat(rig.model.texts).containsOnlyOnce("My dog.");

    rig.memory
        .transactions()
        .write(
            handle -> {
              rig.memory.threads().delete(handle, rig.caller, "t");
              return true;
            });
    long unused = RemovedThreads.remove(rig.jdbi);
    assertThat(rig.vectors(rows)).isZero();
    assertThat(rig.count("embedding_threads")).isZero();
    rig.embed();
    assertThat(rig.count("message_vectors")).isZero();
  }

  /** Between the reading of the texts and the storing of the vectors. */
  @Test
  void whatChangesWhileItIsEmbeddedIsEmbeddedAsItIs() throws Exception {
    List<MessageRow> rows =
        rig.store("t", "The violin.", "My first dog.", "My train.", "My second dog.");
    AtomicBoolean once = new AtomicBoolean();
    rig.model.mood =
        request -> {
          if (request.texts().contains("My train.") && once.compareAndSet(false, true)) {
            rig.patch("t", rows.get(0), "A railway.");
            rig.delete("t", rows.get(1));
          }
          return vectors -> vectors;
        };
    assertThat(rig.node.embedder().workOnce()).isTrue();
    assertThat(rig.near("t", "violin")).isEmpty();
    rig.embed();
    assertThat(rig.near("t", "train")).containsExactly(rows.get(0).seq(), rows.get(2).seq());
    assertThat(rig.near("t", "dog")).containsExactly(rows.get(3).seq());
  }

  @Test
  void aThreadThatIsDeletedWhileItIsEmbeddedLeavesNothing() throws Exception {
    rig.store("t", "The violin.");
    rig.model.mood =
        request -> {
          if (request.texts().contains("The violin.")) {
            rig.memory
                .transactions()
                .write(
                    handle -> {
                      rig.memory.threads().delete(handle, rig.caller, "t");
                      return true;
                    });
            long unused = RemovedThreads.remove(rig.jdbi);
          }
          return vectors -> vectors;
        };
    boolean unused = rig.node.embedder().workOnce();
    assertThat(rig.count("message_vectors")).isZero();
    assertThat(rig.count("embedding_threads")).isZero();
  }

  @Test
  void anotherModelEmbedsEverythingAnew() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.");
    rig.embed();
    FakeEmbeddings other = new FakeEmbeddings();
    other.mood =
        request ->
            vectors -> vectors.stream().map(vector -> new float[] {1, vector[0], 0.5f}).toList();
    EmbeddingModule next = rig.node(other, "fake/other");
    rig.jdbi.useHandle(handle -> handle.execute("DELETE FROM leases"));
    assertThat(
            next.vectors().compare(rig.caller.projectId(), null, rig.searched("t"), new float[3]))
        .isNull();
    EmbedderRig.embed(next);
    assertThat(other.texts).contains("The violin.", "My dog.");
    assertThat(rig.vectors(rows)).isEqualTo(2);
    assertThat(rig.near("t", "violin")).as("of the model before").isEmpty();
  }

  /** As another model; what a query is told to be changes no vector. */
  @Test
  void whatTheModelIsToldOfMessagesEmbedsThemAnew() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.");
    rig.embed();
    List<@Nullable String> types = new ArrayList<>();
    FakeEmbeddings told = new FakeEmbeddings();
    told.mood =
        request -> {
          types.add(request.inputType());
          return vectors -> vectors;
        };
    for (EmbeddedInput input :
        List.of(
            new EmbeddedInput("passage: ", null),
            new EmbeddedInput("passage: ", "document"),
            new EmbeddedInput("", "document"))) {
      EmbeddingModule next = rig.node(told, FakeEmbeddings.MODEL, input);
      rig.jdbi.useHandle(handle -> handle.execute("DELETE FROM leases"));
      assertThat(
              next.vectors().compare(rig.caller.projectId(), null, rig.searched("t"), new float[4]))
          .isNull();
      EmbedderRig.embed(next);
      assertThat(rig.near("t", "violin")).as("of the input before").isEmpty();
    }
    assertThat(rig.vectors(rows)).isEqualTo(2);
    assertThat(told.texts).contains("The violin.", "passage: The violin.", "passage: My dog.");
    assertThat(types).contains(null, "document");
    rig.jdbi.useHandle(handle -> handle.execute("DELETE FROM leases"));
    rig.embed();
    assertThat(rig.near("t", "violin")).containsExactly(rows.get(0).seq());
  }

  /**
   * One text a second, one call after the other, and what nobody waits for any more is done too.
   */
  @Test
  void aSlowModelGetsSmallerBatchesAndGetsOn() throws Exception {
    String[] texts = new String[200];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "The train of number " + i;
    }
    List<MessageRow> rows = rig.store("t", texts);
    AtomicInteger largest = new AtomicInteger();
    AtomicInteger abandoned = new AtomicInteger();
    rig.model.mood =
        request -> {
          boolean alone = request.texts().size() == 1;
          Duration time = Duration.ofSeconds(request.texts().size());
          boolean late =
              alone
                  ? abandoned.getAndUpdate(left -> Math.max(0, left - 1)) > 0
                  : time.compareTo(request.timeLimit()) > 0;
          rig.advanceClock(late ? request.timeLimit() : time);
          if (late) {
            abandoned.addAndGet(alone ? 0 : 1);
            throw new EmbeddingFailureException(Reason.TIMEOUT, "too late");
          }
          largest.accumulateAndGet(request.texts().size(), Math::max);
          return vectors -> vectors;
        };
    for (int i = 0; i < 100 && rig.vectors(rows) < rows.size(); i++) {
      try {
        boolean unused = rig.node.embedder().workOnce();
      } catch (EmbeddingFailureException e) {
        assertThat(e.reason()).isEqualTo(Reason.TIMEOUT);
      }
    }
    assertThat(rig.vectors(rows)).isEqualTo(200);
    assertThat(largest.get()).isBetween(2, 30);
  }

  @Test
  void ofTwoNodesOneWorks() throws Exception {
    FakeEmbeddings second = new FakeEmbeddings();
    EmbeddingModule other = rig.node(second, FakeEmbeddings.MODEL);
    rig.store("t", "The violin.");
    assertThat(rig.node.embedder().workOnce()).isTrue();
    rig.store("t", "My dog.");
    assertThat(other.embedder().workOnce()).isFalse();
    assertThat(second.texts).isEmpty();
    rig.embed();
    assertThat(rig.model.texts).containsOnlyOnce("The violin.", "My dog.");
  }

  /** The node that has the lease stands still in a call, and wakes when all is done. */
  @Test
  void whatANodeLeavesWhenItDiesIsDoneByAnother() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch awake = new CountDownLatch(1);
    rig.model.mood =
        request -> {
          if (request.texts().contains("My dog.")) {
            asked.countDown();
            awake.await();
          }
          return vectors -> vectors;
        };
    Thread frozen =
        new Thread(
            () -> {
              try {
                boolean unused = rig.node.embedder().workOnce();
              } catch (EmbeddingFailureException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    frozen.start();
    asked.await();
    EmbeddingModule other = rig.node(new FakeEmbeddings(), FakeEmbeddings.MODEL);
    assertThat(other.embedder().workOnce()).isFalse();
    rig.jdbi.useHandle(handle -> handle.execute("UPDATE leases SET expires_at = '2001-01-01'"));
    EmbedderRig.embed(other);
    assertThat(rig.vectors(rows)).isEqualTo(2);

    rows.addAll(rig.store("t", "My train."));
    EmbedderRig.embed(other);
    rig.patch("t", rows.get(0), "My railway.");
    awake.countDown();
    frozen.join();
    assertThat(rig.near("t", "violin")).isEmpty();
    EmbedderRig.embed(other);
    assertThat(rig.near("t", "train")).containsExactly(rows.get(0).seq(), rows.get(2).seq());
  }

  /** One search holds half of the cache. */
  @Tag("heavy")
  @Test
  void aSearchHoldsTheNewestOfMoreThanItMay() throws Exception {
    rig.model.mood =
        request ->
            vectors -> {
              List<float[]> large = new ArrayList<>();
              for (int i = 0; i < vectors.size(); i++) {
                float[] vector = new float[8_000];
                vector[0] = 1;
                large.add(vector);
              }
              return large;
            };
    String[] texts = new String[600];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "number " + i;
    }
    List<MessageRow> rows = rig.store("t", texts);
    rig.embed();
    float[] query = new float[8_000];
    query[0] = 1;
    MessageVectors.Comparison comparison =
        rig.node.vectors().compare(rig.caller.projectId(), null, rig.searched("t"), query);
    assertThat(comparison).isNotNull();
    assertThat(comparison.missingBytes()).isLessThanOrEqualTo(EmbedderRig.CACHE / 2);
    ThreadVectors loaded = comparison.load().values().iterator().next();
    assertThat(loaded.weight()).isLessThanOrEqualTo(EmbedderRig.CACHE / 2);
    ThreadVectors.Cursor cursor = loaded.cursor(comparison.query());
    assertThat(cursor.cosine(rows.get(0).seq())).isNaN();
    assertThat(cursor.cosine(rows.get(599).seq())).isEqualTo(1.0);
  }
}
