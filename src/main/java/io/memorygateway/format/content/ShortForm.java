package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shortens a stored message that must go upstream and is larger than its limit: texts keep their
 * beginning and their end, tool calls their ids and names, and all other parts are only named. The
 * short form consists of Messages blocks, which every writer can write.
 *
 * @param characters of the texts of a message together, at most
 */
record ShortForm(int characters) {
  /** The most characters of a name or an id; no provider has longer ones. */
  private static final int MAX_NAME_CHARACTERS = 256;

  StoredMessage of(StoredMessage message) {
    List<Part> parts = message.utterance().parts();
    int each = Math.max(0, characters / Math.max(1, parts.size()));
    List<String> blocks = new ArrayList<>();
    for (Part part : parts) {
      String block = block(part, each);
      if (block != null) {
        blocks.add(block);
      }
    }
    return StoredMessage.of(message.role(), "[" + String.join(",", blocks) + "]");
  }

  private static @Nullable String block(Part part, int max) {
    if (part instanceof Part.ToolCall call) {
      String arguments = call.arguments();
      boolean fits = arguments.length() <= max && isObject(arguments);
      return "{\"type\":\"tool_use\",\"id\":%s,\"name\":%s,\"input\":%s}"
          .formatted(
              JsonWriter.quote(call.id()),
              JsonWriter.quote(cut(call.name(), MAX_NAME_CHARACTERS)),
              fits ? arguments : omitted(arguments.length()));
    }
    if (part instanceof Part.ToolResult result) {
      return "{\"type\":\"tool_result\",\"tool_use_id\":%s,\"content\":%s}"
          .formatted(
              JsonWriter.quote(result.id()), JsonWriter.quote(shortened(result.text(), max)));
    }
    if (part instanceof Part.Reasoning) {
      return null;
    }
    String text =
        part instanceof Part.Image
            ? "[an image, not shown]"
            : part instanceof Part.File
                ? "[a file, not shown]"
                : shortened(Part.textOf(List.of(part)), max);
    return text.isBlank() ? null : Part.textPart("text", JsonWriter.quote(text));
  }

  private static boolean isObject(String json) {
    return json.startsWith("{") && JsonValue.isValid(json);
  }

  private static String omitted(int length) {
    return "{\"omitted\":\"" + length + " characters\"}";
  }

  /** The text with its middle replaced by a note on what is left out. */
  static String shortened(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int head = max * 2 / 3;
    int tail = max - head;
    return cut(text, head)
        + " [… "
        + (text.length() - head - tail)
        + " characters are not shown …] "
        + end(text, tail);
  }

  private static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    boolean splits = max > 0 && Character.isHighSurrogate(text.charAt(max - 1));
    return text.substring(0, splits ? max - 1 : max);
  }

  private static String end(String text, int max) {
    int from = text.length() - max;
    boolean splits = from < text.length() && Character.isLowSurrogate(text.charAt(from));
    return text.substring(splits ? from + 1 : from);
  }
}
