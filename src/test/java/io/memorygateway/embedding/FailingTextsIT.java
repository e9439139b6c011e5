package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §11: a text on which the model fails is given up in the end; nothing else is. */
class FailingTextsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final EmbedderRig rig = new EmbedderRig(DATABASE);

  @Test
  void aTextThatTheModelDoesNotTakeHoldsNothingUp() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "A poisoned dog.", "My train.");
    rows.addAll(rig.store("u", "The fiddle."));
    rig.model.mood =
        request -> {
          if (request.texts().stream().anyMatch(text -> text.contains("poison"))) {
            throw new EmbeddingFailureException(Reason.REFUSED, "no");
          }
          return vectors -> vectors;
        };
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(3);
    int calls = rig.model.texts.size();
    rows.addAll(rig.store("t", "My railway."));
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(4);
    assertThat(rig.model.texts.subList(calls, rig.model.texts.size()))
        .containsExactly("My railway.");
  }

  /** As a server that ends with 500 on a text that is too long for it. */
  @Test
  void aTextOnWhichTheModelFailsHoldsNothingUp() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "A poisoned dog.", "My train.");
    rows.addAll(rig.store("u", "The fiddle."));
    rig.model.mood =
        request -> {
          if (request.texts().stream().anyMatch(text -> text.contains("poison"))) {
            throw new EmbeddingFailureException(Reason.ERROR, "500");
          }
          return vectors -> vectors;
        };
    rig.embed();
    assertThat(rig.vectors(rows)).as("all but the one").isEqualTo(3);
    int calls = rig.model.texts.size();
    rows.addAll(rig.store("u", "My railway."));
    rig.embed();
    assertThat(rig.model.texts.subList(calls, rig.model.texts.size()))
        .as("the other thread waits")
        .containsExactly("My railway.");

    rig.model.mood = request -> vectors -> vectors;
    rig.advanceClock(Duration.ofMinutes(10));
    rig.embed();
    assertThat(rig.vectors(rows)).as("it was not given up").isEqualTo(5);
  }

  @Test
  void aTextOnWhichTheModelFailsAgainAndAgainIsGivenUp() throws Exception {
    List<MessageRow> rows = rig.store("t", "A poisoned dog.");
    rig.model.mood =
        request -> {
          if (request.texts().stream().anyMatch(text -> text.contains("poison"))) {
            throw new EmbeddingFailureException(Reason.TIMEOUT, "too late");
          }
          return vectors -> vectors;
        };
    for (int i = 0; i < 6; i++) {
      rig.embed();
      rig.advanceClock(Duration.ofHours(1));
    }
    long tried = rig.model.texts.stream().filter(text -> text.contains("poison")).count();
    assertThat(tried).isEqualTo(6);
    rows.addAll(rig.store("t", "My train."));
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(1);
    assertThat(rig.model.texts.stream().filter(text -> text.contains("poison"))).hasSize(6);
  }

  /**
   * As 429 on batches by a limit of tokens, while one word is answered; for longer than attempts.
   */
  @Test
  void nothingIsGivenUpWhileTheProviderIsBusy() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "My dog.");
    rig.model.mood = failingBut(Reason.UNAVAILABLE, "test");
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(rig.node.embedder()::workOnce)
          .isInstanceOf(EmbeddingFailureException.class);
      rig.advanceClock(Duration.ofMinutes(1));
    }
    rig.model.mood = request -> vectors -> vectors;
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(2);
  }

  /** Time is up before its batch is divided: then its texts are asked for one by one. */
  @Test
  void aTextForWhichTheModelTakesAllTheTimeHoldsNothingUp() throws Exception {
    List<MessageRow> rows = rig.store("t", "The violin.", "A poisoned dog.", "My train.");
    rows.addAll(rig.store("u", "The fiddle."));
    rig.model.mood =
        request -> {
          if (request.texts().stream().anyMatch(text -> text.contains("poison"))) {
            rig.advanceClock(request.timeLimit());
            throw new EmbeddingFailureException(Reason.TIMEOUT, "too late");
          }
          return vectors -> vectors;
        };
    rig.embed();
    assertThat(rig.vectors(rows)).as("all but the one").isEqualTo(3);
    for (int i = 1; i < 6; i++) {
      rig.advanceClock(Duration.ofHours(1));
      rig.embed();
    }
    rig.advanceClock(Duration.ofHours(1));
    rows.addAll(rig.store("t", "My railway."));
    rig.embed();
    assertThat(rig.vectors(rows)).isEqualTo(4);
    assertThat(rig.model.texts.stream().filter(text -> text.contains("poison")))
        .as("once with the others, and at six attempts")
        .hasSize(7);
  }

  /** What was only left to a later round neither failed nor succeeded. */
  @Test
  void attemptsAreCountedAcrossTimesInWhichTheProviderIsBusy() throws Exception {
    List<MessageRow> rows = rig.store("t", "A poisoned dog.");
    for (int i = 0; i < 6; i++) {
      rig.model.mood = failingBut(Reason.UNAVAILABLE, "test");
      assertThatThrownBy(rig.node.embedder()::workOnce)
          .isInstanceOf(EmbeddingFailureException.class);
      rig.model.mood = failingBut(Reason.ERROR, "test");
      rig.embed();
      assertThat(rig.vectors(rows)).isZero();
      rig.advanceClock(Duration.ofHours(1));
    }
    rig.model.mood = request -> vectors -> vectors;
    rig.embed();
    assertThat(rig.vectors(rows)).as("it was given up").isZero();
  }

  private static FakeEmbeddings.Mood failingBut(Reason reason, String text) {
    return request -> {
      if (!request.texts().contains(text)) {
        throw new EmbeddingFailureException(reason, "as the test wants it");
      }
      return vectors -> vectors;
    };
  }
}
