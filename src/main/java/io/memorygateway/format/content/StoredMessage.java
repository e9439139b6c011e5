package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A message of a thread, in the raw form of its author (contract §5): one message of Chat or
 * Messages, or one item of Responses. Content is one of:
 *
 * <ul>
 *   <li>the value of {@code content}, when it is a string, an array or an object, and the message
 *       has no members but that and {@code role}; members that are null or an empty array, such as
 *       {@code "refusal":null}, say nothing and do not count;
 *   <li>else, of Chat and Messages, the message object without {@code role}: {@code
 *       {"content":null,"tool_calls":[…]}};
 *   <li>else the whole item of Responses: {@code {"type":"function_call",…}}.
 * </ul>
 *
 * Values keep their bytes, so that the message can be rebuilt exactly. It is parsed once, when it
 * is first compared or rendered: thread tails are cached for the next turn, with the result.
 */
public final class StoredMessage {
  public static final Set<String> ROLES =
      Set.of("system", "user", "assistant", "tool", "developer");

  public static final Set<String> TYPES =
      Set.of("text", "tool-call", "tool-result", "reasoning", "image", "mixed");

  /** The content of a message that has none: the memory API takes no bare {@code null}. */
  public static final String NO_CONTENT = "{\"content\":null}";

  /** Members of a message whose content is stored alone. */
  private static final Set<String> BARE = Set.of("role", "content");

  private final String role;
  private final String content;
  private final String type;

  /** Parsed when it is first needed; concurrent threads get equal results. */
  private @Nullable Utterance utterance;

  /**
   * A message.
   *
   * @param role system, user, assistant, tool or developer
   * @param content JSON
   * @param type text, tool-call, tool-result, reasoning, image, or mixed for several and for others
   */
  public StoredMessage(String role, String content, String type) {
    this.role = role;
    this.content = content;
    this.type = type;
  }

  public String role() {
    return role;
  }

  public String content() {
    return content;
  }

  public String type() {
    return type;
  }

  /** The same message, without its parsed parts. */
  public StoredMessage withoutParts() {
    return utterance == null ? this : new StoredMessage(role, content, type);
  }

  /** The message with what stands before one of its parts, or behind it; null if nothing does. */
  public @Nullable StoredMessage beside(Part part, boolean before) {
    JsonValue held = JsonValue.of(content);
    JsonValue list = held.isObject() ? held.get("content") : held;
    if (list == null || !list.isArray()) {
      return null;
    }
    List<String> parts = list.items().stream().map(JsonValue::raw).toList();
    int at = before ? parts.indexOf(part.source().raw()) : parts.lastIndexOf(part.source().raw());
    parts = before ? parts.subList(0, Math.max(at, 0)) : parts.subList(at + 1, parts.size());
    String kept = "[" + String.join(",", parts) + "]";
    return parts.isEmpty()
        ? null
        : of(role, held.isArray() ? kept : held.with("content", kept).raw());
  }

  /** Whether a user wrote it: a message of role user without results of tools. */
  public boolean isOfUser() {
    return role.equals("user") && !utterance().usesTools();
  }

  /** Its text, without arguments and results of tools. */
  public String text() {
    return Part.textOf(utterance().parts());
  }

  public List<String> callIds() {
    return utterance().parts().stream()
        .filter(part -> part instanceof Part.ToolCall)
        .map(part -> ((Part.ToolCall) part).id())
        .toList();
  }

  public List<String> resultIds() {
    return utterance().parts().stream()
        .filter(part -> part instanceof Part.ToolResult)
        .map(part -> ((Part.ToolResult) part).id())
        .toList();
  }

  /**
   * The message with ids for its results that have none.
   *
   * @param ids of their calls, in their order
   */
  public StoredMessage named(List<String> ids) {
    boolean ofChat =
        utterance().parts().get(0) instanceof Part.ToolResult result
            && result.shape() == Shape.CHAT;
    return of(
        role,
        ofChat
            ? ((Part.ToolResult) utterance().parts().get(0)).withId(ids.get(0)).source()
            : ToolParts.named(JsonValue.of(content), ids.iterator()));
  }

  /**
   * The message with a line before its text, as it goes upstream; the message itself, if it has no
   * text or is of a shape that cannot hold a line.
   */
  public StoredMessage withFirstLine(String line) {
    String added =
        Part.sayNothing(utterance().parts()) ? null : FirstLine.add(JsonValue.of(content), line);
    return added == null ? this : new StoredMessage(role, added, type);
  }

  /**
   * A short form of the message, which is marked as such.
   *
   * @param characters of its texts together, at most, besides ids and names of tools
   */
  public StoredMessage shortened(int characters) {
    return new ShortForm(characters).of(this);
  }

