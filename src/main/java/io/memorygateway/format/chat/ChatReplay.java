package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rebuilds Chat Completions answers. */
final class ChatReplay implements AnswerReplay {
  private static final Set<String> REBUILT_MEMBERS = Set.of("object", "choices", "usage");
  private static final Set<String> WORDS = Set.of("content", "refusal");
  private static final String NO_USAGE =
      "{\"prompt_tokens\":0,\"completion_tokens\":0,\"total_tokens\":0}";

  @Override
  public String metadata(byte[] jsonAnswer) {
    JsonValue answer = AnswerMetadata.parse(jsonAnswer);
    ChatMetadata metadata = new ChatMetadata((characters, values) -> true);
    metadata.take(answer);
    metadata.takeChoice(ChatChoice.first(answer));
    return metadata.json();
  }

  @Override
  public byte[] body(Answered answered) {
    JsonValue metadata = metadata(answered);
    List<String> members = head(metadata, "chat.completion");
    members.add(
        "\"choices\":[{\"index\":0,\"message\":%s,\"logprobs\":%s,\"finish_reason\":%s}]"
            .formatted(
                AnswerMetadata.object(message(metadata, answered.messages())),
                AnswerMetadata.raw(choice(metadata), "logprobs"),
                finishReason(metadata, answered)));
    String usage = usage(metadata, answered);
    if (usage != null) {
      members.add("\"usage\":" + usage);
    }
    return AnswerMetadata.object(members).getBytes(UTF_8);
  }

  @Override
  public void stream(Answered answered, OutputStream out) throws IOException {
    JsonValue metadata = metadata(answered);
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
    chunk(head, "{}", logprobs, finishReason(metadata, answered), out);
    String usage = usage(metadata, answered);
    if (usage != null) {
      AnswerMetadata.write("data: {" + head + ",\"choices\":[],\"usage\":" + usage + "}\n\n", out);
    }
    AnswerMetadata.write("data: [DONE]\n\n", out);
  }

  private static JsonValue metadata(Answered answered) {
    if (answered.metadata() != null) {
      return JsonValue.of(answered.metadata());
    }
    return JsonValue.of(
        "{\"id\":%s,\"created\":%d,\"model\":%s}"
            .formatted(
                JsonWriter.quote("chatcmpl-" + answered.id()),
                answered.created(),
                JsonWriter.quote(answered.model())));
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

  private static String finishReason(JsonValue metadata, Answered answered) {
    if (metadata.get("choices") != null) {
      return AnswerMetadata.raw(choice(metadata), "finish_reason");
    }
    boolean calls = answered.messages().stream().anyMatch(message -> !message.callIds().isEmpty());
    return calls ? "\"tool_calls\"" : "\"stop\"";
  }

  /** The choice without its message; an empty object if it was not stored. */
  private static JsonValue choice(JsonValue metadata) {
    return ChatChoice.first(metadata);
  }

  /** What the first answer said of its tokens; null if it said nothing. */
  private static @Nullable String usage(JsonValue metadata, Answered answered) {
    JsonValue usage = metadata.get("usage");
    return usage != null ? usage.raw() : answered.metadata() == null ? NO_USAGE : null;
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
    AnswerMetadata.write(
        "data: {%s,\"choices\":[{\"index\":0,\"delta\":%s,\"logprobs\":%s,\"finish_reason\":%s}],\"usage\":null}\n\n"
            .formatted(head, delta, logprobs, finishReason),
        out);
  }
}
