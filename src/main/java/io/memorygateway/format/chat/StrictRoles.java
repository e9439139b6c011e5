package io.memorygateway.format.chat;

import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
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
   * Joins neighbouring messages of the user, and neighbouring texts of the model; before an answer
   * that is the first, the user's words come.
   */
  private static List<Utterance> joined(List<Utterance> messages) {
    List<List<Utterance>> runs = new ArrayList<>();
    List<Utterance> open = List.of();
    Utterance first = messages.stream().filter(each -> !isSilent(each)).findFirst().orElse(null);
    if (first != null && first.ofModel()) {
      runs.add(List.of(StoredMessage.of("user", MessageWriters.CONTINUED).utterance()));
    }
    for (Utterance message : messages) {
      boolean said = isSaid(message);
      boolean joins = said || (isOfUser(message) && !message.usesTools());
      if (joins
          && isPlain(message)
          && !open.isEmpty()
          && open.get(0).role().equals(message.role())
          && isPlain(open.get(0))) {
        open.add(message);
        continue;
      }
      List<Utterance> run = new ArrayList<>(List.of(message));
      runs.add(run);
      if (!isSilent(message)) {
        open = said || isOfUser(message) ? run : List.of();
      }
    }
    return runs.stream().map(StrictRoles::one).toList();
  }

  /**
   * The messages in such roles, those of the system as marked words of the user.
   *
   * @param messages without those of the system that lead
   */
  static List<Utterance> ofUser(List<Utterance> messages) {
    return joined(messages.stream().map(StrictRoles::heard).toList());
  }

  /**
   * The last message, marked as the beginning of an answer if the model says it.
   *
   * @param member by which it is marked
   */
  static Utterance begun(Utterance last, String member) {
    return isSaid(last)
        ? last.withVerbatim(
            JsonValue.of(
                "{\"role\":\"assistant\",\"content\":"
                    + JsonWriter.quote(Part.textOf(last.parts()))
                    + ",\""
                    + member
                    + "\":true}"))
        : last;
  }

  private static Utterance heard(Utterance message) {
    if (!message.ofSystem()) {
      return message;
    }
    JsonValue verbatim = message.verbatim();
    List<Part> parts =
        verbatim == null
            ? message.parts()
            : StoredMessage.utteranceOf(verbatim, Shape.CHAT).parts();
    return text("user", "<system-message>" + Part.textOf(parts) + "</system-message>");
  }

  private static Utterance text(String role, String text) {
    return StoredMessage.of(role, JsonWriter.quote(text)).utterance();
  }

  private static Utterance one(List<Utterance> run) {
    if (run.size() == 1) {
      return run.get(0);
    }
    boolean texts = isSaid(run.get(0));
    return texts || run.stream().allMatch(message -> message.string() != null)
        ? text(
            run.get(0).role(),
            run.stream()
                .map(message -> Part.textOf(message.parts()))
                .collect(Collectors.joining(BLANK_LINE)))
        : run.get(0).withParts(run.stream().flatMap(message -> message.parts().stream()).toList());
  }

  private static boolean isPlain(Utterance message) {
    JsonValue verbatim = message.verbatim();
    return verbatim == null || isPlain(verbatim);
  }

  private static boolean isPlain(JsonValue message) {
    return message.rawMembers(name -> !name.equals("role") && !name.equals("content")).isEmpty();
  }

  private static boolean isOfUser(Utterance message) {
    return message.role().equals("user");
  }

  /** Whether it is an answer of texts. */
  static boolean isSaid(Utterance message) {
    return message.ofModel()
        && !Part.textOf(message.parts()).isBlank()
        && message.parts().stream().allMatch(Part.Text.class::isInstance);
  }

  /** Whether nothing is written of an answer, as of one of thoughts alone. */
  private static boolean isSilent(Utterance message) {
    return message.ofModel()
        && message.verbatim() == null
        && !message.usesTools()
        && Part.textOf(message.parts()).isBlank();
  }

  /** The messages of the system that lead, as one. */
  static List<JsonValue> led(List<JsonValue> head) {
    List<JsonValue> led = new ArrayList<>();
    for (JsonValue message : head) {
      JsonValue before = led.isEmpty() ? null : led.get(led.size() - 1);
      String both =
          before == null || !isPlain(message) ? null : both(before.get("content"), message);
      if (before == null || both == null) {
        led.add(message);
      } else {
        led.set(led.size() - 1, before.with("content", both));
      }
    }
    return led;
  }

  /** A content and that of the next message, joined; null if they cannot be. */
  private static @Nullable String both(@Nullable JsonValue content, JsonValue next) {
    JsonValue more = next.get("content");
    if (content == null || more == null) {
      return null;
    }
    if (content.isString() && more.isString()) {
      String raw = content.raw();
      return raw.substring(0, raw.length() - 1) + "\\n\\n" + more.raw().substring(1);
    }
    String parts =
        Stream.of(content, more)
            .map(each -> each.isString() ? Part.textPart("text", each.raw()) : items(each))
            .filter(items -> !items.isBlank())
            .collect(Collectors.joining(","));
    boolean lists = Stream.of(content, more).allMatch(each -> each.isString() || each.isArray());
    return lists ? "[" + parts + "]" : null;
  }

  private static String items(JsonValue list) {
    return list.raw().substring(1, list.length() - 1);
  }
}
