package io.memorygateway.format.call;

import io.memorygateway.format.content.CachedPrefix;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Functions shared by the writers of the three formats. */
public final class MessageWriters {
  /** What a call without messages says, as JSON: clients send such calls to try a model. */
  public static final String CONTINUED = "\"(continued)\"";

  /** Bytes of a message besides its content. */
  private static final int ENVELOPE = 40;

  private MessageWriters() {}

  /**
   * The stored messages of a context and the caller's new ones, in the order in which they go
   * upstream, with results directly after their calls and with ids that the upstream accepts.
   *
   * @param behind whether what is recalled goes behind the caller's new messages in any case; else
   *     only if the caller has one of them cached, as nothing that changes may stand before it
   */
  public static List<Utterance> prepare(
      Conversation conversation, MemoryContext context, ToolIds ids, boolean behind) {
    List<Conversation.Placed> placed = conversation.placed();
    int next = 0;
    while (next < placed.size() && placed.get(next).behind() < context.skipped()) {
      next++;
    }
    int unplaced = next;
    List<Utterance> utterances =
        new ArrayList<>(context.stored().size() + placed.size() + conversation.tail().size() + 1);
    for (int i = 0; i < context.stored().size(); i++) {
      utterances.add(CachedPrefix.unmarked(context.stored().get(i)).utterance());
      while (next < placed.size() && placed.get(next).behind() <= context.skipped() + i) {
        utterances.add(utterance(placed.get(next++).entry()));
      }
    }
    while (next < placed.size()) {
      utterances.add(utterance(placed.get(next++).entry()));
    }
    int before = beforeNew(utterances, conversation);
    boolean marked = false;
    int known = conversation.known();
    for (CallEntry entry : conversation.tail()) {
      marked |= CachedPrefix.marks(entry.json().at("content")) > 0;
      StoredMessage message = known > 0 ? entry.message() : null;
      utterances.add(message == null ? utterance(entry) : message.utterance());
      known -= message == null ? 0 : 1;
    }
    if (context.recall() != null) {
      int place = behind || marked ? behindUser(utterances) : before;
      utterances.add(place, recall(context.recall()));
    }
    List<Utterance> mended = ToolPairs.repair(utterances);
    return ids.assign(withSystem(mended, placed.subList(0, unplaced)), conversation::tools);
  }

  /**
   * Messages with results directly after their calls, and with ids that the upstream accepts.
   *
   * @param dropped takes the results without a call, which are left out
   */
  public static List<Utterance> paired(
      List<Utterance> messages, ToolIds ids, Consumer<Part.ToolResult> dropped) {
    return ids.assign(ToolPairs.repair(messages, dropped), Set::of);
  }

  /**
   * Index before the caller's new messages; if there are none, because an answer is requested
   * again, before the user's last message and the system's around it.
   */
  private static int beforeNew(List<Utterance> stored, Conversation conversation) {
    int at = stored.size();
    if (conversation.messages().isEmpty()) {
      while (at > 0 && !stored.get(at - 1).ofModel() && !stored.get(at - 1).usesTools()) {
        at--;
      }
    }
    return at;
  }

  /** Index behind the user's last message; the end, if there is none. */
  private static int behindUser(List<Utterance> all) {
    int at = all.size();
    while (at > 0 && !isOfUser(all.get(at - 1))) {
      at--;
    }
    return at == 0 ? all.size() : at;
  }

  private static Utterance recall(String text) {
    return StoredMessage.of("user", JsonWriter.quote(text)).utterance();
  }

  /**
   * Inserts the system's messages whose predecessors are not sent: after the user's first message,
   * where every upstream accepts them and no call is separated from its result. The user's words
   * there are left out with what they followed.
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
    unplaced.stream()
        .filter(message -> message.entry().content() == null)
        .forEach(message -> all.add(utterance(message.entry())));
    all.addAll(utterances.subList(at, utterances.size()));
    return all;
  }

  private static boolean isOfUser(Utterance utterance) {
    return !utterance.ofModel() && !utterance.ofSystem();
  }

  private static Utterance utterance(CallEntry entry) {
    StoredMessage message = entry.message();
    return message == null
        ? new Utterance("system", List.of(), null, entry.json())
        : message.utterance().withVerbatim(entry.json());
  }

  /** Whether the content can be sent as it is, because all its parts have these shapes. */
  public static boolean isAll(Set<Shape> shapes, List<Part> parts) {
    for (Part part : parts) {
      if (!shapes.contains(part.shape())) {
        return false;
      }
    }
    return true;
  }

  /**
   * A text that names the attachments among the parts, such as {@code [image]}, for a format that
   * cannot hold any of them: what was said of them would be said of nothing. Null if there are
   * none.
   */
  public static @Nullable String standIn(List<Part> parts) {
    StringJoiner names = new StringJoiner(" ");
    for (Part part : parts) {
      if (part instanceof Part.Image) {
        names.add("[image]");
      } else if (part instanceof Part.File file) {
        names.add("[" + (file.name() == null ? "file" : file.name()) + "]");
      } else if (part.source().isObject() && part.source().text("type").equals("input_audio")) {
        names.add("[audio]");
      }
    }
    return names.length() == 0 ? null : names.toString();
  }

  /** Appends a message, whose content is a value as it was received or stored. */
  public static void addMessage(JsonWriter out, String role, JsonValue content) {
    beginMessage(out, role).raw(content).ascii("}");
  }

  /**
   * A writer of the array of a request's messages.
   *
   * @param head messages that it begins with: the caller's system prompt
   */
  public static JsonWriter array(List<JsonValue> head, MemoryContext context) {
    int length = 1024;
    for (StoredMessage message : context.stored()) {
      length += message.content().length() + ENVELOPE;
    }
    JsonWriter out = new JsonWriter(length).ascii("[");
    head.forEach(message -> out.element().raw(message));
    return out;
  }

  public static void addMessage(JsonWriter out, String role, String content) {
    beginMessage(out, role).raw(content).ascii("}");
  }

  private static JsonWriter beginMessage(JsonWriter out, String role) {
    return out.element().ascii("{\"role\":\"").ascii(role).ascii("\",\"content\":");
  }
}
