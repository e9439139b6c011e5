package io.memorygateway.format.chat;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One tool call of a Chat stream, assembled from its fragments. */
final class ChatCallFragments {
  private String index = "";
  private String id = "";
  private @Nullable String name;
  private final StringBuilder arguments = new StringBuilder();

  /** Members unknown to this gateway, such as a signature; the last of each counts. */
  private final Map<String, String> others = new LinkedHashMap<>();

  /**
   * Whether a fragment belongs to this call. The index decides; some servers send none or always
   * the same, and a new id with each call.
   *
   * @param fragmentIndex null if it has none
   */
  boolean takes(String fragmentId, @Nullable String fragmentIndex, boolean isLast) {
    boolean sameId = fragmentId.isEmpty() || id.isEmpty() || fragmentId.equals(id);
    return sameId && (fragmentIndex == null ? isLast : fragmentIndex.equals(index));
  }

  void add(JsonValue fragment) {
    for (JsonValue.Field member : fragment.fields()) {
      JsonValue value = member.value();
      if (!value.isNull()) {
        switch (member.name()) {
          case "index" -> index = value.raw();
          case "id" -> id = value.text().isEmpty() ? id : value.text();
          case "function" -> addFunction(value);
          default -> others.put(member.name(), value.raw());
        }
      }
    }
  }

  private void addFunction(JsonValue function) {
    String fragment = function.string("name");
    if (fragment != null && !fragment.isEmpty()) {
      // Some servers repeat the whole name, but none sends it in pieces.
      name = fragment;
    }
    JsonValue more = function.get("arguments");
    if (more != null) {
      arguments.append(more.isString() ? more.text() : more.raw());
    }
  }

  /** Whether the arguments are complete: empty or valid JSON. */
  boolean isComplete() {
    return name == null || arguments.isEmpty() || JsonValue.isValid(arguments.toString());
  }

  String json() {
    StringBuilder out = new StringBuilder("{\"id\":").append(JsonWriter.quote(id));
    if (!others.containsKey("type")) {
      out.append(",\"type\":\"function\"");
    }
    others.forEach(
        (key, json) -> out.append(',').append(JsonWriter.quote(key)).append(':').append(json));
    if (name != null) {
      out.append(",\"function\":{\"name\":")
          .append(JsonWriter.quote(name))
          .append(",\"arguments\":")
          .append(JsonWriter.quote(arguments.toString()))
          .append('}');
    }
    return out.append('}').toString();
  }
}
