package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads {@code usage} as OpenAI writes it; its two endpoints differ only in the members' names. */
public record OpenAiUsage(String input, String output, String inputDetails) implements UsageFormat {
  public static final OpenAiUsage CHAT =
      new OpenAiUsage("prompt_tokens", "completion_tokens", "prompt_tokens_details");
  public static final OpenAiUsage RESPONSES =
      new OpenAiUsage("input_tokens", "output_tokens", "input_tokens_details");

  @Override
  public Usage read(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return Usage.NONE;
    }
    long inputTokens = Usage.UNKNOWN;
    long outputTokens = Usage.UNKNOWN;
    long cachedTokens = Usage.UNKNOWN;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (name.equals(input)) {
        inputTokens = Usage.count(parser);
      } else if (name.equals(output)) {
        outputTokens = Usage.count(parser);
      } else if (name.equals(inputDetails) && value == JsonToken.START_OBJECT) {
        cachedTokens = readCachedTokens(parser);
      }
      parser.skipChildren();
    }
    return new Usage(inputTokens, outputTokens, cachedTokens);
  }

  private static long readCachedTokens(JsonParser parser) throws IOException {
    long cachedTokens = Usage.UNKNOWN;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      boolean cached = parser.currentName().equals("cached_tokens");
      parser.nextToken();
      if (cached) {
        cachedTokens = Usage.count(parser);
      }
      parser.skipChildren();
    }
    return cachedTokens;
  }
}
