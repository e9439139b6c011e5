package io.memorygateway.format.messages;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the members of a Messages answer besides its content: id, model, stop reason, usage. */
final class MessagesMetadata {
  private static final Set<String> REBUILT_MEMBERS = Set.of("type", "role", "content", "usage");

  private final Map<String, String> members = new LinkedHashMap<>();
  private final Map<String, String> usage = new LinkedHashMap<>();

  /** Takes a whole answer, or the message of {@code message_start}. */
  void take(JsonValue message) {
    JsonValue.of(AnswerMetadata.object(AnswerMetadata.members(message, REBUILT_MEMBERS)))
        .fields()
        .forEach(field -> members.put(field.name(), field.value().raw()));
    takeUsage(message.get("usage"));
  }

  void takeDelta(JsonValue event) {
    JsonValue delta = event.get("delta");
    if (delta != null) {
      take(delta);
    }
    take(JsonValue.of("{" + event.rawMembers(name -> !name.equals("delta")) + "}"));
  }

  private void takeUsage(@Nullable JsonValue reported) {
    if (reported != null) {
      for (JsonValue.Field field : reported.fields()) {
        if (!field.value().isNull() || !usage.containsKey(field.name())) {
          usage.put(field.name(), field.value().raw());
        }
      }
    }
  }

  String json() {
    List<String> all = new ArrayList<>(json(members));
    all.add("\"usage\":" + AnswerMetadata.object(json(usage)));
    return AnswerMetadata.object(all);
  }

  private static List<String> json(Map<String, String> members) {
    return members.entrySet().stream()
        .map(member -> AnswerMetadata.member(member.getKey(), member.getValue()))
        .toList();
  }
}
