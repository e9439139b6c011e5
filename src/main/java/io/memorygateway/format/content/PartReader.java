package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the parts of a message's content: the content of any of the three endpoints, Vercel's and
 * Mastra's parts, and anything posted to the memory API. Never fails: unknown content is {@link
 * Part.Other}, of the endpoint in whose form the content is (see {@link StoredMessage}).
 */
public final class PartReader {
  private static final Set<String> BLOCKS =
      Set.of("tool_use", "tool_result", "server_tool_use", "redacted_thinking");

  /** How what OpenAI has encrypted begins. */
  private static final String CIPHER = "gAAAA";

  private static final Set<String> OF_TEXTS = Set.of("type", "text");
  private static final Set<String> OF_CITED_TEXTS = Set.of("citations", "cache_control");

  /** The endpoint of the parts that are not known by their names. */
  private final Shape home;

  private final List<Part> parts = new ArrayList<>();

  private PartReader(Shape home) {
    this.home = home;
  }

  public static List<Part> read(JsonValue content) {
    return read(content, homeOf(content));
  }

  static List<Part> read(JsonValue content, Shape home) {
    PartReader reader = new PartReader(home);
    reader.readAny(content);
    return reader.parts;
  }

  /** The endpoint of a content: what its form says, unless a part is another endpoint's alone. */
  private static Shape homeOf(JsonValue content) {
    if (content.isArray()) {
      return homeOf(content.items(), Shape.MESSAGES);
    }
    if (!content.isObject() || content.string("type") != null) {
      return Shape.RESPONSES;
    }
    return homeOf(content.at("content").items(), Shape.CHAT);
  }

  private static Shape homeOf(List<JsonValue> items, Shape otherwise) {
    for (JsonValue item : items) {
      String type = item.isObject() ? item.text("type") : "";
      if (otherwise == Shape.CHAT) {
        if (BLOCKS.contains(type)) {
          return Shape.MESSAGES;
        }
      } else if (isOfChat(type)) {
        return Shape.CHAT;
      } else if (type.startsWith("input_") || type.equals("output_text")) {
        return Shape.RESPONSES;
      }
    }
    return otherwise;
  }

  private static boolean isOfChat(String type) {
    return type.endsWith("_url") || type.equals("input_audio");
  }

  private void readAny(JsonValue content) {
    if (content.isObject()) {
      readObject(content);
    } else {
      readContent(content);
    }
  }

  private void readContent(JsonValue content) {
    if (content.isArray()) {
      content.items().forEach(this::readPart);
    } else {
      readPart(content);
    }
  }

  private void readObject(JsonValue content) {
    JsonValue inner = content.get("content");
    JsonValue pieces = content.get("parts");
    if (content.string("type") != null) {
      readPart(content);
    } else if (content.get("tool_call_id") != null) {
      parts.add(ToolParts.chatResult(content));
    } else if (pieces != null && pieces.isArray()) {
      parts.addAll(read(pieces, Shape.FOREIGN));
    } else if (inner != null || content.get("tool_calls") != null || hasChatMembers(content)) {
      readChatMessage(content);
    } else if (!saysNothing(content) && !isReasoning(content)) {
      parts.add(other(content));
    }
  }

  /** Whether an OpenAI message has nothing but reasoning, which is none of its parts. */
  static boolean isReasoning(JsonValue message) {
    List<String> said =
        message.fields().stream()
            .filter(member -> !JsonValue.isEmpty(member.value()))
            .map(JsonValue.Field::name)
            .toList();
    return !said.isEmpty() && Part.Reasoning.OF_CHAT.containsAll(said);
  }

  /** Whether all members are null: an OpenAI message without content. */
  private static boolean saysNothing(JsonValue message) {
    List<JsonValue.Field> members = message.fields();
    return !members.isEmpty() && members.stream().allMatch(member -> member.value().isNull());
  }

  private static boolean hasChatMembers(JsonValue content) {
    return content.get("refusal") != null || content.get("function_call") != null;
  }

