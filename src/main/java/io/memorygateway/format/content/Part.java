package io.memorygateway.format.content;

import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A part of a message, independent of the format; {@code source} is its raw JSON. */
public sealed interface Part {
  JsonValue source();

  Shape shape();

  record Text(JsonValue source, Shape shape, String text) implements Part {
    /** A text that no caller and no model wrote as JSON. */
    public static Text of(String text) {
      return new Text(JsonValue.of(JsonWriter.quote(text)), Shape.PLAIN, text);
    }

    /** The text as a JSON string: verbatim, if it is a string in its source. */
    public String quoted() {
      return source.isString() ? source.raw() : JsonWriter.quote(text);
    }
  }

  record Image(JsonValue source, Shape shape, Media media, @Nullable String detail)
      implements Part {}

  record File(JsonValue source, Shape shape, Media media, @Nullable String name) implements Part {
    private static final String PDF = ".pdf";

    /** A name for a file with data, by the end of which servers tell that it is a PDF. */
    public String fileName() {
      String given = name == null ? "document" : name;
      boolean ends = given.toLowerCase(Locale.ROOT).endsWith(PDF);
      return ends || !(media.type() == null || media.isPdf()) ? given : given + PDF;
    }
  }

  /**
   * A call of a tool.
   *
   * @param arguments JSON, verbatim from the model; an object unless the model failed
   */
  record ToolCall(JsonValue source, ToolKind kind, String id, String name, String arguments)
      implements Part {
    /** The member of calls and messages of Chat that holds a signature of its maker. */
    public static final String SIGNATURE = "extra_content";

    public ToolCall {
      name = CallArguments.name(name);
    }

    @Override
    public Shape shape() {
      return kind.shape();
    }

    /** The same call as one of Chat's functions, with a signature of its maker. */
    public ToolCall signed(JsonValue signature) {
      JsonObject function =
          new JsonObject()
              .string("name", name)
              .string("arguments", CallArguments.object(arguments));
      JsonObject call =
          new JsonObject()
              .string("id", id)
              .string("type", "function")
              .raw("function", function.toString())
              .raw(SIGNATURE, signature);
      return new ToolCall(JsonValue.of(call.toString()), ToolKind.CHAT, id, name, arguments);
    }

    /** The same call under another id and name. */
    public ToolCall with(String newId, String newName) {
      JsonValue renamed =
          newId.equals(id)
              ? source
              : CallArguments.put(source, kind.callId(), JsonWriter.quote(newId));
      return new ToolCall(
          newName.equals(name) ? renamed : CallArguments.renamed(renamed, newName),
          newId.equals(id) ? kind : kind.withId(),
          newId,
          newName,
          arguments);
    }
  }

  record ToolResult(JsonValue source, ToolKind kind, String id, List<Part> content, boolean error)
      implements Part {
    @Override
    public Shape shape() {
      return kind.shape();
    }

    /** The same result, for a call of another id. */
    public ToolResult withId(String newId) {
      JsonValue renamed = CallArguments.put(source, kind.resultId(), JsonWriter.quote(newId));
      return new ToolResult(renamed, kind.withId(), newId, content, error);
    }

    public ToolResult withContent(List<Part> other) {
      return new ToolResult(source, kind, id, other, error);
    }

    /** The text of the result, its texts joined. */
    public String text() {
      return Part.textOf(content);
    }
  }

  record Reasoning(JsonValue source, Shape shape) implements Part {
    /** Members of messages of Chat that are reasoning, in its makers' several ways. */
    public static final Set<String> OF_CHAT =
        Set.of("reasoning_content", "reasoning", "reasoning_details", "thinking");

    /** The reasoning of a message of Chat, in an object of such members. */
    public static Reasoning ofChat(JsonValue members) {
      return new Reasoning(members, Shape.CHAT);
    }
  }

  /**
   * A part that has no counterpart in other formats, or that the gateway does not know: it goes
   * back to its endpoint as it is.
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
