package io.memorygateway.format.responses;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.Set;

/** Converts items of Responses to messages of a thread. */
final class ResponsesItems {
  private static final Set<String> OF_THE_USER = Set.of("mcp_approval_response");

  private ResponsesItems() {}

  /** The message of an item: the item itself is the content, and its type tells the role. */
  static StoredMessage stored(JsonValue item) {
    return StoredMessage.of(role(item), item);
  }

  private static String role(JsonValue item) {
    String type = item.text("type");
    if (type.equals("message")) {
      return item.text("role").equals("assistant") ? "assistant" : "user";
    }
    if (OF_THE_USER.contains(type)) {
      return "user";
    }
    return type.endsWith("_output") ? "tool" : "assistant";
  }
}
