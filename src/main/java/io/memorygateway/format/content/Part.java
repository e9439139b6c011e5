package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a message, independent of the format; {@code source} is its raw JSON. */
public sealed interface Part {
  JsonValue source();

  Shape shape();

  record Text(JsonValue source, Shape shape, String text) implements Part {

    /** The text as a JSON string: verbatim, if it is a string in its source. */
    public String quoted() {
      return source.isString() ? source.raw() : JsonWriter.quote(text);
    }
  }

  record Image(JsonValue source, Shape shape, Media media, @Nullable String detail)
      implements Part {}

  record File(JsonValue source, Shape shape, Media media, @Nullable String name) implements Part {}

  /**
   * A call of a tool.
   *
   * @param arguments JSON, verbatim from the model; an object unless the model failed
   */
  record ToolCall(JsonValue source, Shape shape, String id, String name, String arguments)
      implements Part {

    /** The same call under another id. */
    public ToolCall withId(String newId) {
      String member = shape == Shape.RESPONSES ? "call_id" : "id";
      JsonValue renamed = source.with(member, JsonWriter.quote(newId));
      return new ToolCall(renamed, shape, newId, name, arguments);
    }
  }

  record ToolResult(JsonValue source, Shape shape, String id, List<Part> content, boolean error)
      implements Part {

    /** The same result, for a call of another id. */
    public ToolResult withId(String newId) {
      String member =
          switch (shape) {
            case CHAT -> "tool_call_id";
            case MESSAGES -> "tool_use_id";
            default -> "call_id";
          };
      JsonValue renamed = source.with(member, JsonWriter.quote(newId));
      return new ToolResult(renamed, shape, newId, content, error);
    }

    /** The text of the result, its texts joined. */
    public String text() {
      return Part.textOf(content);
    }
  }

  record Reasoning(JsonValue source, Shape shape) implements Part {}

  /**
   * A part that has no counterpart in other formats.
   *
   * @param text its content as text; may be empty
   */
  record Other(JsonValue source, Shape shape, String text) implements Part {}

  /** The texts among the parts, joined. */
  static String textOf(List<Part> parts) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      if (part instanceof Text piece) {
        text.append(piece.text());
      } else if (part instanceof Other other) {
        text.append(other.text());
      }
    }
    return text.toString();
  }

  /** A text part of a type, in the words of any of the three formats. */
  static String textPart(String type, String quoted) {
    return "{\"type\":\"" + type + "\",\"text\":" + quoted + "}";
  }

  /** Whether an upstream would call a content of these parts empty. */
  static boolean sayNothing(List<Part> parts) {
    for (Part part : parts) {
      boolean says =
          part instanceof Text text
              ? !text.text().isBlank()
              : !(part instanceof Other)
                  || part.shape() != Shape.FOREIGN
                  || !textOf(List.of(part)).isBlank();
      if (says) {
        return false;
      }
    }
    return true;
  }
}