  /** Approximate bytes of heap of the parsed parts, in addition to the text. */
  public long weightOfParts() {
    JsonValue made = utterance == null ? null : utterance.content();
    return made == null ? 0 : made.weight();
  }

  /** The parsed message, for a request that it was not part of. */
  public Utterance utterance() {
    Utterance known = utterance;
    if (known == null) {
      known = Utterance.of(this);
      utterance = known;
    }
    return known;
  }

  /** A message whose type is derived from its content. */
  public static StoredMessage of(String role, String content) {
    return of(role, JsonValue.of(content));
  }

  /** A message or item whose content is a value within a larger text. */
  public static StoredMessage of(String role, JsonValue content) {
    List<Part> parts = content.isNull() ? List.of() : Utterance.of(role, content).parts();
    return new StoredMessage(role, content.raw(), typeOf(content, parts));
  }

  /**
   * A message object of an endpoint: of Chat or Messages, or a message in the short form of
   * Responses.
   */
  public static StoredMessage ofMessage(JsonValue message, Shape endpoint) {
    return of(roleOf(message), contentOf(message, endpoint));
  }

  /** The same as it is written into a request, which holds the whole text that it is of. */
  public static Utterance utteranceOf(JsonValue message, Shape endpoint) {
    return Utterance.of(roleOf(message), contentOf(message, endpoint));
  }

  /** The role with which a message object is stored. */
  public static String roleOf(JsonValue message) {
    String said = message.text("role");
    return said.equals("function") ? "tool" : ROLES.contains(said) ? said : "user";
  }

  /** The content with which a message object is stored: a slice of the message where it is one. */
  public static JsonValue contentOf(JsonValue message, Shape endpoint) {
    JsonValue content = message.get("content");
    String said = message.text("role");
    String left =
        said.equals("function") && message.get("tool_call_id") == null ? "tool_call_id" : "";
    boolean bare = true;
    for (JsonValue.Field field : message.fields()) {
      JsonValue value = field.value();
      bare &=
          BARE.contains(field.name())
              || value.isNull()
              || (value.isArray() && value.items().isEmpty());
    }
    if (content != null && content.isArray() && endpoint != Shape.MESSAGES) {
      // Only its form tells of which endpoint a part is that is not known by its name.
      bare &= PartReader.read(content, Shape.MESSAGES).equals(PartReader.read(content, endpoint));
    }
    if (!bare && endpoint == Shape.RESPONSES) {
      return JsonValue.of("{\"type\":\"message\"," + message.rawMembers(name -> true) + "}");
    }
    if (!bare) {
      return JsonValue.of(
          "{" + message.rawMembers(name -> !name.equals("role") && !name.equals(left)) + "}");
    }
    if (content == null) {
      return JsonValue.of(NO_CONTENT);
    }
    // Of a tool's result, any other object is what the tool says.
    boolean isObject =
        content.isObject()
            && (content.string("type") != null
                || content.get("parts") != null
                || !roleOf(message).equals("tool"));
    boolean isContent = content.isString() || content.isArray() || isObject;
    return isContent ? content : JsonValue.of("{\"content\":" + content.raw() + "}");
  }

  /**
   * The type of a message with this content: that of all its parts, or mixed if they are of several
   * types or of one without a name. Empty text does not count.
   *
   * @param content JSON
   */
  public static String typeOf(String content) {
    JsonValue read = JsonValue.of(content);
    return typeOf(read, read.isNull() ? List.of() : PartReader.read(read));
  }

  private static String typeOf(JsonValue content, List<Part> parts) {
    if (PartReader.isReasoning(content)) {
      return "reasoning";
    }
    Set<String> types = new TreeSet<>();
    for (Part part : parts) {
      if (part instanceof Part.Text text) {
        if (!text.text().isEmpty()) {
          types.add("text");
        }
      } else if (part instanceof Part.ToolCall) {
        types.add("tool-call");
      } else if (part instanceof Part.ToolResult) {
        types.add("tool-result");
      } else if (part instanceof Part.Reasoning) {
        types.add("reasoning");
      } else {
        types.add(part instanceof Part.Image ? "image" : "mixed");
      }
    }
    return types.isEmpty() ? "text" : types.size() == 1 ? types.iterator().next() : "mixed";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StoredMessage that
        && role.equals(that.role)
        && content.equals(that.content)
        && type.equals(that.type);
  }

  @Override
  public int hashCode() {
    return Objects.hash(role, content, type);
  }

  @Override
  public String toString() {
    return "StoredMessage[role=" + role + ", content=" + content + ", type=" + type + "]";
  }
}
