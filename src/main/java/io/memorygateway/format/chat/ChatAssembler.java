package io.memorygateway.format.chat;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.answer.Merged;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/** Assembles a Chat Completions answer: the deltas of the first choice, merged. */
final class ChatAssembler extends EventAssembler {
  private final Merged message = new Merged(this::takes);
  private final ChatMetadata metadata = new ChatMetadata();

  ChatAssembler(int maxBytes, LongPredicate heap) {
    super(maxBytes, heap);
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
    JsonValue choices = chunk.get("choices");
    if (choices == null) {
      return;
    }
    for (JsonValue choice : choices.items()) {
      JsonValue index = choice.get("index");
      JsonValue delta = choice.get("delta");
      if (index == null || index.raw().equals("0")) {
        metadata.takeChoice(choice);
        if (delta != null && delta.isObject()) {
          message.addMembers(delta);
        }
      }
    }
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
    members.add("\"content\":" + (content == null ? "null" : content.raw()));
    merged
        .members()
        .forEach(
            (name, value) -> {
              boolean says = !value.isNull() && !value.raw().equals("\"\"");
              if (name.equals("tool_calls")) {
                members.add(AnswerMetadata.member(name, calls(value)));
              } else if (says && !Set.of("role", "content").contains(name)) {
                members.add(AnswerMetadata.member(name, value.raw()));
              }
            });
    return messages(JsonValue.of(AnswerMetadata.object(members)));
  }

  private static String calls(JsonValue calls) {
    return calls.items().stream()
        .filter(JsonValue::isObject)
        .map(ChatAssembler::call)
        .collect(Collectors.joining(",", "[", "]"));
  }

  /** A call without its index, and with the members that some servers leave out of streams. */
  private static String call(JsonValue call) {
    List<String> members = new ArrayList<>();
    members.add("\"id\":" + (call.get("id") == null ? "\"\"" : call.get("id").raw()));
    JsonValue function = call.get("function");
    if (function != null && call.get("type") == null) {
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
              } else if (!Set.of("id", "index").contains(name)) {
                members.add(AnswerMetadata.member(name, value.raw()));
              }
            });
    return AnswerMetadata.object(members);
  }
}
