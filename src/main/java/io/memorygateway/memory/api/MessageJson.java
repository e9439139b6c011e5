package io.memorygateway.memory.api;

import io.memorygateway.json.JsonOut;
import io.memorygateway.memory.MessageRow;
import java.util.List;

/** Messages as the API shows them. */
final class MessageJson {
  private static final int TYPICAL_LENGTH = 240;

  private MessageJson() {}

  /** {@code {"message":…}}. */
  static JsonOut one(String threadId, MessageRow message) {
    JsonOut out = new JsonOut(TYPICAL_LENGTH + message.content().length()).ascii("{\"message\":");
    return write(out, threadId, message).ascii("}");
  }

  /** {@code {"messages":[…]}}. */
  static JsonOut list(String threadId, List<MessageRow> messages) {
    return writeAll(new JsonOut(length(messages)), threadId, messages).ascii("}");
  }

  /** {@code {"messages":[…],"total","limit","offset"}}. */
  static JsonOut page(String threadId, List<MessageRow> messages, long total, PageParameters page) {
    JsonOut out = new JsonOut(length(messages)).ascii("{\"messages\":[");
    PageParameters.writeItems(out, messages, (json, message) -> write(json, threadId, message));
    return page.write(out.ascii("]"), total).ascii("}");
  }

  static JsonOut write(JsonOut out, String threadId, MessageRow message) {
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

  private static JsonOut writeAll(JsonOut out, String threadId, List<MessageRow> messages) {
    out.ascii("{\"messages\":[");
    String separator = "";
    for (MessageRow message : messages) {
      write(out.ascii(separator), threadId, message);
      separator = ",";
    }
    return out.ascii("]");
  }

  private static int length(List<MessageRow> messages) {
    int contents = messages.stream().mapToInt(message -> message.content().length()).sum();
    return 64 + messages.size() * TYPICAL_LENGTH + contents;
  }
}
