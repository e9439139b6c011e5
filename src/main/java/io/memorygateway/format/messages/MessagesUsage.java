package io.memorygateway.format.messages;

import com.fasterxml.jackson.core.JsonParser;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.UsageFormat;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code usage} as Anthropic writes it. A stream has it again and again, with the members
 * that changed: these replace the earlier values, they are not added to them.
 */
final class MessagesUsage implements UsageFormat {
  private static final UsageMembers MEMBERS =
      new UsageMembers(
          Map.of(
              "input_tokens", Figure.INPUT_TOKENS,
              "output_tokens", Figure.OUTPUT_TOKENS,
              "cache_read_input_tokens", Figure.CACHED_INPUT_TOKENS,
              "cache_creation_input_tokens", Figure.CACHE_WRITE,
              "cache_creation/ephemeral_1h_input_tokens", Figure.CACHE_WRITE_1H,
              "output_tokens_details/thinking_tokens", Figure.REASONING),
          "");

  private Figures told = Figures.NONE;

  /**
   * Reads the object at the current token.
   *
   * @return all that is known so far
   */
  @Override
  public Figures read(JsonParser parser) throws IOException {
    told = told.with(MEMBERS.read(parser));
    return usage();
  }

  /** Takes a report that is parsed already; null if there is none. */
  void read(@Nullable JsonValue usage) {
    told = told.with(MEMBERS.read(usage));
  }

  Figures usage() {
    return withCaches(told)
        .withPasses(told.passes().stream().map(MessagesUsage::withCaches).toList());
  }

  private static Figures withCaches(Figures told) {
    // On the wire, input_tokens excludes tokens read from or written to the cache.
    long input = told.own(Figure.INPUT_TOKENS);
    long cached = Math.max(told.own(Figure.CACHED_INPUT_TOKENS), 0);
    long written = Math.max(told.own(Figure.CACHE_WRITE), 0);
    return input < 0 ? told : told.with(Figure.INPUT_TOKENS, input + cached + written);
  }
}
