package io.memorygateway.format.chat;

import io.memorygateway.json.JsonValue;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells to which call of a tool each piece of a stream belongs: some servers give all calls the
 * same index or none, some repeat id and name with each piece, some give each piece an id.
 */
final class ChatStreamedCalls {
  /**
   * What a piece says, each part empty if it says nothing of it.
   *
   * @param arguments JSON, or the text for a custom tool, as far as it has come
   */
  record Piece(String id, String name, String arguments, boolean custom) {
    static Piece of(JsonValue entry) {
      boolean custom = entry.get("custom") != null;
      JsonValue called = entry.at(custom ? "custom" : "function");
      return new Piece(
          entry.text("id"),
          called.text("name"),
          called.said(custom ? "input" : "arguments"),
          custom);
    }

    boolean isEmpty() {
      return id.isEmpty() && name.isEmpty() && (custom ? arguments.isEmpty() : arguments.isBlank());
    }
  }

  private final Map<Integer, ChatStreamedCall> byIndex = new HashMap<>();
  private final Map<String, ChatStreamedCall> byId = new HashMap<>();

  private int last;

  /**
   * The index of an entry; where it has none, that of the last one if it is alone and neither
   * begins a call nor has arguments, else its place in the delta.
   */
  int index(JsonValue entry, int place, int entries) {
    int index = entry.index("index");
    if (index < 0) {
      Piece piece = Piece.of(entry);
      index = entries == 1 && piece.isEmpty() ? last : place;
    }
    last = index;
    return index;
  }

  /**
   * The call that a piece belongs to: that of its id, unless it begins another at an index of its
   * own, with another name or after a whole one; else that of its index. Null if it would begin one
   * and is empty.
   */
  @Nullable ChatStreamedCall of(int index, Piece piece) {
    ChatStreamedCall call = byIndex.get(index);
    ChatStreamedCall named = byId.get(piece.id);
    if (named != null && (call == null ? named.goesOn(piece) : !call.id.equals(piece.id))) {
      byIndex.putIfAbsent(index, named);
      return named;
    }
    if (call == null || isAnother(call, piece)) {
      call = piece.isEmpty() ? null : new ChatStreamedCall();
      if (call != null) {
        byIndex.put(index, call);
      }
    }
    if (call != null && call.id.isEmpty() && !piece.id.isEmpty()) {
      call.id = piece.id;
      byId.put(piece.id, call);
    }
    return call;
  }

  /** Whether a piece begins a call of its own and is not more of the one with its index. */
  private static boolean isAnother(ChatStreamedCall call, Piece piece) {
    if (piece.name.isEmpty()) {
      return false;
    }
    if (!piece.id.isEmpty() && !call.id.isEmpty()) {
      return !piece.id.equals(call.id);
    }
    return call.isEndedBy(piece.name) || (call.isWhole() && !piece.arguments.isBlank());
  }
}
