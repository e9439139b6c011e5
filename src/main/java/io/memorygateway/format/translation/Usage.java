package io.memorygateway.format.translation;

import io.memorygateway.figures.Figures;

/**
 * Tokens of an answer, {@link Figures#UNKNOWN} where they are not known.
 *
 * @param input all of the input, that from and for caches included
 * @param cached of the input, read from a cache
 * @param written of the input, written to a cache
 * @param output all of the output, reasoning included
 * @param reasoning of the output
 */
public record Usage(long input, long cached, long written, long output, long reasoning) {
  public static final Usage NONE =
      new Usage(
          Figures.UNKNOWN, Figures.UNKNOWN, Figures.UNKNOWN, Figures.UNKNOWN, Figures.UNKNOWN);

  /** Whether the provider has said what the answer cost. */
  public boolean isKnown() {
    return input >= 0 && output >= 0;
  }

  /** These tokens, with those of a later report where it says more. */
  public Usage with(Usage later) {
    return new Usage(
        later.input >= 0 ? later.input : input,
        later.cached >= 0 ? later.cached : cached,
        later.written >= 0 ? later.written : written,
        later.output >= 0 ? later.output : output,
        later.reasoning >= 0 ? later.reasoning : reasoning);
  }

  /** The tokens, and where the provider has not said them these ones. */
  public Usage or(long countedInput, long countedOutput) {
    return new Usage(
        input >= 0 ? input : countedInput,
        cached,
        written,
        output >= 0 ? output : countedOutput,
        reasoning);
  }
}
