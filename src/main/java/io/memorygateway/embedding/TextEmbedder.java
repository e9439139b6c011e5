package io.memorygateway.embedding;

import io.memorygateway.embedding.EmbeddingClient.Embeddings;
import io.memorygateway.embedding.EmbeddingClient.Request;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Embeds batches of texts. A batch that is refused is divided until the text is found that the
 * model refuses; that one is shortened, and finally left out if the model accepts other texts.
 */
final class TextEmbedder {
  /** A text that every model accepts. */
  private static final String PROBE = "test";

  private static final Duration TIME_LIMIT = Duration.ofSeconds(30);

  /** A text that is refused is tried again with a quarter of it, down to so many characters. */
  private static final int MIN_CUT_CHARACTERS = 500;

  private final EmbeddingClient client;
  private final String model;
  private final EmbeddingMetrics metrics;

  TextEmbedder(EmbeddingClient client, String model, EmbeddingMetrics metrics) {
    this.client = client;
    this.model = model;
    this.metrics = metrics;
  }

  /** The number of dimensions of the model's vectors. */
  int dimensions() throws EmbeddingFailureException, InterruptedException {
    return call(List.of(PROBE)).dimensions();
  }

  /**
   * Embeds texts.
   *
   * @param dimensions that the vectors must have
   * @return in the order of the texts; null for a text that the model refuses
   */
  List<byte @Nullable []> embed(List<String> texts, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    List<byte @Nullable []> vectors = new ArrayList<>();
    try {
      for (float[] vector : vectors(texts, dimensions)) {
        vectors.add(QuantisedVector.of(vector));
      }
    } catch (EmbeddingFailureException e) {
      if (!e.reason().mayBeOfText()) {
        throw e;
      }
      int half = texts.size() / 2;
      if (half == 0) {
        vectors.add(cut(texts.get(0), dimensions, e));
      } else {
        vectors.addAll(embed(texts.subList(0, half), dimensions));
        vectors.addAll(embed(texts.subList(half, texts.size()), dimensions));
      }
    }
    return vectors;
  }

  private byte @Nullable [] cut(String text, int dimensions, EmbeddingFailureException refusal)
      throws EmbeddingFailureException, InterruptedException {
    for (int length = text.length() / 4; length >= MIN_CUT_CHARACTERS; length /= 4) {
      try {
        String shorter = EmbeddingText.cut(text, length);
        if (!shorter.isEmpty()) {
          return QuantisedVector.of(vectors(List.of(shorter), dimensions).get(0));
        }
      } catch (EmbeddingFailureException e) {
        if (!e.reason().mayBeOfText()) {
          throw e;
        }
      }
    }
    try {
      vectors(List.of(PROBE), dimensions);
    } catch (EmbeddingFailureException e) {
      throw refusal; // the model refuses any text
    }
    metrics.skipped();
    return null;
  }

  private List<float[]> vectors(List<String> texts, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    Embeddings answer = call(texts);
    if (answer.dimensions() != dimensions) {
      metrics.failed(Reason.INVALID);
      throw new EmbeddingFailureException(
          Reason.INVALID,
          "vectors of %d numbers instead of %d".formatted(answer.dimensions(), dimensions));
    }
    return answer.vectors();
  }

  private Embeddings call(List<String> texts)
      throws EmbeddingFailureException, InterruptedException {
    try {
      Embeddings answer = client.embed(new Request(model, texts, TIME_LIMIT));
      metrics.used(answer.inputTokens());
      return answer;
    } catch (EmbeddingFailureException e) {
      metrics.failed(e.reason());
      throw e;
    }
  }
}
