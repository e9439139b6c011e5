package io.memorygateway.format.call;

import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A message of a call with its JSON in the body; one of the system, if {@code message} is null. */
public record CallEntry(JsonValue json, @Nullable StoredMessage message) {

  private static final List<String> IDS = List.of("id", "call_id", "tool_call_id", "tool_use_id");

  /**
   * The rest of a message of which the thread has the first parts.
   *
   * @param known number of those parts that are not empty
   */
  static CallEntry without(StoredMessage message, int known, JsonValue json) {
    JsonValue parts = json.get("content");
    if (known == 0 || parts == null || !parts.isArray()) {
      return new CallEntry(json, message);
    }
    int said = 0;
    int from = 0;
    while (said < known && from < parts.items().size()) {
      String part = "[" + parts.items().get(from++).raw() + "]";
      said += NormalForm.of(new StoredMessage(message.role(), part, message.type())).size();
    }
    StringJoiner rest = new StringJoiner(",", "[", "]");
    parts.items().subList(from, parts.items().size()).forEach(part -> rest.add(part.raw()));
    JsonValue cut = json.with("content", rest.toString());
    JsonValue held = JsonValue.of(message.content());
    String stored = held.isArray() ? rest.toString() : held.with("content", rest.toString()).raw();
    return new CallEntry(cut, StoredMessage.of(message.role(), stored));
  }

  /** The message with the thread's ids in the place of the client's own. */
  CallEntry renamed(Map<String, String> ids) {
    JsonValue changed = message == null ? json : renamed(json, ids);
    return message == null || changed == json
        ? this
        : new CallEntry(
            changed,
            StoredMessage.of(message.role(), renamed(JsonValue.of(message.content()), ids)));
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
