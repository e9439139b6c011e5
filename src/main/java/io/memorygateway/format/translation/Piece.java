package io.memorygateway.format.translation;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
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
    public Text(String text, List<Citation> citations) {
      this(text, citations, "");
    }

    /** What is in a list of the target's. */
    public static String logprobs(@Nullable JsonValue list) {
      return list == null
          ? ""
          : list.items().stream()
              .map(token -> JsonWriter.inOneLine(token.raw()))
              .collect(Collectors.joining(","));
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
  }

  /**
   * A source of a text.
   *
   * @param start of what it is the source of, in characters; negative if it is not known
   */
  record Citation(
      String url, @Nullable String title, @Nullable String quoted, long start, long end) {}
}
