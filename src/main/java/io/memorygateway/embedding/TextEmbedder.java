package io.memorygateway.embedding;

import io.memorygateway.embedding.EmbeddingClient.Embeddings;
import io.memorygateway.embedding.EmbeddingClient.Request;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Embeds batches of texts. A batch that is refused, or that fails while the model answers to a
 * probe, is divided until the text is found that is the cause. That one is shortened; if the model
 * takes no part of it, it is left out if it was refused, and else is told to have failed.
 */
final class TextEmbedder {
  /** Stands for the vector of a text on which the model fails while it answers to others. */
  static final byte[] FAILED = {};

  /** Stands for the vector of a text that was not tried, because others of its batch failed. */
  static final byte[] UNTRIED = {};

  /** Texts of a batch that may fail before the rest waits: each may take the full time limit. */
  private static final int MAX_FAILED = 4;

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
   * @throws EmbeddingFailureException if the model does not answer to the probe either
   */
  List<byte @Nullable []> embed(List<String> texts, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    List<byte @Nullable []> vectors = new ArrayList<>();
    embed(texts, dimensions, vectors);
    return vectors;
  }

  private void embed(List<String> texts, int dimensions, List<byte @Nullable []> vectors)
      throws EmbeddingFailureException, InterruptedException {
    if (vectors.stream().filter(vector -> vector == FAILED).count() >= MAX_FAILED) {
      vectors.addAll(Collections.nCopies(texts.size(), UNTRIED));
      return;
    }
    try {
      for (float[] vector : vectors(texts, dimensions)) {
        vectors.add(QuantisedVector.of(vector));
      }
    } catch (EmbeddingFailureException e) {
      throwUnlessOfText(e, dimensions);
      int half = texts.size() / 2;
      if (half == 0) {
        vectors.add(cut(texts.get(0), dimensions, e));
      } else {
        embed(texts.subList(0, half), dimensions, vectors);
        embed(texts.subList(half, texts.size()), dimensions, vectors);
      }
    }
  }

  /** Throws a failure again, unless single texts may be its cause: then others are worth trying. */
  private void throwUnlessOfText(EmbeddingFailureException failure, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    if (!failure.reason().isOfText()) {
      probe(failure, dimensions);
    }
  }

  private void probe(EmbeddingFailureException failure, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    try {
      vectors(List.of(PROBE), dimensions);
    } catch (EmbeddingFailureException e) {
      throw failure; // it fails whatever it is asked
    }
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
        throwUnlessOfText(e, dimensions);
      }
    }
    probe(refusal, dimensions);
    if (!refusal.reason().isOfText()) {
      return FAILED;
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
