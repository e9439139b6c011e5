package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code usage} by the names of its members.
 *
 * @param figures by the member that has them, or by the names of an object and its member with a
 *     slash between
 */
public record UsageMembers(Map<String, Figure> figures) implements UsageFormat {
  public static final UsageMembers CHAT =
      new UsageMembers(
          Map.of(
              "prompt_tokens", Figure.INPUT_TOKENS,
              "completion_tokens", Figure.OUTPUT_TOKENS,
              "prompt_tokens_details/cached_tokens", Figure.CACHED_INPUT_TOKENS,
              "cached_tokens", Figure.CACHED_INPUT_TOKENS, // Moonshot
              "prompt_cache_hit_tokens", Figure.CACHED_INPUT_TOKENS, // DeepSeek
              "prompt_tokens_details/cache_write_tokens", Figure.CACHE_WRITE,
              "prompt_tokens_details/audio_tokens", Figure.AUDIO_INPUT,
              "completion_tokens_details/reasoning_tokens", Figure.REASONING,
              "completion_tokens_details/audio_tokens", Figure.AUDIO_OUTPUT));
  public static final UsageMembers RESPONSES =
      new UsageMembers(
          Map.of(
              "input_tokens", Figure.INPUT_TOKENS,
              "output_tokens", Figure.OUTPUT_TOKENS,
              "input_tokens_details/cached_tokens", Figure.CACHED_INPUT_TOKENS,
              "input_tokens_details/cache_write_tokens", Figure.CACHE_WRITE,
              "input_tokens_details/audio_tokens", Figure.AUDIO_INPUT,
              "output_tokens_details/reasoning_tokens", Figure.REASONING,
              "output_tokens_details/audio_tokens", Figure.AUDIO_OUTPUT));

  private static final String TOTAL = "total_tokens";

  @Override
  public Figures read(JsonParser parser) throws IOException {
    return read(parser, "", Figures.NONE);
  }

  /** Reads an object that is parsed already; null if there is none. */
  public Figures read(@Nullable JsonValue usage) {
    if (usage == null) {
      return Figures.NONE;
    }
    byte[] json = usage.rawBytes();
    try (JsonParser parser = Json.open(json, 0, json.length)) {
      parser.nextToken();
      return read(parser);
    } catch (IOException e) {
      throw new IllegalStateException("what was parsed cannot be parsed", e);
    }
  }

  private Figures read(JsonParser parser, String object, Figures known) throws IOException {
    Figures read = known;
    long total = Figures.UNKNOWN;
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = object + parser.currentName();
        parser.nextToken();
        Figure figure = figures.get(name);
        if (figure != null) {
          // Of two members for the same, the one says nothing that is 0.
          read = read.with(figure, Math.max(read.get(figure), UsageFormat.count(parser)));
        } else if (TIERS.contains(name)) {
          read = read.withServiceTier(UsageFormat.text(parser));
        } else if (name.equals(TOTAL)) {
          total = UsageFormat.count(parser);
        } else if (object.isEmpty()) {
          read = read(parser, name + "/", read);
        }
        parser.skipChildren();
      }
    } else {
      parser.skipChildren();
    }
    return withThoughts(read, total);
  }

  /** Of makers that count what the model thinks in the total alone, as Gemini's and xAI's. */
  private static Figures withThoughts(Figures read, long total) {
    long input = read.get(Figure.INPUT_TOKENS);
    long output = read.get(Figure.OUTPUT_TOKENS);
    boolean more = input >= 0 && output >= 0 && total > input + output;
    return more ? read.with(Figure.OUTPUT_TOKENS, total - input) : read;
  }
}
