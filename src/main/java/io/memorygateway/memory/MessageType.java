package io.memorygateway.memory;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What a message is made of, where its sender does not say so. */
final class MessageType {
  static final Set<String> ALL =
      Set.of("text", "tool-call", "tool-result", "reasoning", "image", "mixed");

  private static final String TEXT = "text";
  private static final String MIXED = "mixed";

  /** The parts of the common formats, by their {@code type}. */
  private static final Map<String, String> PARTS =
      Map.ofEntries(
          Map.entry("text", TEXT),
          Map.entry("input_text", TEXT),
          Map.entry("output_text", TEXT),
          Map.entry("refusal", TEXT),
          Map.entry("tool-call", "tool-call"),
          Map.entry("tool_call", "tool-call"),
          Map.entry("tool_use", "tool-call"),
          Map.entry("function_call", "tool-call"),
          Map.entry("server_tool_use", "tool-call"),
          Map.entry("tool-result", "tool-result"),
          Map.entry("tool_result", "tool-result"),
          Map.entry("function_call_output", "tool-result"),
          Map.entry("reasoning", "reasoning"),
          Map.entry("thinking", "reasoning"),
          Map.entry("redacted_thinking", "reasoning"),
          Map.entry("image", "image"),
          Map.entry("image_url", "image"),
          Map.entry("input_image", "image"));

  private MessageType() {}

  /**
   * Text, if the content is a string or all its parts are text; likewise for the other types; mixed
   * for parts of several types or of an unknown one.
   *
   * @param content with its parts and their members
   */
  static String of(JsonValue content) {
    if (!content.is(Kind.ARRAY)) {
      return content.is(Kind.STRING) ? TEXT : part(content);
    }
    Set<String> types = new TreeSet<>();
    for (JsonValue part : content.elements()) {
      types.add(part(part));
    }
    return types.isEmpty() ? TEXT : types.size() == 1 ? types.iterator().next() : MIXED;
  }

  private static String part(JsonValue part) {
    if (part.is(Kind.STRING)) {
      return TEXT;
    }
    JsonValue type = part.is(Kind.OBJECT) ? part.members().get("type") : null;
    return type == null ? MIXED : PARTS.getOrDefault(type.text(), MIXED);
  }
}
