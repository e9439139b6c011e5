package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Inserts a line before the text of a stored message, in the format of its content. */
final class FirstLine {
  private FirstLine() {}

  /** The content with the line before its text; null for a shape that cannot hold one. */
  static @Nullable String add(JsonValue content, String line) {
    return add(content, content.string("type") != null, line);
  }

  private static @Nullable String add(JsonValue content, boolean item, String line) {
    if (content.isString()) {
      return JsonWriter.quote(line + "\n" + content.text());
    }
    if (content.isArray()) {
      return content.items().isEmpty() ? null : toParts(content.items(), item, line);
    }
    if (!content.isObject() || content.get("tool_call_id") != null) {
      return null;
    }
    for (String member : List.of("parts", "content")) {
      JsonValue inner = content.get(member);
      String added = inner == null || inner.isObject() ? null : add(inner, item, line);
      if (added != null) {
        return content.with(member, added).raw();
      }
    }
    return null;
  }

  /** The parts with the line as a separate part, so that the others stay verbatim. */
  private static String toParts(List<JsonValue> parts, boolean item, String line) {
    int at = 0;
    while (at < parts.size() && !isText(parts.get(at))) {
      at++;
    }
    boolean plain = at < parts.size() && parts.get(at).isString();
    boolean responses =
        item || parts.stream().anyMatch(part -> part.text("type").startsWith("input_"));
    String part =
        plain
            ? JsonWriter.quote(line)
            : Part.textPart(responses ? "input_text" : "text", JsonWriter.quote(line));
    StringJoiner all = new StringJoiner(",", "[", "]");
    int index = at == parts.size() ? 0 : at;
    for (int i = 0; i < parts.size(); i++) {
      if (i == index) {
        all.add(part);
      }
      all.add(parts.get(i).raw());
    }
    return all.toString();
  }

  private static boolean isText(JsonValue part) {
    return part.isString()
        || (part.isObject() && List.of("text", "input_text").contains(part.text("type")));
  }
}
