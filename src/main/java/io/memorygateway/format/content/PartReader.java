package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads the parts of a message's content, by its shape alone: the content of any of the three
 * endpoints, Vercel's and Mastra's parts, and anything posted to the memory API. Never fails:
 * unknown content is {@link Part.Other}.
 */
public final class PartReader {
  private static final Set<String> ITEMS =
      Set.of(
          "item_reference",
          "compaction",
          "computer_screenshot",
          "mcp_list_tools",
          "mcp_approval_request",
          "mcp_approval_response");

  private PartReader() {}

  public static List<Part> read(JsonValue content) {
    List<Part> parts = new ArrayList<>();
    read(content, parts);
    return parts;
  }

  private static void read(JsonValue content, List<Part> parts) {
    if (content.isObject()) {
      readObject(content, parts);
    } else {
      readContent(content, parts);
    }
  }

  /** Reads a string, or an array of parts. */
  private static void readContent(JsonValue content, List<Part> parts) {
    if (content.isArray()) {
      for (JsonValue item : content.items()) {
        readPart(item, parts);
      }
    } else {
      readPart(content, parts);
    }
  }

  private static void readObject(JsonValue content, List<Part> parts) {
    JsonValue inner = content.get("content");
    JsonValue pieces = content.get("parts");
    if (content.string("type") != null) {
      readPart(content, parts);
    } else if (content.get("tool_call_id") != null) {
      parts.add(ToolParts.chatResult(content));
    } else if (pieces != null && pieces.isArray()) {
      readContent(pieces, parts);
    } else if (inner != null || content.get("tool_calls") != null || hasChatMembers(content)) {
      readChatMessage(content, parts);
    } else if (!saysNothing(content)) {
      parts.add(other(content));
    }
  }

  /** Whether all members are null: an OpenAI message without content. */
  private static boolean saysNothing(JsonValue message) {
    List<JsonValue.Field> members = message.fields();
    return !members.isEmpty() && members.stream().allMatch(member -> member.value().isNull());
  }

  private static boolean hasChatMembers(JsonValue content) {
    return content.get("refusal") != null || content.get("function_call") != null;
  }

  private static void readChatMessage(JsonValue message, List<Part> parts) {
    JsonValue inner = message.get("content");
    if (inner != null) {
      read(inner, parts);
    }
    JsonValue refusal = message.get("refusal");
    if (refusal != null && refusal.isString()) {
      parts.add(new Part.Text(refusal, Shape.CHAT, refusal.text()));
    }
    JsonValue calls = message.get("tool_calls");
    if (calls != null) {
      calls.items().forEach(call -> parts.add(ToolParts.chatCall(call)));
    }
  }

  private static void readPart(JsonValue part, List<Part> parts) {
    if (part.isString()) {
      parts.add(new Part.Text(part, Shape.PLAIN, part.text()));
      return;
    }
    String type = part.text("type");
    switch (type) {
      case "text" -> parts.add(text(part));
      case "input_text", "output_text" ->
          parts.add(new Part.Text(part, Shape.RESPONSES, part.text("text")));
      case "refusal" -> parts.add(new Part.Text(part, Shape.FOREIGN, part.text("refusal")));
      case "message" -> {
        JsonValue content = part.get("content");
        if (content != null) {
          readContent(content, parts);
        }
      }
      case "image", "image_url", "input_image" -> parts.add(MediaParts.image(type, part));
      case "document", "file", "input_file" -> parts.add(MediaParts.file(type, part));
      case "thinking", "redacted_thinking" -> parts.add(new Part.Reasoning(part, Shape.MESSAGES));
      case "reasoning" -> {
        boolean item = part.get("summary") != null || part.get("encrypted_content") != null;
        parts.add(new Part.Reasoning(part, item ? Shape.RESPONSES : Shape.FOREIGN));
      }
      case "step-start" -> {}
      default -> {
        if (!ToolParts.read(type, part, parts)) {
          parts.add(other(part));
        }
      }
    }
  }

  private static Part text(JsonValue part) {
    boolean plain = true;
    boolean cited = true;
    for (JsonValue.Field field : part.fields()) {
      boolean own = Set.of("type", "text").contains(field.name());
      plain &= own;
      cited &= own || Set.of("citations", "cache_control").contains(field.name());
    }
    Shape shape = plain ? Shape.PLAIN : cited ? Shape.MESSAGES : Shape.FOREIGN;
    return new Part.Text(part, shape, part.text("text"));
  }

  private static Part other(JsonValue part) {
    String text = part.text("text");
    return new Part.Other(
        part, shapeOf(part.text("type")), text.isEmpty() ? part.text("content") : text);
  }

  /**
   * The format of a part: the style of its name tells Anthropic's blocks from OpenAI's parts and
   * items.
   */
  private static Shape shapeOf(String type) {
    if (type.isEmpty() || type.indexOf('-') >= 0) {
      return Shape.FOREIGN;
    }
    if (type.endsWith("_url") || type.equals("input_audio")) {
      return Shape.CHAT;
    }
    return type.endsWith("_call")
            || type.endsWith("_call_output")
            || type.startsWith("input_")
            || ITEMS.contains(type)
        ? Shape.RESPONSES
        : Shape.MESSAGES;
  }
}
