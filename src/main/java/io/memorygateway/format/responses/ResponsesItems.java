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
    return stored(item, false);
  }

  /**
   * The message of an item.
   *
   * @param answers whether it has the id of a call before it, so that it is its result, whatever
   *     its type is called
   */
  static StoredMessage stored(JsonValue item, boolean answers) {
    return StoredMessage.of(role(item, answers), item);
  }

  private static String role(JsonValue item, boolean answers) {
    String type = item.text("type");
    if (type.equals("message")) {
      return item.text("role").equals("assistant") ? "assistant" : "user";
    }
    if (OF_THE_USER.contains(type)) {
      return "user";
    }
    return type.endsWith("_output") || (answers && !type.endsWith("_call")) ? "tool" : "assistant";
  }
}
