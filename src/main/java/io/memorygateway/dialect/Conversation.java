package io.memorygateway.dialect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a call says: its messages in order, and apart from them the caller's system prompt (system
 * and developer messages, {@code system}, {@code instructions}), which goes up unchanged and is
 * neither compared nor stored. Made by {@link Dialect#read}, for that dialect's {@link
 * Dialect#write}.
 */
public final class Conversation {

  /** A message as it stands in the body; of the system, if {@code message} is null. */
  record Entry(JsonValue spelling, @Nullable StoredMessage message) {}

  private final RequestBody body;
  private final JsonValue root;
  private final List<Entry> entries;
  private final boolean upstreamHoldsHistory;
  private final boolean whole;

  Conversation(
      RequestBody body, JsonValue root, List<Entry> entries, boolean upstreamHoldsHistory) {
    this(body, root, entries, upstreamHoldsHistory, true);
  }

  private Conversation(
      RequestBody body,
      JsonValue root,
      List<Entry> entries,
      boolean upstreamHoldsHistory,
      boolean whole) {
    this.whole = whole;
    this.body = body;
    this.root = root;
    this.entries = List.copyOf(entries);
    this.upstreamHoldsHistory = upstreamHoldsHistory;
  }

  /** The messages, as they are to be compared and, if they are new, stored. */
  public List<StoredMessage> messages() {
    List<StoredMessage> messages = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.message != null) {
        messages.add(entry.message);
      }
    }
    return messages;
  }

  /**
   * What remains when the thread has the rest: the new messages, to be stored and to go upstream,
   * and the system prompt. A message that is known in part is cut at the parts.
   */
  public Conversation onlyNew(Alignment alignment) {
    if (alignment.newFrom() == 0 && alignment.knownParts() == 0) {
      return this;
    }
    List<Entry> rest = new ArrayList<>();
    int index = 0;
    for (Entry entry : entries) {
      if (entry.message == null) {
        rest.add(entry);
      } else {
        if (index == alignment.newFrom()) {
          rest.add(entry.message.without(alignment.knownParts(), entry.spelling));
        } else if (index > alignment.newFrom()) {
          rest.add(entry);
        }
        index++;
      }
    }
    return new Conversation(body, root, rest, upstreamHoldsHistory, false);
  }

  /**
   * Whether the call continues a conversation that the upstream keeps ({@code
   * previous_response_id}, {@code conversation}). It has the history then, and would have it twice:
   * such a call goes up as it came, without any context. Its messages are stored all the same.
   */
  public boolean upstreamHoldsHistory() {
    return upstreamHoldsHistory;
  }

  /** Whether the caller wants a streamed answer. */
  public boolean stream() {
    return body.stream();
  }

  RequestBody body() {
    return body;
  }

  JsonValue root() {
    return root;
  }

  /** Whether it is all that came with the call. */
  boolean isWhole() {
    return whole;
  }

  /** System messages that stand before everything else, as they are spelt. */
  List<String> head() {
    return new ArrayList<>(
        entries.subList(0, headLength()).stream().map(entry -> entry.spelling.raw()).toList());
  }

  /** The messages, with system messages among them in their places. */
  List<Entry> tail() {
    return entries.subList(headLength(), entries.size());
  }

  private int headLength() {
    int length = 0;
    while (length < entries.size() && entries.get(length).message == null) {
      length++;
    }
    return length;
  }

  /** The body as a tree; it has been found good before. */
  static JsonValue tree(RequestBody body) {
    try {
      return JsonValue.parse(body.bytes());
    } catch (IOException e) {
      throw new AssertionError("parsed before", e);
    }
  }

  /** The value of a member that the gateway has to be sure of; null if there is none. */
  static @Nullable JsonValue only(JsonValue root, String name) throws MalformedBodyException {
    JsonValue found = null;
    for (JsonValue.Field field : root.fields()) {
      if (field.name().equals(name)) {
        if (found != null) {
          throw new MalformedBodyException(name + " is given twice.");
        }
        found = field.value();
      }
    }
    return found;
  }

  /** The {@code messages} of Chat and Messages. */
  static JsonValue messagesOf(JsonValue root) throws MalformedBodyException {
    JsonValue messages = only(root, "messages");
    if (messages == null || !messages.isArray()) {
      throw new MalformedBodyException("messages must be an array.");
    }
    return messages;
  }

  /** A message object, of the system or of the conversation. */
  static Entry entry(JsonValue message) throws MalformedBodyException {
    String role = message.string("role");
    if (role == null) {
      throw new MalformedBodyException("Each message must be an object with a role.");
    }
    boolean system = role.equals("system") || role.equals("developer");
    return new Entry(message, system ? null : StoredMessage.ofMessage(message));
  }
}
