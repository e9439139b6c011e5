package io.memorygateway.format.messages;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.UsageFormat;
import java.io.IOException;

/**
 * Reads {@code usage} as Anthropic writes it. A stream has it twice, the second time with the
 * members that changed: these replace the earlier values, they are not added to them.
 */
final class MessagesUsage implements UsageFormat {
  private long input = Figures.UNKNOWN;
  private long cacheCreation = Figures.UNKNOWN;
  private long cacheRead = Figures.UNKNOWN;
  private long output = Figures.UNKNOWN;

  /**
   * Reads the object at the current token.
   *
   * @return all that is known so far
   */
  @Override
  public Figures read(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        switch (name) {
          case "input_tokens" -> input = count(parser, input);
          case "cache_creation_input_tokens" -> cacheCreation = count(parser, cacheCreation);
          case "cache_read_input_tokens" -> cacheRead = count(parser, cacheRead);
          case "output_tokens" -> output = count(parser, output);
          default -> {}
        }
        parser.skipChildren();
      }
    } else {
      parser.skipChildren();
    }
    return usage();
  }

  Figures usage() {
    // On the wire, input_tokens excludes tokens read from or written to the cache.
    long allInput =
        input == Figures.UNKNOWN
            ? Figures.UNKNOWN
            : input + Math.max(cacheCreation, 0) + Math.max(cacheRead, 0);
    return Figures.NONE
        .with(Figure.INPUT_TOKENS, allInput)
        .with(Figure.OUTPUT_TOKENS, output)
        .with(Figure.CACHED_INPUT_TOKENS, cacheRead);
  }

  private static long count(JsonParser parser, long before) throws IOException {
    long now = UsageFormat.count(parser);
    return now == Figures.UNKNOWN ? before : now;
  }
}
