package io.memorygateway.format.translation;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;

/**
 * Tokens of an answer, {@link Figures#UNKNOWN} where they are not known.
 *
 * @param told by the target
 */
public record Usage(Figures told) {
  public static final Usage NONE = new Usage(Figures.NONE);

  public Usage {
    told = told.counted();
  }

  /** Whether the provider has said what the answer cost. */
  public boolean isKnown() {
    return input() >= 0 && output() >= 0;
  }

  /** Whether the provider has said nothing of it. */
  boolean isEmpty() {
    return input() < 0 && output() < 0;
  }

  /** All of the input, that from and for caches included. */
  public long input() {
    return told.get(Figure.INPUT_TOKENS);
  }

  /** Of the input, read from a cache. */
  public long cached() {
    return told.get(Figure.CACHED_INPUT_TOKENS);
  }

  /** Of the input, written to a cache. */
  public long written() {
    return told.get(Figure.CACHE_WRITE);
  }

  /** All of the output, reasoning included. */
  public long output() {
    return told.get(Figure.OUTPUT_TOKENS);
  }

  /** Of the output. */
  public long reasoning() {
    return told.get(Figure.REASONING);
  }

  /** The tokens, and where the provider has not said them these ones. */
  public Usage or(long countedInput, long countedOutput) {
    return new Usage(
        Figures.NONE
            .with(Figure.INPUT_TOKENS, countedInput)
            .with(Figure.OUTPUT_TOKENS, countedOutput)
            .with(told));
  }
}
