package io.memorygateway.format.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rebuilds Messages answers. */
final class MessagesReplay implements AnswerReplay {
  private static final Set<String> REBUILT_MEMBERS =
      Set.of("stop_reason", "stop_sequence", "usage", "content");

  /** What the last event of a stream says besides, as of a refusal. */
  private static final Set<String> OF_THE_END = Set.of("stop_details", "container");

  /** What that event says of the call beside what it says of the message. */
  private static final Set<String> BESIDE_THE_END =
      Set.of("context_management", "input_transformations");

  private static final Set<String> CALLS = Set.of("tool_use", "server_tool_use", "mcp_tool_use");
  private static final String NO_USAGE = "\"usage\":{\"input_tokens\":0,\"output_tokens\":0}";

  @Override
  public String metadata(byte[] jsonAnswer, boolean logprobs) {
    MessagesMetadata metadata = new MessagesMetadata();
    metadata.take(AnswerMetadata.parse(jsonAnswer));
    return metadata.json();
  }

  @Override
  public byte[] body(Answered answered) {
    JsonValue metadata = JsonValue.of(answered.metadata());
    String content =
        "["
            + String.join(",", blocks(answered.messages()).stream().map(JsonValue::raw).toList())
            + "]";
    return message(metadata, content, stop(metadata), usage(metadata)).getBytes(UTF_8);
  }

  @Override
  public void stream(Answered answered, OutputStream out) throws IOException {
    JsonValue metadata = JsonValue.of(answered.metadata());
    List<String> said = usage(metadata);
    // Clients read the numbers of an event without a check whether it has any.
    String usage = said.isEmpty() ? NO_USAGE : said.get(0);
    String ending = stop(metadata);
    String beside = "";
    List<String> known = new ArrayList<>();
    for (JsonValue.Field field : metadata.fields()) {
      String member = AnswerMetadata.member(field.name(), field.value().raw());
      if (OF_THE_END.contains(field.name())) {
        ending += "," + member;
      } else if (BESIDE_THE_END.contains(field.name())) {
        beside += "," + member;
      } else {
        known.add(member);
      }
    }
    JsonValue begun = JsonValue.of(AnswerMetadata.object(known));
    String start =
        message(begun, "[]", "\"stop_reason\":null,\"stop_sequence\":null", List.of(usage));
    event("message_start", "\"message\":" + start, out);
    List<JsonValue> blocks = blocks(answered.messages());
    for (int i = 0; i < blocks.size(); i++) {
      block(i, blocks.get(i), out);
    }
    String delta = "\"delta\":{" + ending + "}";
    event("message_delta", delta + "," + usage + beside, out);
    event("message_stop", "", out);
  }

  private static String message(
      JsonValue metadata, String content, String stop, List<String> usage) {
    List<String> members = new ArrayList<>();
    members.add("\"type\":\"message\",\"role\":\"assistant\"");
    members.addAll(AnswerMetadata.members(metadata, REBUILT_MEMBERS));
    members.add("\"content\":" + content);
    members.add(stop);
    members.addAll(usage);
    return AnswerMetadata.object(members);
  }

  private static String stop(JsonValue metadata) {
    return "\"stop_reason\":%s,\"stop_sequence\":%s"
        .formatted(
            AnswerMetadata.raw(metadata, "stop_reason"),
            AnswerMetadata.raw(metadata, "stop_sequence"));
  }

  /** The member with what the first answer said of its tokens; none if it said nothing. */
  private static List<String> usage(JsonValue metadata) {
    JsonValue usage = metadata.get("usage");
    return usage == null || usage.fields().isEmpty()
        ? List.of()
        : List.of("\"usage\":" + usage.raw());
  }

  private static List<JsonValue> blocks(List<StoredMessage> messages) {
    List<JsonValue> blocks = new ArrayList<>();
    for (StoredMessage message : messages) {
      JsonValue content = JsonValue.of(message.content());
      if (content.isArray()) {
        blocks.addAll(content.items());
      } else if (!content.isNull()) {
        String text = content.isString() ? content.raw() : JsonWriter.quote(content.raw());
        blocks.add(JsonValue.of(Part.textPart("text", text)));
      }
    }
    return blocks;
  }

  private static void block(int index, JsonValue block, OutputStream out) throws IOException {
    String type = block.text("type");
    JsonValue input = block.get("input");
    JsonValue start = block;
    List<String> deltas = new ArrayList<>();
    if (type.equals("text")) {
      start = block.with("text", "\"\"").with("citations", "[]");
      deltas.add("\"type\":\"text_delta\",\"text\":" + JsonWriter.quote(block.text("text")));
      for (JsonValue citation : block.at("citations").items()) {
        deltas.add("\"type\":\"citations_delta\",\"citation\":" + citation.raw());
      }
    } else if (type.equals("thinking")) {
      start = block.with("thinking", "\"\"").with("signature", "\"\"");
      deltas.add(
          "\"type\":\"thinking_delta\",\"thinking\":" + JsonWriter.quote(block.text("thinking")));
      deltas.add(
          "\"type\":\"signature_delta\",\"signature\":"
              + JsonWriter.quote(block.text("signature")));
    } else if (CALLS.contains(type) && input != null) {
      start = block.with("input", "{}");
      // A string is what the model wrote, where that was no JSON.
      String written = input.isString() ? input.raw() : JsonWriter.quote(input.raw());
      deltas.add("\"type\":\"input_json_delta\",\"partial_json\":" + written);
    }
    String at = "\"index\":" + index;
    event("content_block_start", at + ",\"content_block\":" + start.raw(), out);
    for (String delta : deltas) {
      event("content_block_delta", at + ",\"delta\":{" + delta + "}", out);
    }
    event("content_block_stop", at, out);
  }

  private static void event(String type, String members, OutputStream out) throws IOException {
    AnswerMetadata.event(
        "event: " + type + "\n",
        "{\"type\":\"%s\"%s%s}".formatted(type, members.isEmpty() ? "" : ",", members),
        out);
  }
}
