package io.memorygateway.memory.api;

import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.MessageRow;
import java.util.List;

/** Writer of messages in the format of the API. */
final class MessageJson {
  private static final int TYPICAL_LENGTH = 240;

  private MessageJson() {}

  /** Writes {@code {"message":…}}. */
  static JsonWriter one(String threadId, MessageRow message) {
    JsonWriter out =
        new JsonWriter(TYPICAL_LENGTH + message.content().length()).ascii("{\"message\":");
    return write(out, threadId, message).ascii("}");
  }

  /** Writes {@code {"messages":[…]}}. */
  static JsonWriter list(String threadId, List<MessageRow> messages) {
    return writeAll(new JsonWriter(length(messages)), threadId, messages).ascii("}");
  }

  /** Writes {@code {"messages":[…],"total","limit","offset"}}. */
  static JsonWriter page(
      String threadId, List<MessageRow> messages, long total, PageParameters page) {
    JsonWriter out = new JsonWriter(length(messages)).ascii("{\"messages\":[");
    PageParameters.writeItems(out, messages, (json, message) -> write(json, threadId, message));
    return page.write(out.ascii("]"), total).ascii("}");
  }

  static JsonWriter write(JsonWriter out, String threadId, MessageRow message) {
    out.ascii("{\"id\":")
        .string(message.publicId())
        .ascii(",\"threadId\":")
        .string(threadId)
        .ascii(",\"role\":\"")
        .ascii(message.role())
        .ascii("\",\"content\":")
        .raw(message.content())
        .ascii(",\"type\":\"")
        .ascii(message.type())
        .ascii("\",\"createdAt\":")
        .time(message.createdAt());
    if (message.incomplete()) {
      out.ascii(",\"incomplete\":true");
    }
    if (message.superseded()) {
      out.ascii(",\"superseded\":true");
    }
    return out.ascii("}");
  }

  private static JsonWriter writeAll(JsonWriter out, String threadId, List<MessageRow> messages) {
    out.ascii("{\"messages\":[");
    for (MessageRow message : messages) {
      write(out.element(), threadId, message);
    }
    return out.ascii("]");
  }

  private static int length(List<MessageRow> messages) {
    int contents = messages.stream().mapToInt(message -> message.content().length()).sum();
    return 64 + messages.size() * TYPICAL_LENGTH + contents;
  }
}
