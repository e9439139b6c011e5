package io.memorygateway.figures;

import com.google.common.base.CaseFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Definition of a figure of a call. The request log and its totals, the access log, metrics, spans,
 * and the JSON and CSV of reports have the figures in this order, under names that are made here.
 */
public enum Figure {
  /** All tokens of the input, cached or not. */
  INPUT_TOKENS("input_tokens", "gen_ai.usage.input_tokens"),
  /** All tokens of the output, reasoning included. */
  OUTPUT_TOKENS("output_tokens", "gen_ai.usage.output_tokens"),
  /** Tokens of the input that were read from a cache. */
  CACHED_INPUT_TOKENS("cached_tokens", "gen_ai.usage.cache_read.input_tokens"),
  /** From the call, or the attempt that another one followed, to its end. */
  DURATION_MS("duration_ms", null),
  /** From the request to the upstream to the last byte of its answer. */
  UPSTREAM_MS("upstream_ms", null),
  /** From the request to the upstream to the head of its answer. */
  FIRST_BYTE_MS("first_byte_ms", "memory_gateway.first_byte_ms");

  /** Figures that count tokens. */
  public static final List<Figure> TOKENS =
      Arrays.stream(values()).filter(figure -> !figure.isTime()).toList();

  private final String column;
  private final @Nullable String attribute;

  Figure(String column, @Nullable String attribute) {
    this.column = column;
    this.attribute = attribute;
  }

  /** Column of the request log, and of the totals that have its sum. */
  public String column() {
    return column;
  }

  /** Columns of all figures, each after a prefix, with commas between. */
  public static String columns(String prefix) {
    return Arrays.stream(values())
        .map(figure -> prefix + figure.column)
        .collect(Collectors.joining(", "));
  }

  /** Attribute of spans; null: they do not have it. */
  public @Nullable String attribute() {
    return attribute;
  }

  /** Name in the access log and on the command line. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Name in the admin API. */
  public String jsonName() {
    return CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name());
  }

  /** Whether it is a time, which is measured in nanoseconds and stored in milliseconds. */
  public boolean isTime() {
    return name().endsWith("_MS");
  }
}
