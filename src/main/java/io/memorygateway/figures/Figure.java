package io.memorygateway.figures;

import static java.util.Objects.requireNonNull;

import com.google.common.base.CaseFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Definition of a figure of a call. The request log and its totals, the access log, metrics, spans,
 * and the JSON and CSV of reports have those that are {@link #LOGGED}, in this order, under names
 * that are made here.
 */
public enum Figure {
  /** All tokens of the input, cached or not. */
  INPUT_TOKENS("input_tokens", "gen_ai.usage.input_tokens"),
  /** All tokens of the output, reasoning included. */
  OUTPUT_TOKENS("output_tokens", "gen_ai.usage.output_tokens"),
  /** Tokens of the input that were read from a cache. */
  CACHED_INPUT_TOKENS("cached_tokens", "gen_ai.usage.cache_read.input_tokens"),
  /** In pico-dollars. */
  COST("cost", "memory_gateway.cost_dollars"),
  /** From the call, or the attempt that another one followed, to its end. */
  DURATION_MS("duration_ms", null),
  /** From the request to the upstream to the last byte of its answer. */
  UPSTREAM_MS("upstream_ms", null),
  /** From the request to the upstream to the head of its answer. */
  FIRST_BYTE_MS("first_byte_ms", "memory_gateway.first_byte_ms"),
  /** Tokens of the input that were written to a cache. */
  CACHE_WRITE(null, null),
  /** Those of them that are kept for an hour. */
  CACHE_WRITE_1H(null, null),
  AUDIO_INPUT(null, null),
  /** Tokens of the output that are thoughts. */
  REASONING(null, null),
  AUDIO_OUTPUT(null, null);

  /** Figures that are logged and reported; the others only have a price of their own. */
  public static final List<Figure> LOGGED = only(figure -> figure.column != null);

  /** Those that count tokens. */
  public static final List<Figure> TOKENS = only(figure -> figure.name().endsWith("_TOKENS"));

  private final @Nullable String column;
  private final @Nullable String attribute;

  Figure(@Nullable String column, @Nullable String attribute) {
    this.column = column;
    this.attribute = attribute;
  }

  private static List<Figure> only(Predicate<Figure> wanted) {
    return Arrays.stream(values()).filter(wanted).toList();
  }

  /** Column of the request log, and of the totals that have its sum. */
  public String column() {
    return requireNonNull(column);
  }

  /** Columns of all that are logged, each after a prefix, with commas between. */
  public static String columns(String prefix) {
    return LOGGED.stream()
        .map(figure -> prefix + figure.column())
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
