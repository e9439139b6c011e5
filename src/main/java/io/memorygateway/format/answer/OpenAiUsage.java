package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import java.io.IOException;
import java.util.Map;

/**
 * Reads {@code usage} as OpenAI writes it; its two endpoints differ only in the members' names.
 *
 * @param members figures by the member that has them, or by the names of an object and its member
 *     with a slash between
 */
public record OpenAiUsage(Map<String, Figure> members) implements UsageFormat {
  public static final OpenAiUsage CHAT =
      new OpenAiUsage(
          Map.of(
              "prompt_tokens", Figure.INPUT_TOKENS,
              "completion_tokens", Figure.OUTPUT_TOKENS,
              "prompt_tokens_details/cached_tokens", Figure.CACHED_INPUT_TOKENS));
  public static final OpenAiUsage RESPONSES =
      new OpenAiUsage(
          Map.of(
              "input_tokens", Figure.INPUT_TOKENS,
              "output_tokens", Figure.OUTPUT_TOKENS,
              "input_tokens_details/cached_tokens", Figure.CACHED_INPUT_TOKENS));

  @Override
  public Figures read(JsonParser parser) throws IOException {
    return read(parser, "", Figures.NONE);
  }

  private Figures read(JsonParser parser, String object, Figures known) throws IOException {
    Figures read = known;
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = object + parser.currentName();
        parser.nextToken();
        Figure figure = members.get(name);
        if (figure != null) {
          read = read.with(figure, UsageFormat.count(parser));
        } else if (object.isEmpty()) {
          read = read(parser, name + "/", read);
        }
        parser.skipChildren();
      }
    } else {
      parser.skipChildren();
    }
    return read;
  }
}
