package io.memorygateway.embedding;

import io.memorygateway.embedding.EmbeddingClient.Embeddings;
import io.memorygateway.embedding.EmbeddingClient.Request;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Embeds batches of texts. A batch that fails as if because of a text, while the model answers to a
 * probe, is divided until the text is found that is the cause. That one is shortened; if the model
 * takes no part of it, it is left out if it was refused, and else is told to have failed.
 */
final class TextEmbedder {
  /** Stands for the vector of a text on which the model fails while it answers to others. */
  static final byte[] FAILED = {};

  /** Stands for the vector of a text that was not tried: others failed, or time was up. */
  static final byte[] UNTRIED = {};

  /** Stands for the vector of one of several texts that failed together when time was up. */
  static final byte[] SUSPECT = {};

  /**
   * Time in which calls may begin; the last of them and its probe end within the minute of the
   * lease.
   */
  private static final Duration BUDGET = Duration.ofSeconds(12);

  /** Texts of a batch that may fail before the rest waits. */
  private static final int MAX_FAILED = 4;

  /** A text that every model accepts. */
  private static final String PROBE = "test";

  private static final Duration TIME_LIMIT = Duration.ofSeconds(30);

  /** Of a call with one text. */
  private static final Duration SINGLE_TIME_LIMIT = Duration.ofSeconds(10);

  /** A text that is refused is tried again with a quarter of it, down to so many characters. */
  private static final int MIN_CUT_CHARACTERS = 500;

  private final EmbeddingClient client;
  private final String model;
  private final EmbeddedInput input;
  private final Clock clock;
  private final EmbeddingMetrics metrics;
  private final BatchSize batch = new BatchSize();

  TextEmbedder(
      EmbeddingClient client,
      String model,
      EmbeddedInput input,
      Clock clock,
      EmbeddingMetrics metrics) {
    this.client = client;
    this.model = model;
    this.input = input;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** How many texts are to be embedded at once. */
  BatchSize batch() {
    return batch;
  }

  /** The number of dimensions of the model's vectors. */
  int dimensions() throws EmbeddingFailureException, InterruptedException {
    return call(List.of(PROBE), TIME_LIMIT).dimensions();
  }

  /** The time after which batches that are embedded together begin no more calls. */
  Instant newBudget() {
    return clock.instant().plus(BUDGET);
  }

  /**
   * Embeds texts.
   *
   * @param dimensions that the vectors must have
   * @param budget see {@link #newBudget}
   * @return in the order of the texts; null for a text that the model refuses
   * @throws EmbeddingFailureException if the first call fails, and not because of a text
   */
  List<byte @Nullable []> embed(List<String> texts, int dimensions, Instant budget)
      throws EmbeddingFailureException, InterruptedException {
    List<byte @Nullable []> vectors = new ArrayList<>();
    try {
      embed(texts, dimensions, budget, vectors);
    } catch (EmbeddingFailureException e) {
      if (vectors.isEmpty()) {
        throw e;
      }
      vectors.addAll(Collections.nCopies(texts.size() - vectors.size(), UNTRIED));
    }
    return vectors;
  }

  private void embed(
      List<String> texts, int dimensions, Instant budget, List<byte @Nullable []> vectors)
      throws EmbeddingFailureException, InterruptedException {
    if (isOver(budget)
        || vectors.stream().filter(vector -> vector == FAILED).count() >= MAX_FAILED) {
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
        vectors.add(cut(texts.get(0), dimensions, budget, e));
      } else if (isOver(budget)) {
        vectors.addAll(Collections.nCopies(texts.size(), SUSPECT));
      } else {
        embed(texts.subList(0, half), dimensions, budget, vectors);
        embed(texts.subList(half, texts.size()), dimensions, budget, vectors);
      }
    }
  }

  private boolean isOver(Instant budget) {
    return !clock.instant().isBefore(budget);
  }

  /** Throws a failure again, unless single texts may be its cause: then others are worth trying. */
  private void throwUnlessOfText(EmbeddingFailureException failure, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    if (failure.reason() == Reason.UNAVAILABLE) {
      throw failure;
    }
    if (!failure.reason().isForGood()) {
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

  private byte @Nullable [] cut(
      String text, int dimensions, Instant budget, EmbeddingFailureException refusal)
      throws EmbeddingFailureException, InterruptedException {
    int length = text.length() / 4;
    for (; length >= MIN_CUT_CHARACTERS && !isOver(budget); length /= 4) {
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
    if (!refusal.reason().isForGood() || length >= MIN_CUT_CHARACTERS) {
      return FAILED;
    }
    metrics.skipped();
    return null;
  }

  private List<float[]> vectors(List<String> texts, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    Embeddings answer = call(texts, texts.size() == 1 ? SINGLE_TIME_LIMIT : TIME_LIMIT);
    if (answer.dimensions() != dimensions) {
      metrics.failed(Reason.INVALID);
      throw new EmbeddingFailureException(
          Reason.INVALID,
          "vectors of %d numbers instead of %d".formatted(answer.dimensions(), dimensions));
    }
    return answer.vectors();
  }

  private Embeddings call(List<String> texts, Duration timeLimit)
      throws EmbeddingFailureException, InterruptedException {
    Instant start = clock.instant();
    try {
      List<String> asked = texts.stream().map(input.prefix()::concat).toList();
      Embeddings answer = client.embed(new Request(model, input.inputType(), asked, timeLimit));
      metrics.used(answer.inputTokens());
      batch.answered(texts.size(), Duration.between(start, clock.instant()));
      return answer;
    } catch (EmbeddingFailureException e) {
      if (e.reason() == Reason.TIMEOUT) {
        batch.late(texts.size());
      }
      metrics.failed(e.reason());
      throw e;
    }
  }
}
