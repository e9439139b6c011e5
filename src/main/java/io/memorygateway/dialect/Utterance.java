package io.memorygateway.dialect;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way into a request.
 *
 * @param content its content as it is stored; null once its parts are no longer what that says
 * @param verbatim the message as the caller spelt it in this very request; null for a stored one
 */
record Utterance(
    String role, List<Part> parts, @Nullable JsonValue content, @Nullable JsonValue verbatim) {

  Utterance {
    parts = List.copyOf(parts);
  }

  /** A stored message; see {@link StoredMessage#utterance}. */
  static Utterance of(StoredMessage message) {
    JsonValue content = JsonValue.of(message.content());
    return new Utterance(message.role(), PartReader.read(content), content, null);
  }

  static Utterance of(String role, List<Part> parts) {
    return new Utterance(role, parts, null, null);
  }

  /** The same, as it came with this request. */
  Utterance spelt(JsonValue spelling) {
    return new Utterance(role, parts, content, spelling);
  }

  /** The same with other parts: no longer what anybody spelt. */
  Utterance withParts(List<Part> newParts) {
    return newParts.equals(parts) ? this : of(role, newParts);
  }

  /** Whether there is a call of a tool in it, or what one gave. */
  boolean usesTools() {
    for (Part part : parts) {
      if (part instanceof Part.ToolCall || part instanceof Part.ToolResult) {
        return true;
      }
    }
    return false;
  }

  boolean ofModel() {
    return role.equals("assistant");
  }

  boolean ofSystem() {
    return role.equals("system") || role.equals("developer");
  }
}
