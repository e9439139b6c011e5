package io.memorygateway.dialect;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Helpers shared by the writers of the three formats. */
final class MessageWriters {
  private MessageWriters() {}

  /**
   * The stored messages of a context and the caller's new ones, in the order in which they go up,
   * calls and results together, ids such as the upstream takes.
   */
  static List<Utterance> prepare(Conversation conversation, MemoryContext context, ToolIds ids) {
    List<Conversation.Placed> placed = conversation.placed();
    int next = 0;
    while (next < placed.size() && placed.get(next).behind() < context.skipped()) {
      next++;
    }
    int unplaced = next;
    List<Utterance> utterances = new ArrayList<>();
    for (int i = 0; i < context.stored().size(); i++) {
      utterances.add(context.stored().get(i).utterance());
      while (next < placed.size() && placed.get(next).behind() <= context.skipped() + i) {
        utterances.add(system(placed.get(next++).spelling()));
      }
    }
    while (next < placed.size()) {
      utterances.add(system(placed.get(next++).spelling()));
    }
    if (context.recall() != null) {
      utterances.add(recallPlace(utterances, conversation), recall(context.recall()));
    }
    for (Conversation.Entry entry : conversation.tail()) {
      StoredMessage message = entry.message();
      utterances.add(
          message == null ? system(entry.spelling()) : message.utterance().spelt(entry.spelling()));
    }
    List<Utterance> mended = ToolPairs.mend(utterances);
    return ids.assign(withSystem(mended, placed.subList(0, unplaced)));
  }

  /**
   * Where recall stands: before the caller's new messages; where there are none, because an answer
   * is asked for again, before what the user said last.
   */
  private static int recallPlace(List<Utterance> stored, Conversation conversation) {
    int at = stored.size();
    if (conversation.messages().isEmpty()) {
      while (at > 0 && isOfUser(stored.get(at - 1)) && !stored.get(at - 1).usesTools()) {
        at--;
      }
    }
    return at;
  }

  private static Utterance recall(String text) {
    return StoredMessage.of("user", Json.quote(text)).utterance();
  }

  /**
   * Puts in the system messages whose predecessors do not go up: behind what the user says first,
   * where every upstream takes them and nothing that belongs together is split.
   */
  private static List<Utterance> withSystem(
      List<Utterance> utterances, List<Conversation.Placed> unplaced) {
    if (unplaced.isEmpty()) {
      return utterances;
    }
    int at = 0;
    while (at < utterances.size() && isOfUser(utterances.get(at))) {
      at++;
    }
    List<Utterance> all = new ArrayList<>(utterances.subList(0, at));
    unplaced.forEach(message -> all.add(system(message.spelling())));
    all.addAll(utterances.subList(at, utterances.size()));
    return all;
  }

  private static boolean isOfUser(Utterance utterance) {
    return !utterance.ofModel() && !utterance.ofSystem();
  }

  private static Utterance system(JsonValue spelling) {
    return new Utterance("system", List.of(), null, spelling);
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
