package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Rebuilds Chat Completions answers. */
final class ChatReplay implements AnswerReplay {
  private static final Set<String> REBUILT_MEMBERS = Set.of("object", "choices", "usage");
  private static final Set<String> WORDS = Set.of("content", "refusal");

  @Override
  public String metadata(byte[] jsonAnswer, boolean logprobs) {
    JsonValue answer = AnswerMetadata.parse(jsonAnswer);
    ChatMetadata metadata = new ChatMetadata((characters, values) -> logprobs);
    metadata.take(answer);
    metadata.takeChoice(ChatChoice.first(answer));
    return metadata.json();
  }

  @Override
  public byte[] body(Answered answered) {
    JsonValue metadata = JsonValue.of(answered.metadata());
    List<String> members = head(metadata, "chat.completion");
    members.add(
        "\"choices\":[{\"index\":0,\"message\":%s,\"logprobs\":%s,\"finish_reason\":%s}]"
            .formatted(
                AnswerMetadata.object(message(metadata, answered.messages())),
                AnswerMetadata.raw(choice(metadata), "logprobs"),
                AnswerMetadata.raw(choice(metadata), "finish_reason")));
    JsonValue usage = metadata.get("usage");
    if (usage != null) {
      members.add("\"usage\":" + usage.raw());
    }
    return AnswerMetadata.object(members).getBytes(UTF_8);
  }

  @Override
  public void stream(Answered answered, OutputStream out) throws IOException {
    JsonValue metadata = JsonValue.of(answered.metadata());
    String head = String.join(",", head(metadata, "chat.completion.chunk"));
    JsonValue message = JsonValue.of(AnswerMetadata.object(message(metadata, answered.messages())));
    chunk(head, "{\"role\":\"assistant\",\"content\":\"\"}", "null", "null", out);
    String logprobs = AnswerMetadata.raw(choice(metadata), "logprobs");
    // Readers keep the order in which things come: what the model thought is before what it said.
    List<JsonValue.Field> fields = new ArrayList<>(message.fields());
    fields.sort(Comparator.comparing(field -> !ChatReasoning.is(field.name())));
    for (JsonValue.Field member : fields) {
      String delta = delta(member);
      if (!delta.isEmpty()) {
        boolean words = WORDS.contains(member.name());
        chunk(head, delta, words ? logprobs : "null", "null", out);
        logprobs = words ? "null" : logprobs;
      }
    }
    String finishReason = AnswerMetadata.raw(choice(metadata), "finish_reason");
    chunk(head, "{}", logprobs, finishReason, out);
    JsonValue usage = metadata.get("usage");
    if (usage != null) {
      AnswerMetadata.event("", "{" + head + ",\"choices\":[],\"usage\":" + usage.raw() + "}", out);
    }
    AnswerMetadata.event("", "[DONE]", out);
  }

  private static List<String> head(JsonValue metadata, String object) {
    List<String> members = new ArrayList<>(AnswerMetadata.members(metadata, REBUILT_MEMBERS));
    members.add("\"object\":\"" + object + "\"");
    return members;
  }

  /** The members of the message; empty ones as the endpoint writes them. */
  private static List<String> message(JsonValue metadata, List<StoredMessage> messages) {
    List<String> members = new ArrayList<>();
    members.add("\"role\":\"assistant\"");
    boolean blank = choice(metadata).get("message") != null;
    String nothing = blank ? "\"\"" : "null";
    JsonValue content = JsonValue.of(messages.isEmpty() ? nothing : messages.get(0).content());
    JsonValue message = content.isObject() ? content : JsonValue.of("{}");
    if (!content.isObject() || content.get("content") == null) {
      members.add("\"content\":" + (content.isObject() ? "null" : content.raw()));
    }
    for (JsonValue.Field field : message.fields()) {
      boolean json =
          field.name().equals("role")
              || (field.name().equals("content") && field.value().isNull())
              || (field.name().equals("refusal") && field.value().isNull());
      if (!json) {
        members.add(AnswerMetadata.member(field.name(), field.value().raw()));
      }
    }
    if (message.get("refusal") == null) {
      members.add("\"refusal\":null");
    }
    return members;
  }

  /** The choice without its message; an empty object if it was not stored. */
  private static JsonValue choice(JsonValue metadata) {
    return ChatChoice.first(metadata);
  }

  private static String delta(JsonValue.Field member) {
    JsonValue value = member.value();
    if (value.isNull() || member.name().equals("role")) {
      return "";
    }
    if (!member.name().equals("tool_calls")) {
      return "{" + AnswerMetadata.member(member.name(), value.raw()) + "}";
    }
    List<String> calls = new ArrayList<>();
    for (JsonValue call : value.items()) {
      String members = call.rawMembers(name -> !name.equals("index"));
      calls.add("{\"index\":" + calls.size() + (members.isEmpty() ? "" : ",") + members + "}");
    }
    return "{\"tool_calls\":[" + String.join(",", calls) + "]}";
  }

  private static void chunk(
      String head, String delta, String logprobs, String finishReason, OutputStream out)
      throws IOException {
    AnswerMetadata.event(
        "",
        "{%s,\"choices\":[{\"index\":0,\"delta\":%s,\"logprobs\":%s,\"finish_reason\":%s}],\"usage\":null}"
            .formatted(head, delta, logprobs, finishReason),
        out);
  }
}
