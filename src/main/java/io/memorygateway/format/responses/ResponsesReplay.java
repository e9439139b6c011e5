package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Rebuilds Responses answers. */
final class ResponsesReplay implements AnswerReplay {
  private static final Set<String> REBUILT_MEMBERS =
      Set.of("output", "output_text", "instructions");
  private static final Set<String> CHANGING = Set.of("status", "usage", "output");
  private static final Set<String> ENDS = Set.of("completed", "incomplete", "cancelled");

  @Override
  public String metadata(byte[] jsonAnswer, boolean logprobs) {
    return metadata(AnswerMetadata.parse(jsonAnswer));
  }

  /**
   * The members of an answer besides its output; not the caller's instructions, which each answer
   * repeats.
   */
  static String metadata(JsonValue response) {
    List<String> members = new ArrayList<>(AnswerMetadata.members(response, REBUILT_MEMBERS));
    members.add("\"instructions\":null");
    return AnswerMetadata.object(members);
  }

  @Override
  public byte[] body(Answered answered) {
    return body(JsonValue.of(answered.metadata()), answered).getBytes(UTF_8);
  }

  private static String body(JsonValue metadata, Answered answered) {
    String output =
        items(answered.messages()).stream().map(JsonValue::raw).collect(Collectors.joining(","));
    String usage = AnswerMetadata.raw(metadata, "usage");
    return response(metadata, status(metadata), "[" + output + "]", usage);
  }

  @Override
  public void stream(Answered answered, OutputStream out) throws IOException {
    JsonValue metadata = JsonValue.of(answered.metadata());
    Events events = new Events(out);
    String begun = "\"response\":" + response(metadata, "in_progress", "[]", "null");
    events.send("response.created", begun);
    events.send("response.in_progress", begun);
    List<JsonValue> items = items(answered.messages());
    for (int i = 0; i < items.size(); i++) {
      item(i, items.get(i), events);
    }
    events.send("response." + status(metadata), "\"response\":" + body(metadata, answered));
  }

  private static String status(JsonValue metadata) {
    String status = metadata.text("status");
    return ENDS.contains(status) ? status : "completed";
  }

  private static String response(JsonValue metadata, String status, String output, String usage) {
    List<String> members = new ArrayList<>(AnswerMetadata.members(metadata, CHANGING));
    if (metadata.get("object") == null) {
      members.add("\"object\":\"response\"");
    }
    members.add("\"status\":\"" + status + "\"");
    members.add("\"output\":" + output);
    members.add("\"usage\":" + usage);
    return AnswerMetadata.object(members);
  }

  private static List<JsonValue> items(List<StoredMessage> messages) {
    List<JsonValue> items = new ArrayList<>();
    for (StoredMessage message : messages) {
      JsonValue content = JsonValue.of(message.content());
      items.add(content.string("type") == null ? text(content) : content);
    }
    return items;
  }

  /** The item for a message that was changed since into content that is no item. */
  private static JsonValue text(JsonValue content) {
    String text = content.isString() ? content.raw() : JsonWriter.quote(content.raw());
    return JsonValue.of(
        "{\"id\":\"msg_changed\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":["
            + part("output_text", "text", text)
            + "]}");
  }

  private static String part(String type, String member, String json) {
    String rest = type.equals("output_text") ? ",\"annotations\":[]" : "";
    return "{\"type\":\"" + type + "\",\"" + member + "\":" + json + rest + "}";
  }

  private static void item(int index, JsonValue item, Events events) throws IOException {
    String type = item.text("type");
    String at =
        "\"item_id\":%s,\"output_index\":%d".formatted(JsonWriter.quote(item.text("id")), index);
    boolean message = type.equals("message");
    List<JsonValue> parts = item.at("content").items();
    boolean call = type.equals("function_call");
    boolean reasoning = type.equals("reasoning");
    JsonValue begun = item.with("status", "\"in_progress\"");
    begun = message ? begun.with("content", "[]") : call ? begun.with("arguments", "\"\"") : begun;
    begun = reasoning ? emptied(emptied(begun, "summary"), "content") : begun;
    String prefix = "\"output_index\":" + index + ",\"item\":";
    events.send("response.output_item.added", prefix + begun.raw());
    if (message) {
      for (int i = 0; i < parts.size(); i++) {
        part(at + ",\"content_index\":" + i, parts.get(i), events);
      }
    } else if (reasoning) {
      thoughts(at, item, "summary", events);
      thoughts(at, item, "content", events);
    } else if (call) {
      String arguments = JsonWriter.quote(item.text("arguments"));
      events.send("response.function_call_arguments.delta", at + ",\"delta\":" + arguments);
      events.send("response.function_call_arguments.done", at + ",\"arguments\":" + arguments);
    }
    events.send("response.output_item.done", prefix + item.raw());
  }

  /** Reasoning before its texts have come. */
  private static JsonValue emptied(JsonValue reasoning, String list) {
    return texts(reasoning, list).isEmpty() ? reasoning : reasoning.with(list, "[]");
  }

  /** The parts of a list that is nothing but texts; SDKs know one type in a content. */
  private static List<JsonValue> texts(JsonValue reasoning, String list) {
    List<JsonValue> parts = reasoning.at(list).items();
    boolean content = list.equals("content");
    return parts.stream().allMatch(part -> isText(part, content)) ? parts : List.of();
  }

  private static boolean isText(JsonValue part, boolean content) {
    return part.string("text") != null && (!content || part.text("type").equals("reasoning_text"));
  }

  private static void thoughts(String at, JsonValue item, String list, Events events)
      throws IOException {
    boolean summary = list.equals("summary");
    List<JsonValue> parts = texts(item, list);
    for (int i = 0; i < parts.size(); i++) {
      JsonValue part = parts.get(i);
      String text = JsonWriter.quote(part.text("text"));
      String name = summary ? "response.reasoning_summary_text" : "response.reasoning_text";
      String place = at + (summary ? ",\"summary_index\":" : ",\"content_index\":") + i;
      String whole = summary ? "response.reasoning_summary_part" : "response.content_part";
      String begun = part.with("text", "\"\"").raw();
      events.send(whole + ".added", place + ",\"part\":" + begun);
      events.send(name + ".delta", place + ",\"delta\":" + text);
      events.send(name + ".done", place + ",\"text\":" + text);
      events.send(whole + ".done", place + ",\"part\":" + part.raw());
    }
  }

  private static void part(String at, JsonValue part, Events events) throws IOException {
    boolean refusal = part.text("type").equals("refusal");
    boolean text = part.text("type").equals("output_text");
    String member = refusal ? "refusal" : "text";
    events.send("response.content_part.added", at + ",\"part\":" + part.with(member, "\"\"").raw());
    if (refusal || text) {
      String name = refusal ? "response.refusal" : "response.output_text";
      String messages = JsonWriter.quote(part.text(member));
      String none = text ? ",\"logprobs\":[]" : "";
      events.send(name + ".delta", at + ",\"delta\":" + messages + none);
      events.send(name + ".done", at + ",\"" + member + "\":" + messages + none);
    }
    events.send("response.content_part.done", at + ",\"part\":" + part.raw());
  }

  /** Writes events and numbers them. */
  private static final class Events {
    private final OutputStream out;
    private long number;

    Events(OutputStream out) {
      this.out = out;
    }

    void send(String type, String members) throws IOException {
      AnswerMetadata.event(
          "event: " + type + "\n",
          "{\"type\":\"%s\",\"sequence_number\":%d,%s}".formatted(type, number++, members),
          out);
    }
  }
}