  private void readChatMessage(JsonValue message) {
    JsonValue inner = message.get("content");
    if (inner != null) {
      readAny(inner);
    }
    JsonValue refusal = message.get("refusal");
    if (refusal != null && refusal.isString()) {
      parts.add(new Part.Text(refusal, Shape.CHAT, refusal.text()));
    }
    List<JsonValue> calls = message.at("tool_calls").items();
    calls.forEach(call -> parts.add(ToolParts.chatCall(call)));
    JsonValue function = message.get("function_call");
    if (function != null && calls.isEmpty()) { // servers that know both say the same in both
      parts.add(ToolParts.functionCall(function));
    }
  }

  private void readPart(JsonValue part) {
    if (part.isString()) {
      parts.add(new Part.Text(part, Shape.PLAIN, part.text()));
      return;
    }
    String type = part.text("type");
    switch (type) {
      case "text" -> parts.add(text(part));
      case "input_text", "output_text" ->
          parts.add(new Part.Text(part, Shape.RESPONSES, part.text("text")));
      case "encrypted_content" -> {
        // What one agent tells another one: of a model whose provider encrypts nothing it is plain.
        String said = part.text(type);
        parts.add(
            said.startsWith(CIPHER) ? other(part) : new Part.Text(part, Shape.RESPONSES, said));
      }
      case "refusal" ->
          parts.add(
              new Part.Text(
                  part, home == Shape.MESSAGES ? Shape.FOREIGN : home, part.text("refusal")));
      case "message", "agent_message" -> {
        JsonValue content = part.get("content");
        if (content != null) {
          readContent(content);
        }
      }
      case "image", "image_url", "input_image", "computer_screenshot" ->
          parts.add(MediaParts.image(type, part));
      case "document", "file", "input_file" -> parts.add(MediaParts.file(type, part));
      case "thinking", "redacted_thinking" ->
          parts.add(new Part.Reasoning(part, ofChatOr(Shape.MESSAGES)));
      case "reasoning" -> {
        boolean item = part.get("summary") != null || part.get("encrypted_content") != null;
        parts.add(new Part.Reasoning(part, ofChatOr(item ? Shape.RESPONSES : Shape.FOREIGN)));
      }
      case "step-start" -> {}
      default -> {
        if (!ToolParts.read(type, part, parts)) {
          parts.add(other(part));
        }
      }
    }
  }

  /** Chat, in whose messages parts of other endpoints' names are its makers' own. */
  private Shape ofChatOr(Shape otherwise) {
    return home == Shape.CHAT ? home : otherwise;
  }

  private Part text(JsonValue part) {
    boolean plain = true;
    boolean cited = true;
    for (JsonValue.Field field : part.fields()) {
      boolean own = OF_TEXTS.contains(field.name());
      plain &= own;
      cited &= own || OF_CITED_TEXTS.contains(field.name());
    }
    Shape shape = plain ? Shape.PLAIN : cited ? Shape.MESSAGES : ofChatOr(Shape.FOREIGN);
    return new Part.Text(part, shape, part.text("text"));
  }

  private Part other(JsonValue part) {
    String type = part.text("type");
    Shape shape =
        type.isEmpty() || isVercel(type, part)
            ? Shape.FOREIGN
            : home == Shape.MESSAGES && isOfChat(type) ? Shape.CHAT : home;
    return new Part.Other(part, shape, textOf(type, part));
  }

  private static String textOf(String type, JsonValue part) {
    JsonValue content = part.at("content");
    String words =
        content.isString()
            ? content.text()
            : content.items().stream().map(each -> each.text("text")).collect(Collectors.joining());
    return type.equals("search_result")
        ? Stream.of(part.text("title"), part.text("source"), words)
            .filter(each -> !each.isBlank())
            .collect(Collectors.joining("\n"))
        : Stream.of(part.text("text"), part.at("audio").text("transcript"), words)
            .filter(each -> !each.isEmpty())
            .findFirst()
            .orElse("");
  }

  /** Whether a part has a name or members such as Vercel's parts have, and no endpoint's. */
  private boolean isVercel(String type, JsonValue part) {
    boolean camel =
        home == Shape.MESSAGES
            && part.fields().stream()
                .anyMatch(member -> member.name().chars().anyMatch(Character::isUpperCase));
    return camel || (home != Shape.CHAT && type.indexOf('-') >= 0);
  }
}
