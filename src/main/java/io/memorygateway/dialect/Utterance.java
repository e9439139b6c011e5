package io.memorygateway.dialect;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is written into a request.
 *
 * @param content its content as it is stored; null if the parts have been changed since
 * @param verbatim the message verbatim, as this request has it; null for a stored one
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

  /** The same message, as received with this request. */
  Utterance withVerbatim(JsonValue json) {
    return new Utterance(role, parts, content, json);
  }

  /** The same message with other parts: no longer verbatim. */
  Utterance withParts(List<Part> newParts) {
    return newParts.equals(parts) ? this : of(role, newParts);
  }

  /** Whether it has a call of a tool or a result. */
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
