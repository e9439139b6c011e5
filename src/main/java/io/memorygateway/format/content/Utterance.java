package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message as it is written into a request. */
public final class Utterance {
  private final String role;
  private final List<Part> parts;
  private final @Nullable JsonValue content;
  private final @Nullable JsonValue verbatim;
  private final boolean usesTools;
  private final @Nullable JsonValue string;

  /**
   * A message.
   *
   * @param content its content as it is stored; null if the parts have been changed since
   * @param verbatim the message verbatim, as this request has it; null for a stored one
   */
  public Utterance(
      String role, List<Part> parts, @Nullable JsonValue content, @Nullable JsonValue verbatim) {
    this.role = role;
    this.parts = List.copyOf(parts);
    this.content = content;
    this.verbatim = verbatim;
    this.usesTools =
        parts.stream()
            .anyMatch(part -> part instanceof Part.ToolCall || part instanceof Part.ToolResult);
    boolean oneText =
        content != null
            && content.isString()
            && parts.size() == 1
            && parts.get(0) instanceof Part.Text text
            && !text.text().isBlank();
    this.string = oneText ? content : null;
  }

  /** A stored message; see {@link StoredMessage#utterance}. */
  public static Utterance of(StoredMessage message) {
    return of(message.role(), JsonValue.of(message.content()));
  }

  /**
   * The same of a message that is read.
   *
   * @param content as it is stored
   */
  static Utterance of(String role, JsonValue content) {
    return new Utterance(role, partsOf(role, content), content, null);
  }

  /** The parts of a message. */
  static List<Part> partsOf(String role, JsonValue content) {
    List<Part> parts = PartReader.read(content);
    return role.equals("tool") ? ToolParts.ofTools(content, parts) : parts;
  }

  public static Utterance of(String role, List<Part> parts) {
    return new Utterance(role, parts, null, null);
  }

  /** The same message, as received with this request. */
  public Utterance withVerbatim(JsonValue json) {
    return new Utterance(role, parts, content, json);
  }

  /** The same message with other parts: no longer verbatim. */
  public Utterance withParts(List<Part> newParts) {
    return newParts.equals(parts) ? this : of(role, newParts);
  }

  public String role() {
    return role;
  }

  public List<Part> parts() {
    return parts;
  }

  public @Nullable JsonValue content() {
    return content;
  }

  public @Nullable JsonValue verbatim() {
    return verbatim;
  }

  public boolean usesTools() {
    return usesTools;
  }

  /** The content of a message of one text, not blank, that is a JSON string; else null. */
  public @Nullable JsonValue string() {
    return string;
  }

  public boolean ofModel() {
    return role.equals("assistant");
  }

  public boolean ofSystem() {
    return role.equals("system") || role.equals("developer");
  }
}
