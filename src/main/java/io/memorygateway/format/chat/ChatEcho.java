package io.memorygateway.format.chat;

import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.CallArguments;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes answers of Chat as messages of a request: without what only answers have, except what the
 * provider takes back. An audio goes by its id or, where that is not taken, as its transcript;
 * arguments that are no object go in one.
 */
record ChatEcho(UpstreamModel model) {
  private static final Set<String> OF_PARTS = Set.of("text", "refusal");
  private static final Set<String> OF_CALLS = Set.of("id", "type", "function", "custom");

  /** Members without one of which a message says nothing. */
  private static final Set<String> SAYING =
      Set.of("content", "tool_calls", "function_call", "refusal", "audio", "images");

  private static final String NULL = "null";

  /**
   * The members of the message besides its role.
   *
   * @param answer the message as it is stored, an object
   * @param last whether no message follows, so that the model may go on with it
   * @return null if nothing is left that a request may say
   */
  @Nullable String members(JsonValue answer, boolean last) {
    JsonValue audio = answer.get("audio");
    String byId =
        audio != null && isTaken(audio)
            ? "{\"id\":" + JsonWriter.quote(audio.text("id")) + "}"
            : NULL;
    String transcript = answer.at("audio").text("transcript");
    boolean asText = audio != null && byId.equals(NULL) && answer.get("content") == null;
    StringJoiner members = new StringJoiner(",");
    boolean says = asText && !transcript.isBlank();
    if (says) {
      members.add("\"content\":" + JsonWriter.quote(transcript));
    }
    for (JsonValue.Field field : answer.fields()) {
      String name = field.name();
      String value =
          switch (name) {
            case "content" -> content(field.value());
            case "audio" -> byId;
            case "tool_calls" -> calls(field.value());
            case "name", "refusal", "function_call" -> field.value().raw();
            case "prefix", "partial" -> last ? field.value().raw() : NULL;
            default -> takes(name) && !isEmpty(field.value()) ? field.value().raw() : NULL;
          };
      boolean there = !value.equals(NULL);
      if (name.equals("content") ? !asText : there) {
        members.add(JsonWriter.quote(name) + ":" + value);
      }
      boolean silent = field.value().isString() && field.value().text().isBlank();
      says |= there && !silent && SAYING.contains(name);
    }
    return says ? members.toString() : null;
  }

  private static boolean isEmpty(JsonValue value) {
    return value.isArray() && value.items().isEmpty();
  }

  private boolean takes(String name) {
    return model.traits().takesBack(name);
  }

  private boolean isTaken(JsonValue audio) {
    JsonValue end = audio.get("expires_at");
    boolean over =
        end != null
            && Characters.areDigits(end.raw(), 18)
            && Long.parseLong(end.raw()) <= model.now();
    return takes("audio") && !model.translated() && !over && !audio.text("id").isEmpty();
  }

  private String content(JsonValue content) {
    if (!content.isArray()) {
      return content.raw();
    }
    List<JsonValue> kept =
        content.items().stream()
            .filter(part -> OF_PARTS.contains(part.text("type")) || takes(part.text("type")))
            .toList();
    return kept.size() == content.items().size() && !kept.isEmpty()
        ? content.raw()
        : list(kept.stream().map(JsonValue::raw).toList());
  }

  private String calls(JsonValue calls) {
    List<String> written = calls.items().stream().map(this::call).toList();
    boolean same = calls.items().stream().map(JsonValue::raw).toList().equals(written);
    return same && !written.isEmpty() ? calls.raw() : list(written);
  }

  /** A call without what only answers have. */
  String call(JsonValue call) {
    JsonValue whole = CallArguments.ofChat(call);
    return whole.fields().stream().allMatch(member -> isOfCall(member.name()))
        ? whole.raw()
        : "{" + whole.rawMembers(this::isOfCall) + "}";
  }

  private boolean isOfCall(String name) {
    return OF_CALLS.contains(name) || takes(name);
  }

  private static String list(List<String> items) {
    return items.isEmpty() ? NULL : items.stream().collect(Collectors.joining(",", "[", "]"));
  }
}
