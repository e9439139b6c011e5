package io.memorygateway.format.chat;

import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.PartReader;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/**
 * Assembles a Chat Completions answer: texts are joined, lists are concatenated, of any other
 * member the last value counts.
 */
final class ChatAssembler extends EventAssembler {
  /** Calls of one answer; each fragment is compared with all of them. */
  private static final int MAX_CALLS = 256;

  private final Map<String, StringBuilder> texts = new LinkedHashMap<>();
  private final Map<String, StringBuilder> lists = new LinkedHashMap<>();
  private final Map<String, String> others = new LinkedHashMap<>();
  private final List<ChatCallFragments> calls = new ArrayList<>();
  private final ChatMetadata metadata = new ChatMetadata();

  ChatAssembler(int maxBytes, LongPredicate heap) {
    super(maxBytes, heap);
  }

  /** The message of an answer; none if it is empty. */
  static List<StoredMessage> messages(JsonValue message) {
    StoredMessage stored = StoredMessage.ofMessage(message);
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
        if (delta != null) {
          delta.fields().forEach(this::readMember);
        }
      }
    }
  }

  private void readMember(JsonValue.Field member) {
    String name = member.name();
    JsonValue value = member.value();
    if (name.equals("tool_calls")) {
      value.items().forEach(this::readCall);
    } else if (value.isString() && !name.equals("role")) {
      append(texts.computeIfAbsent(name, key -> new StringBuilder()), value.text());
    } else if (name.equals("content") && value.isArray()) {
      append(
          texts.computeIfAbsent(name, key -> new StringBuilder()),
          Part.textOf(PartReader.read(value)));
    } else if (value.isArray()) {
      StringBuilder list = lists.computeIfAbsent(name, key -> new StringBuilder());
      for (JsonValue item : value.items()) {
        append(list, (list.isEmpty() ? "" : ",") + item.raw());
      }
    } else if (!value.isNull() && !name.equals("role") && fits(value.raw())) {
      others.put(name, value.raw());
    }
  }

  private void readCall(JsonValue fragment) {
    if (!fits(fragment.raw())) {
      return;
    }
    String id = fragment.text("id");
    JsonValue index = fragment.get("index");
    String number = index == null ? null : index.raw();
    for (int i = calls.size() - 1; i >= 0; i--) {
      if (calls.get(i).takes(id, number, i == calls.size() - 1)) {
        calls.get(i).add(fragment);
        return;
      }
    }
    if (calls.size() == MAX_CALLS) {
      overflow();
      return;
    }
    ChatCallFragments call = new ChatCallFragments();
    call.add(fragment);
    calls.add(call);
  }

  @Override
  public String metadata() {
    return metadata.json();
  }

  @Override
  public List<StoredMessage> messages(boolean complete) {
    List<String> members = new ArrayList<>();
    StringBuilder content = texts.getOrDefault("content", new StringBuilder());
    members.add(
        "\"content\":" + (!content.isEmpty() ? JsonWriter.quote(content.toString()) : "null"));
    texts.forEach(
        (name, text) -> {
          if (!name.equals("content") && !text.isEmpty()) {
            members.add(JsonWriter.quote(name) + ":" + JsonWriter.quote(text.toString()));
          }
        });
    lists.forEach((name, list) -> members.add(JsonWriter.quote(name) + ":[" + list + "]"));
    others.forEach((name, value) -> members.add(JsonWriter.quote(name) + ":" + value));
    String toolCalls =
        calls.stream()
            .filter(ChatCallFragments::isComplete)
            .map(ChatCallFragments::json)
            .collect(Collectors.joining(","));
    if (!toolCalls.isEmpty()) {
      members.add("\"tool_calls\":[" + toolCalls + "]");
    }
    return messages(JsonValue.of("{" + String.join(",", members) + "}"));
  }
}
