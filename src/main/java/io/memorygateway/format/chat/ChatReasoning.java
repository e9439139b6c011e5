package io.memorygateway.format.chat;

import io.memorygateway.format.answer.Merged;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The members of Chat's messages that are reasoning, in its makers' several ways. */
final class ChatReasoning {
  static final String CONTENT = "reasoning_content";
  static final String PLAIN = "reasoning";
  static final String DETAILS = "reasoning_details";

  /** The member with the parts of a message, of which some are reasoning. */
  static final String PARTS = "content";

  /** The type of such a part, and the member with its text. */
  private static final String PART = "thinking";

  /** Members with its text; some makers say it in two, which are the same. */
  private static final List<String> TEXTS = List.of(CONTENT, PLAIN, PART);

  private ChatReasoning() {}

  static boolean is(String member) {
    return Part.Reasoning.OF_CHAT.contains(member);
  }

  /** Whether a message or a delta has reasoning; empty texts and lists are none. */
  static boolean isIn(JsonValue message) {
    return message.fields().stream().anyMatch(field -> is(field.name()) && says(field.value()));
  }

  static boolean says(@Nullable JsonValue value) {
    return value != null
        && (value.isString() ? value.length() > 2 : value.isArray() && !value.items().isEmpty());
  }

  /** The reasoning that may be shown. */
  static String text(JsonValue message) {
    for (String name : TEXTS) {
      String words = words(message.at(name));
      if (!words.isEmpty()) {
        return words;
      }
    }
    return message.at(DETAILS).items().stream()
        .map(detail -> detail.text("text") + detail.text("summary"))
        .collect(Collectors.joining());
  }

  /** A text, or that of a list of parts. */
  static String words(JsonValue value) {
    return value.text()
        + value.items().stream().map(part -> part.text("text")).collect(Collectors.joining());
  }

  /** Whether a message or a call in it has a signature of its maker. */
  static boolean isSigned(JsonValue message) {
    return Stream.concat(Stream.of(message), message.at("tool_calls").items().stream())
        .anyMatch(each -> signature(each) != null);
  }

  /**
   * The signature of a delta, a message or a call; null if it has none, though it may have flags.
   */
  static @Nullable JsonValue signature(JsonValue signed) {
    JsonValue value = signed.get(Part.ToolCall.SIGNATURE);
    return value != null && hasText(value) ? value : null;
  }

  private static boolean hasText(JsonValue value) {
    return !value.text().isEmpty()
        || value.items().stream().anyMatch(ChatReasoning::hasText)
        || value.fields().stream().anyMatch(field -> hasText(field.value()));
  }

  /** Parts of a caller's message: one for each seal, else one of all that is reasoning. */
  static List<Part> parts(JsonValue message) {
    if (!isIn(message)) {
      return List.of();
    }
    List<Part> sealed = new ArrayList<>();
    for (JsonValue detail : message.at(DETAILS).items()) {
      if (Seal.isSeal(detail.text("data"))) {
        sealed.add(part("{\"" + DETAILS + "\":[" + detail.raw() + "]}"));
      }
    }
    return sealed.isEmpty()
        ? List.of(part("{" + message.rawMembers(ChatReasoning::is) + "}"))
        : sealed;
  }

  private static Part part(String members) {
    return new Part.Reasoning(JsonValue.of(members), Shape.CHAT);
  }

  /** A seal as an entry of {@code reasoning_details}. */
  static String detail(Seal seal, int index) {
    return new JsonObject(256)
        .string("type", "reasoning.encrypted")
        .string("data", seal.text())
        .string("format", Seal.FORMAT)
        .number("index", index)
        .toString();
  }

  static Part part(Seal seal) {
    return part("{\"" + DETAILS + "\":[" + detail(seal, 0) + "]}");
  }

  /**
   * The members of a message that has these parts, each behind a comma: texts joined, lists put
   * together.
   *
   * @param taken the members that the target takes back
   */
  static String members(List<Part> parts, Predicate<String> taken) {
    Map<String, JsonWriter> members = new LinkedHashMap<>();
    Merged signature = new Merged((characters, values) -> true);
    for (Part part : parts) {
      if (part instanceof Part.Reasoning && part.shape() == Shape.CHAT) {
        JsonValue signed = part.source().get(Part.ToolCall.SIGNATURE);
        if (signed != null && taken.test(Part.ToolCall.SIGNATURE)) {
          signature.add(signed);
        }
        for (JsonValue.Field field : part.source().fields()) {
          if (is(field.name()) && taken.test(field.name()) && says(field.value())) {
            add(members, field.name(), field.value());
          }
        }
      }
    }
    StringBuilder out = new StringBuilder();
    members.forEach(
        (name, value) -> {
          String end = name.equals(DETAILS) ? "]" : "\"";
          out.append(",\"").append(name).append("\":").append(value.ascii(end));
        });
    if (!signature.isEmpty()) {
      out.append(",\"").append(Part.ToolCall.SIGNATURE).append("\":").append(signature.json());
    }
    return out.toString();
  }

  /** The parts of its content that are reasoning, in a message that has these parts. */
  static List<String> parts(List<Part> parts, Predicate<String> taken) {
    return parts.stream()
        .filter(part -> part instanceof Part.Reasoning && part.shape() == Shape.CHAT)
        .map(part -> part.source().get(PARTS))
        .filter(content -> content != null && taken.test(PART))
        .flatMap(content -> content.items().stream())
        .filter(part -> part.text("type").equals(PART))
        .map(JsonValue::raw)
        .toList();
  }

  private static void add(Map<String, JsonWriter> members, String name, JsonValue value) {
    boolean list = name.equals(DETAILS);
    if (list != value.isArray()) {
      return;
    }
    JsonWriter out =
        members.computeIfAbsent(name, key -> new JsonWriter(256).ascii(list ? "[" : "\""));
    if (list) {
      value.items().forEach(item -> out.element().raw(item));
    } else {
      String literal = value.raw();
      out.raw(literal.substring(1, literal.length() - 1));
    }
  }
}
