package io.memorygateway.format.messages;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.format.answer.Usage;
import io.memorygateway.format.answer.UsageFormat;
import java.io.IOException;

/**
 * Reads {@code usage} as Anthropic writes it. A stream has it twice, the second time with the
 * members that changed: these replace the earlier values, they are not added to them.
 */
final class MessagesUsage implements UsageFormat {
  private long input = Usage.UNKNOWN;
  private long cacheCreation = Usage.UNKNOWN;
  private long cacheRead = Usage.UNKNOWN;
  private long output = Usage.UNKNOWN;

  /**
   * Reads the object at the current token.
   *
   * @return all that is known so far
   */
  @Override
  public Usage read(JsonParser parser) throws IOException {
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

  Usage usage() {
    // On the wire, input_tokens excludes tokens read from or written to the cache.
    long allInput =
        input == Usage.UNKNOWN
            ? Usage.UNKNOWN
            : input + Math.max(cacheCreation, 0) + Math.max(cacheRead, 0);
    return new Usage(allInput, output, cacheRead);
  }

  private static long count(JsonParser parser, long before) throws IOException {
    long now = Usage.count(parser);
    return now == Usage.UNKNOWN ? before : now;
  }
}
