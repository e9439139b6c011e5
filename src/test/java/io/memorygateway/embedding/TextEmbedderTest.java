package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.embedding.EmbeddingClient.Request;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.testing.ManualClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §11: a text on which the model fails does not stop the embedding of others. */
class TextEmbedderTest {
  private final FakeEmbeddings model = new FakeEmbeddings();
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final TextEmbedder embedder =
      new TextEmbedder(
          model,
          FakeEmbeddings.MODEL,
          EmbeddedInput.PLAIN,
          clock,
          new EmbeddingMetrics(new PrometheusRegistry()));

  @ParameterizedTest
  @EnumSource(names = "UNAVAILABLE", mode = EnumSource.Mode.EXCLUDE)
  void othersAreEmbeddedWhateverTheModelSaysToOneText(Reason reason) throws Exception {
    failOn(reason, text -> text.contains("poison"));
    List<byte[]> vectors = embed(List.of("a violin", "a poisoned dog", "a train", "a puppy"));
    assertThat(vectors).hasSize(4);
    boolean forGood = reason == Reason.REFUSED || reason == Reason.INVALID;
    assertThat(vectors.get(1)).isSameAs(forGood ? null : TextEmbedder.FAILED);
    assertThat(vectors.get(0)).hasSize(4);
    assertThat(vectors.get(2)).hasSize(4);
    assertThat(vectors.get(3)).hasSize(4);
  }

  @ParameterizedTest
  @EnumSource(names = "UNAVAILABLE", mode = EnumSource.Mode.EXCLUDE)
  void aTextIsShortenedWhateverTheModelSaysToIt(Reason reason) throws Exception {
    failOn(reason, text -> text.length() > 1_000);
    assertThat(embed(List.of("violin ".repeat(500))).get(0)).hasSize(4);
  }

  /** Nothing is given up, and one probe a batch is all that is asked of the model. */
  @ParameterizedTest
  @EnumSource(names = {"ERROR", "TIMEOUT"})
  void anOutageIsNotTheFaultOfTexts(Reason reason) {
    failOn(reason, text -> true);
    assertFails(reason);
    assertThat(model.texts).hasSize(65);
  }

  /** As 429 on batches by a limit of tokens: the model would answer to a probe. */
  @Test
  void aBusyProviderIsNeitherProbedNorAskedForParts() {
    failOn(Reason.UNAVAILABLE, text -> text.startsWith("text"));
    assertFails(Reason.UNAVAILABLE);
    assertThat(model.texts).hasSize(64);
  }

  @Test
  void whatWasEmbeddedBeforeTheProviderIsBusyIsKept() throws Exception {
    model.mood =
        request -> {
          if (request.texts().size() > 1) {
            throw new EmbeddingFailureException(Reason.ERROR, "500");
          }
          if (request.texts().contains("a dog")) {
            throw new EmbeddingFailureException(Reason.UNAVAILABLE, "429");
          }
          return vectors -> vectors;
        };
    List<byte[]> vectors = embed(List.of("a violin", "a dog", "a train"));
    assertThat(vectors.get(0)).hasSize(4);
    assertThat(vectors.subList(1, 3)).allMatch(vector -> vector == TextEmbedder.UNTRIED);
  }

  /** No call begins later than 12 s after the first, so that all end within the lease. */
  @Test
  void aBatchIsNotDividedWhenTimeIsUp() throws Exception {
    failOn(Reason.TIMEOUT, text -> text.contains("poison"), Request::timeLimit);
    List<byte[]> vectors = embed(List.of("a violin", "a poisoned dog"));
    assertThat(vectors).hasSize(2).allMatch(vector -> vector == TextEmbedder.SUSPECT);
    assertThat(model.texts).containsExactly("a violin", "a poisoned dog", "test");
  }

  @Test
  void whatIsLeftWhenTimeIsUpIsNotTried() throws Exception {
    model.mood =
        request -> {
          if (request.texts().size() > 1) {
            throw new EmbeddingFailureException(Reason.REFUSED, "no");
          }
          clock.advance(Duration.ofSeconds(7));
          return vectors -> vectors;
        };
    List<byte[]> vectors = embed(List.of("a violin", "a dog", "a train", "a puppy"));
    assertThat(vectors.subList(0, 2)).allMatch(vector -> vector.length == 4);
    assertThat(vectors.subList(2, 4)).allMatch(vector -> vector == TextEmbedder.UNTRIED);
    int asked = model.texts.size();
    Instant over = clock.instant();
    assertThat(embedder.embed(List.of("a violin"), 4, over)).containsExactly(TextEmbedder.UNTRIED);
    assertThat(model.texts).hasSize(asked);
  }

  /** One that is alone has failed in any case, so that it is given up in the end. */
  @ParameterizedTest
  @EnumSource(names = {"REFUSED", "TIMEOUT"})
  void ofOneThatFailsNoPartIsTriedWhenTimeIsUp(Reason reason) throws Exception {
    failOn(reason, text -> text.contains("poison"), Request::timeLimit);
    assertThat(embed(List.of("poison ".repeat(2_000)))).containsExactly(TextEmbedder.FAILED);
    assertThat(model.texts.stream().filter(text -> text.contains("poison"))).hasSize(2);
  }

  /** Each may take the full time limit. */
  @Test
  void afterSomeThatFailTheRestWaits() throws Exception {
    failOn(Reason.TIMEOUT, text -> text.contains("poison"));
    List<String> texts = new ArrayList<>(List.of("a violin"));
    IntStream.range(0, 63).forEach(i -> texts.add("poison " + i));
    List<byte[]> vectors = embed(texts);
    assertThat(vectors.get(0)).hasSize(4);
    assertThat(vectors.stream().filter(vector -> vector == TextEmbedder.FAILED)).hasSize(4);
    assertThat(vectors.stream().filter(vector -> vector == TextEmbedder.UNTRIED)).hasSize(59);
  }

  private List<byte[]> embed(List<String> texts) throws Exception {
    return embedder.embed(texts, 4, embedder.newBudget());
  }

  private void assertFails(Reason reason) {
    List<String> texts = IntStream.range(0, 64).mapToObj(i -> "text " + i).toList();
    assertThatThrownBy(() -> embed(texts))
        .isInstanceOfSatisfying(
            EmbeddingFailureException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private void failOn(Reason reason, Predicate<String> poison) {
    failOn(reason, poison, request -> Duration.ZERO);
  }

  private void failOn(Reason reason, Predicate<String> poison, Function<Request, Duration> time) {
    model.mood =
        request -> {
          if (request.texts().stream().anyMatch(poison)) {
            clock.advance(time.apply(request));
            throw new EmbeddingFailureException(reason, "as the test wants it");
          }
          return vectors -> vectors;
        };
  }
}
