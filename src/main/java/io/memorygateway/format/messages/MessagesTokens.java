package io.memorygateway.format.messages;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** Tokens as Anthropic reports them: in a stream again and again, as far as they have changed. */
final class MessagesTokens {
  private static final int MAX_DIGITS = 15;

  private long input = Figures.UNKNOWN;
  private long cached = Figures.UNKNOWN;
  private long written = Figures.UNKNOWN;
  private long output = Figures.UNKNOWN;
  private long reasoning = Figures.UNKNOWN;

  /** Takes a report; null if there is none. */
  void read(@Nullable JsonValue usage) {
    if (usage != null && usage.isObject()) {
      input = count(usage.get("input_tokens"), input);
      cached = count(usage.get("cache_read_input_tokens"), cached);
      written = count(usage.get("cache_creation_input_tokens"), written);
      output = count(usage.get("output_tokens"), output);
      JsonValue details = usage.get("output_tokens_details");
      reasoning = details == null ? reasoning : count(details.get("thinking_tokens"), reasoning);
    }
  }

  private static long count(@Nullable JsonValue reported, long before) {
    String digits = reported != null && reported.is(JsonValue.Kind.NUMBER) ? reported.raw() : "";
    return Characters.areDigits(digits, MAX_DIGITS) ? Long.parseLong(digits) : before;
  }

  /** All that is known so far; on the wire, the input is without what caches hold. */
  Usage usage() {
    long all = input < 0 ? input : input + Math.max(cached, 0) + Math.max(written, 0);
    return new Usage(all, cached, written, output, reasoning);
  }
}
