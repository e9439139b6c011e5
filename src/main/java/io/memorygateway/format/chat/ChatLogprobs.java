package io.memorygateway.format.chat;

import io.memorygateway.format.answer.Merged;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The logprobs of a choice, whole or chunk by chunk: those of its content and of its refusal. */
final class ChatLogprobs {
  /** Characters; an answer with more of them is given again without any. */
  static final int MAX_CHARACTERS = 256 << 10;

  private final Map<String, StringBuilder> lists = new LinkedHashMap<>();
  private final Merged.Room room;
  private int length;

  /** Logprobs that hold as much as there is room for. */
  ChatLogprobs(Merged.Room room) {
    this.room = room;
  }

  /** Takes what an answer, or the next chunk of a streamed one, says; null for nothing. */
  void take(@Nullable JsonValue logprobs) {
    if (logprobs == null || length > MAX_CHARACTERS) {
      return;
    }
    for (JsonValue.Field field : logprobs.fields()) {
      if (field.value().isArray()) {
        add(field.name(), field.value());
      }
    }
  }

  private void add(String name, JsonValue tokens) {
    StringBuilder list = lists.get(name);
    if (list == null) {
      list = new StringBuilder();
      length += name.length();
      lists.put(name, list);
    }
    length += tokens.length();
    if (length > MAX_CHARACTERS || !room.takes(tokens.length(), 0)) {
      lists.clear();
      return;
    }
    for (JsonValue token : tokens.items()) {
      list.append(list.isEmpty() ? "" : ",").append(token.raw());
    }
  }

  /** The object of the lists; null if none came, or too many to be kept. */
  @Nullable String json() {
    if (lists.isEmpty()) {
      return null;
    }
    StringBuilder json = new StringBuilder("{");
    lists.forEach(
        (name, list) ->
            json.append(json.length() == 1 ? "" : ",")
                .append(JsonWriter.quote(name))
                .append(":[")
                .append(list)
                .append("]"));
    for (String name : new String[] {"content", "refusal"}) {
      if (!lists.containsKey(name)) {
        json.append(",\"").append(name).append("\":null");
      }
    }
    return json.append("}").toString();
  }
}
