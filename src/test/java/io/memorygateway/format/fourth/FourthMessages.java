package io.memorygateway.format.fourth;

import io.memorygateway.format.call.CallEntry;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Messages of the fourth format: {@code {"by":"human","content":"…"}}, of the model with {@code
 * asks}, of a tool with the key of the call. They are stored in parts that {@code PartReader}
 * knows.
 */
final class FourthMessages {
  static final String RULES = "rules";

  private FourthMessages() {}

  static List<CallEntry> entries(JsonValue root) throws MalformedBodyException {
    JsonValue said = root.get("say");
    if (said == null || !said.isArray()) {
      throw new MalformedBodyException("say must be an array.");
    }
    List<CallEntry> entries = new ArrayList<>();
    for (JsonValue message : said.items()) {
      boolean ofSystem = message.text("by").equals(RULES);
      entries.add(
          ofSystem
              ? CallEntry.ofSystem(message)
              : new CallEntry(message, role(message), stored(message)));
    }
    return entries;
  }

  static Utterance utterance(JsonValue message) {
    return message.text("by").equals(RULES)
        ? Utterance.of("system", List.of(Part.Text.of(message.text("content"))))
        : Utterance.of(
            role(message), StoredMessage.of(role(message), stored(message)).utterance().parts());
  }

  private static String role(JsonValue message) {
    return message.text("by").equals("model") ? "assistant" : "user";
  }

  private static JsonValue stored(JsonValue message) {
    String said = message.text("content");
    if (message.get("key") != null) {
      return JsonValue.of(
          "[%s]"
              .formatted(
                  new JsonObject()
                      .string("type", "tool_result")
                      .string("tool_use_id", message.text("key"))
                      .string("content", said)));
    }
    return stored(said, message.at("asks").items());
  }

  /** What the model says, and its calls, as they are stored. */
  static JsonValue stored(String said, List<JsonValue> asks) {
    if (asks.isEmpty()) {
      return JsonValue.of(JsonWriter.quote(said));
    }
    StringJoiner parts = new StringJoiner(",", "[", "]");
    if (!said.isEmpty()) {
      parts.add(Part.textPart("text", JsonWriter.quote(said)));
    }
    for (JsonValue ask : asks) {
      parts.add(
          new JsonObject()
              .string("type", "tool_use")
              .string("id", ask.text("key"))
              .string("name", ask.text("tool"))
              .raw("input", ask.at("with"))
              .toString());
    }
    return JsonValue.of(parts.toString());
  }

  static void write(List<Utterance> messages, JsonWriter out) {
    for (Utterance message : messages) {
      if (message.verbatim() != null) {
        out.element().raw(message.verbatim());
      } else {
        write(message, out);
      }
    }
  }

  private static void write(Utterance message, JsonWriter out) {
    StringJoiner asks = new StringJoiner(",", "[", "]").setEmptyValue("");
    StringBuilder said = new StringBuilder();
    for (Part part : message.parts()) {
      if (part instanceof Part.ToolResult result) {
        out.element().raw(message("tool", result.text()).string("key", result.id()).toString());
      } else if (part instanceof Part.ToolCall call) {
        asks.add(ask(call.id(), call.name(), call.arguments()));
      } else {
        said.append(Part.textOf(List.of(part)));
      }
    }
    if (!said.isEmpty() || asks.length() > 0) {
      String by = message.ofSystem() ? RULES : message.ofModel() ? "model" : "human";
      String list = asks.length() == 0 ? null : asks.toString();
      out.element().raw(message(by, said.toString()).raw("asks", list).toString());
    }
  }

  static JsonObject message(String by, String said) {
    return new JsonObject().string("by", by).string("content", said);
  }

  static String ask(String key, String tool, String arguments) {
    return new JsonObject()
        .string("key", key)
        .string("tool", tool)
        .raw("with", arguments)
        .toString();
  }
}
