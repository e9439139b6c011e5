package io.memorygateway.format.call;

import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.ToolParts;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A message of a call, of the system or of the conversation, with its JSON in the body. */
public final class CallEntry {
  private static final List<String> IDS = List.of("id", "call_id", "tool_call_id", "tool_use_id");

  private final JsonValue json;
  private final String role;
  private final @Nullable JsonValue content;

  /** Made when it is first needed: who only counts the call needs none. */
  private @Nullable StoredMessage message;

  /**
   * A message of the conversation.
   *
   * @param content as it is stored
   */
  public CallEntry(JsonValue json, String role, JsonValue content) {
    this.json = json;
    this.role = role;
    this.content = content;
  }

  private CallEntry(JsonValue json) {
    this.json = json;
    this.role = "system";
    this.content = null;
  }

  /** A message of the system. */
  public static CallEntry ofSystem(JsonValue json) {
    return new CallEntry(json);
  }

  JsonValue json() {
    return json;
  }

  /** Its content as it is stored; null if it is of the system. */
  public @Nullable JsonValue content() {
    return content;
  }

  /** What the system says by it: its content, or the whole of an item that has none. */
  public JsonValue instructions() {
    JsonValue said = json.get("content");
    return said == null ? json : said;
  }

  /** The message as it is stored; null if it is of the system. */
  @Nullable StoredMessage message() {
    StoredMessage made = message;
    if (made == null && content != null) {
      made = StoredMessage.of(role, content);
      message = made;
    }
    return made;
  }

  /**
   * The rest of a message of which the thread has the first parts.
   *
   * @param known number of those parts that are not empty
   */
  CallEntry without(int known) {
    JsonValue parts = json.get("content");
    StoredMessage whole = message();
    return known == 0 || whole == null || parts == null || !parts.isArray()
        ? this
        : new CallEntry(
            json.with("content", behind(parts, whole, known)),
            role,
            JsonValue.of(without(whole, known).content()));
  }

  /** The rest of a message, as it is stored. */
  public static StoredMessage without(StoredMessage whole, int known) {
    JsonValue held = JsonValue.of(whole.content());
    JsonValue parts = held.isObject() ? held.at("content") : held;
    if (known == 0 || !parts.isArray()) {
      return whole;
    }
    String rest = behind(parts, whole, known);
    return StoredMessage.of(whole.role(), held.isArray() ? rest : held.with("content", rest).raw());
  }

  private static String behind(JsonValue parts, StoredMessage whole, int known) {
    int said = 0;
    int from = 0;
    while (said < known && from < parts.items().size()) {
      String part = "[" + parts.items().get(from++).raw() + "]";
      said += NormalForm.of(new StoredMessage(whole.role(), part, whole.type())).size();
    }
    StringJoiner rest = new StringJoiner(",", "[", "]");
    parts.items().subList(from, parts.items().size()).forEach(part -> rest.add(part.raw()));
    return rest.toString();
  }

  /**
   * The message with ids for its results that have none.
   *
   * @param ids of their calls, in their order
   */
  CallEntry named(List<String> ids) {
    StoredMessage said = message();
    return said == null
        ? this
        : new CallEntry(
            ToolParts.named(json, ids.iterator()), role, JsonValue.of(said.named(ids).content()));
  }

  /** The message with the thread's ids in the place of the client's own. */
  CallEntry renamed(Map<String, String> ids) {
    JsonValue changed = content == null ? json : renamed(json, ids);
    return content == null || changed == json
        ? this
        : new CallEntry(changed, role, renamed(content, ids));
  }

  private static JsonValue renamed(JsonValue json, Map<String, String> ids) {
    if (json.isArray()) {
      List<JsonValue> named = json.items().stream().map(part -> renamed(part, ids)).toList();
      return named.equals(json.items())
          ? json
          : JsonValue.of(
              named.stream().map(JsonValue::raw).collect(Collectors.joining(",", "[", "]")));
    }
    JsonValue changed = json;
    if (json.isObject()) {
      for (String member : IDS) {
        String id = ids.get(json.text(member));
        changed = id == null ? changed : changed.with(member, JsonWriter.quote(id));
      }
      for (String member : List.of("content", "tool_calls")) {
        JsonValue parts = json.get(member);
        JsonValue named = parts == null ? null : renamed(parts, ids);
        changed = named == null || named == parts ? changed : changed.with(member, named.raw());
      }
    }
    return changed;
  }
}
