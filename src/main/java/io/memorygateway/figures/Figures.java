package io.memorygateway.figures;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The known figures of a call. Times are in nanoseconds. Tokens are as the upstream counted them
 * or, where it did not, as the gateway did ({@link Counted}), with the same meaning in all formats,
 * though these differ: OpenAI's input includes the cached tokens, Anthropic's excludes both those
 * read from the cache and those written to it. Here they are always included.
 */
public record Figures(Map<Figure, Long> known) {
  public static final long UNKNOWN = -1;

  /** Nothing is known. */
  public static final Figures NONE = new Figures(Map.of());

  /** These figures with another one; a negative value is an unknown one, which changes nothing. */
  public Figures with(Figure figure, long value) {
    if (value < 0) {
      return this;
    }
    Map<Figure, Long> all = new EnumMap<>(Figure.class);
    all.putAll(known);
    all.put(figure, value);
    return new Figures(all);
  }

  /** The value; {@link #UNKNOWN} if it is not known. */
  public long get(Figure figure) {
    return known.getOrDefault(figure, UNKNOWN);
  }

  /** The value as it is stored, times in milliseconds; null if it is not known. */
  public @Nullable Long stored(Figure figure) {
    Long value = known.get(figure);
    if (value == null || !figure.isTime()) {
      return value;
    }
    return TimeUnit.NANOSECONDS.toMillis(value);
  }
}
