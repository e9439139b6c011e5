package io.memorygateway.format.chat;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.answer.Merged;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Assembles a Chat Completions answer: the deltas of the first choice, merged; of one whose index
 * is another only as long as that does not come.
 */
final class ChatAssembler extends EventAssembler {
  private static final String CALLS = "tool_calls";

  private Merged message = new Merged(this::takes);
  private ChatStreamedCalls pieces = new ChatStreamedCalls();
  private final Map<ChatStreamedCall, Merged> calls = new LinkedHashMap<>();

  /** The index of the choice that is taken; negative before one has come. */
  private int taken = -1;

  /** Whether the choice has said something. */
  private boolean said;

  private final ChatMetadata metadata;

  ChatAssembler(int maxBytes, LongPredicate heap, boolean logprobs) {
    super(maxBytes, heap);
    this.metadata = new ChatMetadata(logprobs ? this::takes : (characters, values) -> false);
  }

  /** The message of an answer; none if it is empty. */
  static List<StoredMessage> messages(JsonValue message) {
    StoredMessage stored = StoredMessage.ofMessage(message, Shape.CHAT);
    boolean empty =
        stored.content().equals(StoredMessage.NO_CONTENT) || stored.content().equals("\"\"");
    return empty
        ? List.of()
        : List.of(new StoredMessage("assistant", stored.content(), stored.type()));
  }

  @Override
  protected void read(String type, JsonValue chunk) {
    metadata.take(chunk);
    for (JsonValue choice : chunk.at("choices").items()) {
      if (isTaken(choice)) {
        metadata.takeChoice(choice);
        JsonValue piece = ChatChoice.piece(choice, said);
        if (piece != null) {
          said = said || ChatChoice.says(piece);
          piece.members().forEach(this::readMember);
        }
      }
    }
  }

  private boolean isTaken(JsonValue choice) {
    if (taken < 0) {
      taken = ChatChoice.indexOf(choice);
    } else if (ChatChoice.isFirst(choice) && taken > 0) {
      taken = 0;
      message = new Merged(this::takes);
      pieces = new ChatStreamedCalls();
      calls.clear();
      said = false;
      metadata.leaveChoice();
    }
    return ChatChoice.indexOf(choice) == taken;
  }

  private void readMember(String name, JsonValue value) {
    if (!name.equals(CALLS) || !value.isArray()) {
      message.addMember(name, value);
      return;
    }
    message.addMember(name, JsonValue.of("[]"));
    int place = 0;
    for (JsonValue entry : value.items()) {
      readCall(pieces.index(entry, place++, value.items().size()), entry);
    }
  }

  /** Takes a piece of a call; one whose arguments are a whole object gets no more of them. */
  private void readCall(int index, JsonValue entry) {
    ChatStreamedCalls.Piece piece = ChatStreamedCalls.Piece.of(entry);
    ChatStreamedCall call = pieces.of(index, piece);
    if (call == null || !takes(0, calls.containsKey(call) ? 0 : 1)) {
      return;
    }
    Merged merged = calls.computeIfAbsent(call, first -> new Merged(this::takes));
    boolean whole = call.isWhole() && !call.name.isEmpty();
    call.take(piece);
    if (!whole) {
      call.follow(piece.arguments());
    }
    entry
        .members()
        .forEach(
            (name, value) -> {
              if (!whole || !name.equals("function")) {
                merged.addMember(name, value);
              }
            });
  }

  @Override
  public String metadata() {
    return metadata.json();
  }

  @Override
  public List<StoredMessage> messages() {
    JsonValue merged = JsonValue.of(message.json());
    JsonValue content = merged.get("content");
    List<String> members = new ArrayList<>();
    List<String> empty = new ArrayList<>();
    members.add("\"content\":" + (content == null ? "null" : content.raw()));
    merged
        .members()
        .forEach(
            (name, value) -> {
              if (name.equals(CALLS) && value.isArray()) {
                members.add(AnswerMetadata.member(name, calls()));
              } else if (!value.isNull() && !Set.of("role", "content").contains(name)) {
                boolean says = !value.raw().equals("\"\"");
                if (says || ChatReasoning.is(name)) {
                  (says ? members : empty).add(AnswerMetadata.member(name, value.raw()));
                }
              }
            });
    if (members.size() > 1 || !JsonValue.isEmpty(content)) {
      members.addAll(empty);
    }
    return messages(JsonValue.of(AnswerMetadata.object(members)));
  }

  /** The calls in the order of their indices, if the server gave each one of its own. */
  private String calls() {
    Map<Integer, String> byIndex = new TreeMap<>();
    List<String> all = new ArrayList<>();
    calls.forEach(
        (call, merged) -> {
          JsonValue said = JsonValue.of(merged.json());
          all.add(call(call.id, said));
          byIndex.put(said.index("index"), all.get(all.size() - 1));
        });
    boolean isOrdered = byIndex.size() == all.size() && !byIndex.containsKey(-1);
    return "[" + String.join(",", isOrdered ? byIndex.values() : all) + "]";
  }

  /** A call without its index, and with the members that some servers leave out of streams. */
  private static String call(String id, JsonValue call) {
    List<String> members = new ArrayList<>();
    members.add("\"id\":" + JsonWriter.quote(id));
    JsonValue function = call.get("function");
    boolean lacksType = function != null && call.text("type").isEmpty();
    if (lacksType) {
      members.add("\"type\":\"function\"");
    }
    boolean lacksArguments =
        function != null && function.isObject() && function.get("arguments") == null;
    call.members()
        .forEach(
            (name, value) -> {
              if (lacksArguments && name.equals("function")) {
                List<String> named = AnswerMetadata.members(value, Set.of("arguments"));
                named.add("\"arguments\":\"\"");
                members.add(AnswerMetadata.member(name, AnswerMetadata.object(named)));
              } else if (!Set.of("id", "index").contains(name)
                  && !(lacksType && name.equals("type"))) {
                members.add(AnswerMetadata.member(name, value.raw()));
              }
            });
    return AnswerMetadata.object(members);
  }
}
