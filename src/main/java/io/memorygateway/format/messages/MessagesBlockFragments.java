package io.memorygateway.format.messages;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** One content block of a Messages stream, assembled from its deltas. */
final class MessagesBlockFragments {
  private final JsonValue start;
  private final Map<String, StringBuilder> texts = new LinkedHashMap<>();
  private final StringBuilder citations = new StringBuilder();
  private final StringBuilder input = new StringBuilder();
  private boolean stopped;

  MessagesBlockFragments(JsonValue start) {
    this.start = start;
  }

  /** Adds a delta to a member, which the delta's type or, for unknown types, the block tells. */
  void add(JsonValue delta) {
    if (delta.text("type").equals("citations_delta")) {
      JsonValue citation = delta.get("citation");
      if (citation != null) {
        citations.append(citations.isEmpty() ? "" : ",").append(citation.raw());
      }
      return;
    }
    for (JsonValue.Field member : delta.fields()) {
      String name = member.name();
      if (name.equals("partial_json")) {
        input.append(member.value().text());
      } else if (!name.equals("type") && member.value().isString()) {
        texts.computeIfAbsent(name, key -> new StringBuilder()).append(member.value().text());
      }
    }
  }

  void stop() {
    stopped = true;
  }

  /**
   * Whether the block can be stored as far as it was received: text that is not empty, reasoning
   * with its signature, a call with all of its input; any other block only if it is whole.
   */
  boolean isWorthKeeping() {
    return switch (start.text("type")) {
      case "text" -> !member("text").isEmpty();
      case "thinking" -> !member("signature").isEmpty();
      default -> stopped && (input.isEmpty() || JsonValue.isValid(input.toString()));
    };
  }

  String json() {
    Map<String, String> members = new LinkedHashMap<>();
    Map<String, JsonValue> own = start.members();
    own.forEach((name, value) -> members.put(name, value.raw()));
    texts.forEach(
        (name, more) -> {
          JsonValue before = own.get(name);
          members.put(name, JsonWriter.quote((before == null ? "" : before.text()) + more));
        });
    if (!input.isEmpty()) {
      members.put("input", input.toString());
    }
    if (!citations.isEmpty()) {
      members.put("citations", "[" + citations + "]");
    }
    StringJoiner block = new StringJoiner(",", "{", "}");
    members.forEach((name, json) -> block.add(JsonWriter.quote(name) + ":" + json));
    return block.toString();
  }

  private String member(String name) {
    StringBuilder more = texts.get(name);
    return start.text(name) + (more == null ? "" : more);
  }
}
