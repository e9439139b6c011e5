package io.memorygateway.format.translation;

import io.memorygateway.figures.Figures;
import java.util.function.LongSupplier;

/** A count that is made once, by whoever asks first; others wait for it. Thread-safe. */
final class InputCount implements LongSupplier {
  private final LongSupplier source;
  private long counted = Figures.UNKNOWN;

  InputCount(LongSupplier source) {
    this.source = source;
  }

  @Override
  public synchronized long getAsLong() {
    if (counted < 0) {
      counted = source.getAsLong();
    }
    return counted;
  }
}
