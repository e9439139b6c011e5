package io.memorygateway.figures;

import org.jspecify.annotations.Nullable;

/** Figures of calls for tests. */
public final class TestFigures {
  private TestFigures() {}

  /** Tokens as an upstream reported them; those that are null or negative are unknown. */
  public static Figures tokens(
      @Nullable Long input, @Nullable Long output, @Nullable Long cachedInput) {
    return Figures.NONE
        .with(Figure.INPUT_TOKENS, orUnknown(input))
        .with(Figure.OUTPUT_TOKENS, orUnknown(output))
        .with(Figure.CACHED_INPUT_TOKENS, orUnknown(cachedInput));
  }

  /** Tokens as an upstream reported them; negative ones are unknown. */
  public static Figures tokens(int input, int output, int cachedInput) {
    return tokens((long) input, (long) output, (long) cachedInput);
  }

  /** A call of 5 ms with one attempt, without an error. */
  public static CallFigures answered(String provider, String model, int status, Figures tokens) {
    return new CallFigures(
        provider,
        model,
        status,
        false,
        tokens.with(Figure.DURATION_MS, 5_000_000),
        null,
        null,
        new CallFigures.Attempt(1, true, status, 5));
  }

  private static long orUnknown(@Nullable Long value) {
    return value == null ? Figures.UNKNOWN : value;
  }
}
