package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §11: a text on which the model fails does not stop the embedding of others. */
class TextEmbedderTest {
  private final FakeEmbeddings model = new FakeEmbeddings();
  private final TextEmbedder embedder =
      new TextEmbedder(model, FakeEmbeddings.MODEL, new EmbeddingMetrics(new PrometheusRegistry()));

  @ParameterizedTest
  @EnumSource
  void othersAreEmbeddedWhateverTheModelSaysToOneText(Reason reason) throws Exception {
    failOn(reason, text -> text.contains("poison"));
    List<byte[]> vectors =
        embedder.embed(List.of("a violin", "a poisoned dog", "a train", "a puppy"), 4);
    assertThat(vectors).hasSize(4);
    boolean forGood = reason == Reason.REFUSED || reason == Reason.INVALID;
    assertThat(vectors.get(1)).isSameAs(forGood ? null : TextEmbedder.FAILED);
    assertThat(vectors.get(0)).hasSize(4);
    assertThat(vectors.get(2)).hasSize(4);
    assertThat(vectors.get(3)).hasSize(4);
  }

  @ParameterizedTest
  @EnumSource
  void aTextIsShortenedWhateverTheModelSaysToIt(Reason reason) throws Exception {
    failOn(reason, text -> text.length() > 1_000);
    assertThat(embedder.embed(List.of("violin ".repeat(500)), 4).get(0)).hasSize(4);
  }

  /** Nothing is given up, and one probe a batch is all that is asked of the model. */
  @ParameterizedTest
  @EnumSource(names = {"UNAVAILABLE", "TIMEOUT"})
  void anOutageIsNotTheFaultOfTexts(Reason reason) {
    failOn(reason, text -> true);
    List<String> texts = IntStream.range(0, 64).mapToObj(i -> "text " + i).toList();
    assertThatThrownBy(() -> embedder.embed(texts, 4))
        .isInstanceOfSatisfying(
            EmbeddingFailureException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    assertThat(model.texts).hasSize(65);
  }

  /** Each may take the full time limit. */
  @Test
  void afterSomeThatFailTheRestWaits() throws Exception {
    failOn(Reason.TIMEOUT, text -> text.contains("poison"));
    List<String> texts = new ArrayList<>(List.of("a violin"));
    IntStream.range(0, 63).forEach(i -> texts.add("poison " + i));
    List<byte[]> vectors = embedder.embed(texts, 4);
    assertThat(vectors.get(0)).hasSize(4);
    assertThat(vectors.stream().filter(vector -> vector == TextEmbedder.FAILED)).hasSize(4);
    assertThat(vectors.stream().filter(vector -> vector == TextEmbedder.UNTRIED)).hasSize(59);
  }

  private void failOn(Reason reason, Predicate<String> poison) {
    model.mood =
        request -> {
          if (request.texts().stream().anyMatch(poison)) {
            throw new EmbeddingFailureException(reason, "as the test wants it");
          }
          return vectors -> vectors;
        };
  }
}
