package io.memorygateway.format.messages;

import io.memorygateway.json.JsonValue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the system messages of a call set from their place on, beside what they say. */
record SystemTurns(List<JsonValue> messages) {
  /**
   * The effort that is in force at the end. One that stands directly behind new words of the user
   * is for the answer to these, another one from the next new words on; both until they are
   * replaced.
   *
   * @param ofTheCall what its own member says
   */
  @Nullable JsonValue effort(@Nullable JsonValue ofTheCall) {
    JsonValue effort = ofTheCall;
    JsonValue next = null;
    boolean asked = false;
    for (JsonValue message : messages) {
      boolean system = message.text("role").equals("system");
      JsonValue set = system ? message.at("output_config").get("effort") : null;
      next = set == null ? next : set;
      asked = system ? asked : isNewInput(message);
      if (asked && next != null) {
        effort = next;
        next = null;
      }
    }
    return effort;
  }

  private static boolean isNewInput(JsonValue message) {
    JsonValue content = message.at("content");
    return message.text("role").equals("user")
        && (content.isString()
            || content.items().stream()
                .anyMatch(block -> !block.text("type").equals("tool_result")));
  }

  /** The messages without those that are no longer shown, now that the user has a later one. */
  List<JsonValue> shown() {
    Deque<JsonValue> shown = new ArrayDeque<>();
    boolean asked = false;
    for (int i = messages.size() - 1; i >= 0; i--) {
      JsonValue message = messages.get(i);
      String role = message.text("role");
      asked |= role.equals("user");
      if (!asked
          || !role.equals("system")
          || !message.text("clear_at").equals("next_user_message")) {
        shown.addFirst(message);
      }
    }
    return List.copyOf(shown);
  }
}
