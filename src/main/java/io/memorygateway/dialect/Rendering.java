package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What the three renderings have in common. */
final class Rendering {
  private Rendering() {}

  /**
   * The stored messages of a context and the caller's new ones, in the order in which they go up,
   * calls and results together, ids such as the upstream takes.
   */
  static List<Utterance> prepare(Conversation conversation, MemoryContext context, ToolIds ids) {
    List<Utterance> utterances = new ArrayList<>();
    for (StoredMessage message : context.stored()) {
      utterances.add(message.utterance());
    }
    for (Conversation.Entry entry : conversation.tail()) {
      StoredMessage message = entry.message();
      utterances.add(
          message == null
              ? new Utterance("system", List.of(), null, entry.spelling())
              : message.utterance().spelt(entry.spelling()));
    }
    return ids.assign(ToolPairs.mend(utterances));
  }

  /** Whether the content can stand in a message as it is, all its parts being of these shapes. */
  static boolean isAll(Set<Shape> shapes, List<Part> parts) {
    for (Part part : parts) {
      if (!shapes.contains(part.shape())) {
        return false;
      }
    }
    return true;
  }

  /** Whether there is anything in it that an upstream would not call empty. */
  static boolean saysNothing(List<Part> parts) {
    for (Part part : parts) {
      boolean says =
          part instanceof Part.Text text
              ? !text.text().isBlank()
              : !(part instanceof Part.Other)
                  || part.shape() != Shape.FOREIGN
                  || !Part.textOf(List.of(part)).isBlank();
      if (says) {
        return false;
      }
    }
    return true;
  }

  /** Text as a JSON string: as it is spelt, where it is a string of its own. */
  static String quoted(Part.Text text) {
    return text.source().isString() ? text.source().raw() : Json.quote(text.text());
  }

  static String textPart(String type, String quoted) {
    return "{\"type\":\"" + type + "\",\"text\":" + quoted + "}";
  }

  static String message(String role, String content) {
    return "{\"role\":\"" + role + "\",\"content\":" + content + "}";
  }
}
