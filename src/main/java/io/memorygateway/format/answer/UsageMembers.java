package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code usage} by the names of its members.
 *
 * @param figures by the member that has them, or by the names of an object and its member with a
 *     slash between
 * @param total the member with all tokens, of which the others may leave some out; empty: none
 * @param isInput whether all tokens are of the input where no output is told, or none
 */
public record UsageMembers(Map<String, Figure> figures, String total, boolean isInput)
    implements UsageFormat {
  /** Members with tokens of caches as Anthropic calls them, which the input may leave out. */
  private static final Map<String, Figure> CACHES =
      Map.of(
          "cache_read_input_tokens", Figure.CACHED_INPUT_TOKENS,
          "cache_creation_input_tokens", Figure.CACHE_WRITE);

  /** The member with what each pass used, and the types of those that the totals leave out. */
  private static final String PASSES = "iterations";

  private static final Set<String> BESIDE = Set.of("advisor_message", "compaction");

  public static final UsageMembers CHAT =
      new UsageMembers(
          withCaches(
              Map.of(
                  "prompt_tokens", Figure.INPUT_TOKENS,
                  "completion_tokens", Figure.OUTPUT_TOKENS,
                  "prompt_tokens_details/cached_tokens", Figure.CACHED_INPUT_TOKENS,
                  "cached_tokens", Figure.CACHED_INPUT_TOKENS, // Moonshot
                  "prompt_cache_hit_tokens", Figure.CACHED_INPUT_TOKENS, // DeepSeek
                  "prompt_tokens_details/cache_write_tokens", Figure.CACHE_WRITE,
                  "prompt_tokens_details/audio_tokens", Figure.AUDIO_INPUT,
                  "completion_tokens_details/reasoning_tokens", Figure.REASONING,
                  "completion_tokens_details/audio_tokens", Figure.AUDIO_OUTPUT)),
          "total_tokens");
  public static final UsageMembers RESPONSES =
      new UsageMembers(
          withCaches(
              Map.of(
                  "input_tokens", Figure.INPUT_TOKENS,
                  "output_tokens", Figure.OUTPUT_TOKENS,
                  "input_tokens_details/cached_tokens", Figure.CACHED_INPUT_TOKENS,
                  "input_tokens_details/cache_write_tokens", Figure.CACHE_WRITE,
                  "input_tokens_details/audio_tokens", Figure.AUDIO_INPUT,
                  "output_tokens_details/reasoning_tokens", Figure.REASONING,
                  "output_tokens_details/audio_tokens", Figure.AUDIO_OUTPUT)),
          "total_tokens");

  /** Of embeddings, of which some servers tell the total alone. */
  public static final UsageMembers EMBEDDINGS = new UsageMembers(CHAT.figures, CHAT.total, true);

  public UsageMembers(Map<String, Figure> figures, String total) {
    this(figures, total, false);
  }

  private static Map<String, Figure> withCaches(Map<String, Figure> figures) {
    Map<String, Figure> all = new HashMap<>(CACHES);
    all.putAll(figures);
    return Map.copyOf(all);
  }

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
    long all = Figures.UNKNOWN;
    long caches = 0;
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = object + parser.currentName();
        parser.nextToken();
        Figure figure = figures.get(name);
        if (name.equals(PASSES) && parser.currentToken() == JsonToken.START_ARRAY) {
          List<Figures> passes = new ArrayList<>();
          Json.readObjects(parser, pass -> readPass(pass, passes));
          read = read.withPasses(passes);
        } else if (figure != null) {
          // Of two members for the same, the one says nothing that is 0.
          long count = UsageFormat.count(parser);
          read = read.with(figure, Math.max(read.get(figure), count));
          caches += CACHES.containsKey(name) ? Math.max(count, 0) : 0;
        } else if (TIERS.contains(name)) {
          read = read.withServiceTier(UsageFormat.text(parser));
        } else if (name.equals(UsageFormat.REGION)) {
          read = read.withRegion(UsageFormat.isDearRegion(UsageFormat.text(parser)));
        } else if (name.equals(total)) {
          all = UsageFormat.count(parser);
        } else if (object.isEmpty()) {
          read = read(parser, name + "/", read);
        }
        parser.skipChildren();
      }
    } else {
      parser.skipChildren();
    }
    return withAll(read, all, caches);
  }

  /** Reads a pass, and keeps it if it is one of those that the totals leave out. */
  private void readPass(JsonParser parser, List<Figures> passes) throws IOException {
    Figures pass = Figures.NONE;
    boolean isBeside = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      Figure figure = figures.get(name);
      if (figure != null) {
        pass = pass.with(figure, UsageFormat.count(parser));
      } else if (name.equals("type")) {
        isBeside = BESIDE.contains(String.valueOf(UsageFormat.text(parser)));
      } else if (name.equals(UsageFormat.MODEL)) {
        pass = pass.withModel(UsageFormat.text(parser));
      } else {
        pass = read(parser, name + "/", pass);
      }
      parser.skipChildren();
    }
    if (isBeside) {
      passes.add(pass);
    }
  }

  /**
   * The figures with what the total alone counts: the input or the output, tokens of caches, as
   * Portkey's, if they have room in it, and what the model thinks, as Gemini's and xAI's.
   *
   * @param caches tokens of caches by names that other makers have for what the input leaves out
   */
  private Figures withAll(Figures read, long all, long caches) {
    long input = read.get(Figure.INPUT_TOKENS);
    long output = read.get(Figure.OUTPUT_TOKENS);
    if (isInput && output <= 0 && all > input) {
      return read.with(Figure.INPUT_TOKENS, all);
    }
    if (all > Math.max(input, output) && (input < 0) != (output < 0)) {
      return input < 0
          ? read.with(Figure.INPUT_TOKENS, all - output)
          : read.with(Figure.OUTPUT_TOKENS, all - input);
    }
    long more = all - input - output;
    if (input < 0 || output < 0 || more <= 0) {
      return read;
    }
    // A part that is more than the whole it should be of is surely not in it.
    long cached =
        Math.max(0, read.get(Figure.CACHED_INPUT_TOKENS))
            + Math.max(0, read.get(Figure.CACHE_WRITE));
    long ofCaches = cached > input ? cached : caches;
    long thoughts = read.get(Figure.REASONING);
    boolean isThought = thoughts == more && (thoughts > output || ofCaches != more);
    long apart = isThought || ofCaches > more ? 0 : ofCaches;
    return read.with(Figure.INPUT_TOKENS, input + apart)
        .with(Figure.OUTPUT_TOKENS, output + more - apart);
  }
}
