package io.memorygateway.format.translation;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;

/** Usage of answers for tests. */
public final class TestUsage {
  private TestUsage() {}

  /** Tokens as a target told them; negative ones are unknown. */
  public static Usage of(long input, long cached, long written, long output, long reasoning) {
    return new Usage(
        Figures.NONE
            .with(Figure.INPUT_TOKENS, input)
            .with(Figure.CACHED_INPUT_TOKENS, cached)
            .with(Figure.CACHE_WRITE, written)
            .with(Figure.OUTPUT_TOKENS, output)
            .with(Figure.REASONING, reasoning));
  }
}
