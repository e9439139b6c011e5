package io.memorygateway.format.chat;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Messages as servers take them whose chat templates allow one message of the system, at the
 * beginning, and no two of the user in a row.
 */
final class StrictRoles {
  private static final String BLANK_LINE = "\n\n";

  private StrictRoles() {}

  /**
   * Joins neighbouring messages of the user.
   *
   * @param messages without those of the system that lead
   */
  static List<Utterance> joined(List<Utterance> messages) {
    List<Utterance> joined = new ArrayList<>(messages.size());
    int last = -1;
    for (Utterance message : messages) {
      Utterance both =
          last >= 0 && isOfUser(message) && !message.usesTools()
              ? join(joined.get(last), message)
              : null;
      if (both != null) {
        joined.set(last, both);
        continue;
      }
      joined.add(message);
      if (!isSilent(message)) {
        last = isOfUser(message) ? joined.size() - 1 : -1;
      }
    }
    return joined;
  }

  /** The messages of the system as marked words of the user, and his neighbouring ones joined. */
  static List<Utterance> ofUser(List<Utterance> messages) {
    return joined(
        messages.stream()
            .map(
                message ->
                    message.ofSystem() && message.verbatim() == null ? marked(message) : message)
            .toList());
  }

  private static Utterance marked(Utterance message) {
    return text("<system-message>" + Part.textOf(message.parts()) + "</system-message>");
  }

  private static Utterance text(String text) {
    return StoredMessage.of("user", JsonWriter.quote(text)).utterance();
  }

  /** Both as one message of the user; null if one has members that only it may have. */
  private static @Nullable Utterance join(Utterance before, Utterance next) {
    if (!isPlain(before) || !isPlain(next)) {
      return null;
    }
    JsonValue words = before.string();
    JsonValue more = next.string();
    return words != null && more != null
        ? text(words.text() + BLANK_LINE + more.text())
        : before.withParts(Stream.concat(before.parts().stream(), next.parts().stream()).toList());
  }

  private static boolean isPlain(Utterance message) {
    JsonValue verbatim = message.verbatim();
    return verbatim == null
        || verbatim.rawMembers(name -> !name.equals("role") && !name.equals("content")).isEmpty();
  }

  private static boolean isOfUser(Utterance message) {
    return message.role().equals("user");
  }

  /** Whether nothing is written of an answer, as of one of thoughts alone. */
  private static boolean isSilent(Utterance message) {
    return message.ofModel()
        && message.verbatim() == null
        && !message.usesTools()
        && Part.textOf(message.parts()).isBlank();
  }

  /** The messages of the system that lead, with more texts at the end of the last one. */
  static List<JsonValue> led(List<JsonValue> head, List<String> texts) {
    if (texts.isEmpty()) {
      return head;
    }
    String text = JsonWriter.quote(String.join(BLANK_LINE, texts));
    JsonValue last = head.isEmpty() ? null : head.get(head.size() - 1);
    JsonValue content = last == null ? null : last.get("content");
    if (last == null || content == null || !(content.isString() || content.isArray())) {
      return added(head, JsonValue.of("{\"role\":\"system\",\"content\":" + text + "}"));
    }
    String raw = content.raw();
    String more = text.substring(1);
    String both =
        content.isString()
            ? raw.substring(0, raw.length() - 1) + "\\n\\n" + more
            : raw.substring(0, raw.length() - 1)
                + (content.items().isEmpty() ? "" : ",")
                + Part.textPart("text", text)
                + "]";
    return added(head.subList(0, head.size() - 1), last.with("content", both));
  }

  private static List<JsonValue> added(List<JsonValue> head, JsonValue message) {
    return Stream.concat(head.stream(), Stream.of(message)).toList();
  }
}
