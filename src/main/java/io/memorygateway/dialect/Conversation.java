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
  record Entry(JsonValue spelling, @Nullable IncomingMessage message) {}

  private final RequestBody body;
  private final JsonValue root;
  private final List<Entry> entries;
  private final boolean upstreamHoldsHistory;

  Conversation(
      RequestBody body, JsonValue root, List<Entry> entries, boolean upstreamHoldsHistory) {
    this.body = body;
    this.root = root;
    this.entries = List.copyOf(entries);
    this.upstreamHoldsHistory = upstreamHoldsHistory;
  }

  /** The caller's messages, to be aligned with the thread; from {@code newFrom} on to be stored. */
  public List<StoredMessage> messages() {
    List<StoredMessage> messages = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.message != null) {
        messages.add(entry.message.message());
      }
    }
    return messages;
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

  /** System messages that stand before the new ones, as they are spelt. */
  List<String> head(int newFrom) {
    List<String> head = new ArrayList<>();
    int end = entryOf(newFrom);
    for (Entry entry : entries.subList(0, end)) {
      if (entry.message == null) {
        head.add(entry.spelling.raw());
      }
    }
    return head;
  }

  /** The caller's messages that go up, system messages among them in their places. */
  List<Entry> fresh(int newFrom) {
    return entries.subList(entryOf(newFrom), entries.size());
  }

  private int entryOf(int message) {
    int seen = 0;
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).message != null && seen++ == message) {
        return i;
      }
    }
    return entries.size();
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
    return new Entry(
        message, system ? null : new IncomingMessage(StoredMessage.ofMessage(message), message));
  }
}
