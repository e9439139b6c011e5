package io.memorygateway.format.translation;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A piece of an answer, in order. */
public sealed interface Piece {
  /**
   * What the model says.
   *
   * @param logprobs of its tokens, as OpenAI's formats list them; empty if they are not told
   */
  record Text(String text, List<Citation> citations, String logprobs) implements Piece {
    /** OpenAI's logprob of what is hardly likely: of one that is not told, or no number. */
    private static final String UNLIKELY = "-9999.0";

    public Text(String text, List<Citation> citations) {
      this(text, citations, "");
    }

    /**
     * What is in a list of the target's, each token with all members that either format demands.
     *
     * @param from index of the first
     */
    public static String logprobs(@Nullable JsonValue list, int from) {
      return list == null || list.items().isEmpty()
          ? ""
          : list.items().stream()
              .skip(from)
              .filter(JsonValue::isObject)
              .map(
                  token ->
                      logprob(token)
                          .raw("top_logprobs", "[" + likely(token.get("top_logprobs")) + "]")
                          .toString())
              .collect(Collectors.joining(","));
    }

    private static String likely(@Nullable JsonValue list) {
      return list == null
          ? ""
          : list.items().stream()
              .filter(JsonValue::isObject)
              .map(token -> logprob(token).toString())
              .collect(Collectors.joining(","));
    }

    private static JsonObject logprob(JsonValue token) {
      JsonValue bytes = token.get("bytes");
      JsonValue odds = token.get("logprob");
      return new JsonObject()
          .string("token", token.text("token"))
          .raw("logprob", odds != null && odds.is(JsonValue.Kind.NUMBER) ? odds.raw() : UNLIKELY)
          .raw(
              "bytes",
              bytes != null && bytes.isArray()
                  ? JsonWriter.inOneLine(bytes.raw())
                  : bytes(token.text("token")));
    }

    private static String bytes(String token) {
      StringJoiner bytes = new StringJoiner(",", "[", "]");
      for (byte each : token.getBytes(StandardCharsets.UTF_8)) {
        bytes.add(Integer.toString(each & 0xff));
      }
      return bytes.toString();
    }
  }

  /** What the model says in the place of an answer that it refuses to give. */
  record Refusal(String text) implements Piece {}

  /**
   * Reasoning.
   *
   * @param text that may be shown; empty if the maker shows none
   * @param seal the maker's own form; null if it takes nothing back
   */
  record Thought(String text, @Nullable Seal seal) implements Piece {}

  /**
   * A call of one of the caller's tools.
   *
   * @param name as the target said it; one in its place if it said none
   * @param arguments JSON of an object, unless the model failed
   */
  record Call(String id, String name, String arguments) implements Piece {
    public Call {
      name = CallArguments.name(name);
    }

    /** Whether it is not whole, of an answer that ended so. */
    public boolean isCut(Stop stop) {
      return stop == Stop.LENGTH && !JsonValue.of(arguments).isObject();
    }
  }

  /**
   * A source of a text.
   *
   * @param start of what it is the source of, in characters; negative if it is not known
   */
  record Citation(
      String url, @Nullable String title, @Nullable String quoted, long start, long end) {}
}
