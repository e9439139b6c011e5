package io.memorygateway.dialect;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shortens a stored message that must go upstream and is larger than its room: texts keep their
 * beginning and their end, tool calls their ids and names, and everything else is named only. The
 * short form has the blocks of Messages, which every writer can spell.
 */
final class ShortForm {
  /** Of a name or an id, which no provider has longer. */
  private static final int LONGEST_NAME = 256;

  private final int characters;

  /**
   * A form.
   *
   * @param characters of the texts of a message together, at most
   */
  ShortForm(int characters) {
    this.characters = characters;
  }

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

  private static @Nullable String block(Part part, int most) {
    if (part instanceof Part.ToolCall call) {
      String arguments = call.arguments();
      boolean fits = arguments.length() <= most && isObject(arguments);
      return "{\"type\":\"tool_use\",\"id\":%s,\"name\":%s,\"input\":%s}"
          .formatted(
              Json.quote(call.id()),
              Json.quote(cut(call.name(), LONGEST_NAME)),
              fits ? arguments : omitted(arguments.length()));
    }
    if (part instanceof Part.ToolResult result) {
      return "{\"type\":\"tool_result\",\"tool_use_id\":%s,\"content\":%s}"
          .formatted(Json.quote(result.id()), Json.quote(shortened(result.text(), most)));
    }
    if (part instanceof Part.Reasoning) {
      return null;
    }
    String text =
        part instanceof Part.Image
            ? "[an image, not shown]"
            : part instanceof Part.File
                ? "[a file, not shown]"
                : shortened(Part.textOf(List.of(part)), most);
    return text.isBlank() ? null : MessageWriters.textPart("text", Json.quote(text));
  }

  private static boolean isObject(String json) {
    return json.startsWith("{") && JsonValue.isValid(json);
  }

  private static String omitted(int length) {
    return "{\"omitted\":\"" + length + " characters\"}";
  }

  /** A text with its middle left out, which is said there. */
  static String shortened(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int head = most * 2 / 3;
    int tail = most - head;
    return cut(text, head)
        + " [… "
        + (text.length() - head - tail)
        + " characters are not shown …] "
        + end(text, tail);
  }

  private static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    boolean splits = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, splits ? most - 1 : most);
  }

  private static String end(String text, int most) {
    int from = text.length() - most;
    boolean splits = from < text.length() && Character.isLowSurrogate(text.charAt(from));
    return text.substring(splits ? from + 1 : from);
  }
}
