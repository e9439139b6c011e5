package io.memorygateway.format.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a stream of Messages may be, as a strict automaton: events in their order, one open block,
 * indices without gaps, deltas of the kind of their block, usage and a reason before the end. It
 * puts the message together as SDKs do. Throws AssertionError at the first violation.
 */
public final class MessagesStreamRules {
  private static final Map<String, Set<String>> DELTAS =
      Map.of(
          "text", Set.of("text_delta", "citations_delta"),
          "thinking", Set.of("thinking_delta", "signature_delta"),
          "redacted_thinking", Set.of(),
          "tool_use", Set.of("input_json_delta"),
          "server_tool_use", Set.of("input_json_delta"),
          "web_search_tool_result", Set.of());
  private static final Set<String> REASONS =
      Set.of(
          "end_turn",
          "max_tokens",
          "stop_sequence",
          "tool_use",
          "pause_turn",
          "refusal",
          "model_context_window_exceeded");

  private final Set<String> ids = new HashSet<>();
  private final List<String> content = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private final List<String> citations = new ArrayList<>();
  private String state = "";
  private String head = "";
  private String reason = "";
  private String signature = "";
  private String cut = "";
  private JsonValue block = JsonValue.of("null");
  private boolean open;
  private JsonValue usage = JsonValue.of("{}");
  private String error = "";

  /** Checks a stream whole, to its end. */
  public static MessagesStreamRules check(String stream) {
    MessagesStreamRules rules = new MessagesStreamRules();
    SseSplitter splitter = new SseSplitter(1 << 25);
    byte[] bytes = stream.getBytes(UTF_8);
    try {
      splitter.feed(bytes, 0, bytes.length, rules::take);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    require(!splitter.inEvent(), "an event without its blank line");
    rules.end();
    return rules;
  }

  /** Takes an event as it was cut from a stream. */
  public void take(SseEvent event) {
    if (event.dataStart() < event.dataEnd()) {
      String json = new String(event.data(), UTF_8);
      require(JsonValue.isValid(json), "no JSON: " + json);
      String name = event.name();
      take(name == null ? "" : name, JsonValue.of(json));
    }
  }

  /** Takes an event. */
  public void take(String name, JsonValue data) {
    require(name.equals(data.text("type")), name + " is not the type of " + data.raw());
    require(!Set.of("stop", "error").contains(state), name + " after the end");
    require(
        name.equals("error") || state.isEmpty() == name.equals("message_start"),
        name + " in state " + state);
    switch (name) {
      case "ping" -> {}
      case "message_start" -> start(data.get("message"));
      case "content_block_start" -> startBlock(data);
      case "content_block_delta" -> add(data);
      case "content_block_stop" -> stopBlock(data);
      case "message_delta" -> delta(data);
      case "message_stop" -> {
        require(state.equals("delta"), "message_stop without message_delta");
        state = "stop";
      }
      case "error" -> {
        JsonValue told = data.get("error");
        require(told != null && !told.text("type").isEmpty(), "an error without type");
        require(!told.text("message").isEmpty(), "an error without message");
        error = told.text("type");
        state = "error";
      }
      default -> throw new AssertionError("unknown event " + name);
    }
  }

  private void start(JsonValue message) {
    require(message != null, "message_start without message");
    require(!message.text("id").isEmpty(), "no id");
    require(message.text("type").equals("message"), "type");
    require(message.text("role").equals("assistant"), "role");
    require(message.string("model") != null, "no model");
    require("[]".equals(message.get("content").raw()), "content at the start");
    require(message.member("stop_reason").isNull(), "stop_reason at the start");
    require(message.member("stop_sequence").isNull(), "stop_sequence at the start");
    usage(message.get("usage"), true);
    head =
        "{\"id\":"
            + JsonWriter.quote(message.text("id"))
            + ",\"type\":\"message\",\"role\":"
            + "\"assistant\",\"model\":"
            + JsonWriter.quote(message.text("model"));
    state = "start";
  }

  private void usage(JsonValue reported, boolean start) {
    require(reported != null && reported.isObject(), "no usage");
    require(count(reported, "output_tokens"), "output_tokens of " + reported.raw());
    require(!start || count(reported, "input_tokens"), "input_tokens of " + reported.raw());
    usage = reported;
  }

  private static boolean count(JsonValue usage, String name) {
    JsonValue count = usage.get(name);
    return count != null && count.raw().matches("\\d+");
  }

  private void startBlock(JsonValue data) {
    require(state.equals("start") && !open, "a block is open, or the message has ended");
    require(cut.isEmpty(), "arguments that are not whole before the last block: " + cut);
    require(data.index("index") == content.size(), "index of " + data.raw());
    block = data.get("content_block");
    require(block != null && DELTAS.containsKey(block.text("type")), "block " + data.raw());
    if (block.text("type").endsWith("tool_use")) {
      require(!block.text("name").isEmpty(), "a call without a name");
      require(!block.text("id").isEmpty() && ids.add(block.text("id")), "id of " + block.raw());
      require("{}".equals(block.get("input").raw()), "input of " + block.raw());
    }
    require(block.text("text").isEmpty() && block.text("thinking").isEmpty(), "text at the start");
    text.setLength(0);
    citations.clear();
    signature = "";
    open = true;
  }

  private void add(JsonValue data) {
    JsonValue delta = data.get("delta");
    require(open && data.index("index") == content.size(), "no such block: " + data.raw());
    String type = delta.text("type");
    require(DELTAS.get(block.text("type")).contains(type), type + " of " + block.raw());
    require(signature.isEmpty(), "a delta behind the signature");
    switch (type) {
      case "text_delta" -> text.append(said(delta, "text"));
      case "thinking_delta" -> text.append(said(delta, "thinking"));
      case "input_json_delta" -> text.append(said(delta, "partial_json"));
      case "signature_delta" -> signature = said(delta, "signature");
      default -> citations.add(delta.get("citation").raw());
    }
  }

  private static String said(JsonValue delta, String member) {
    require(delta.string(member) != null, "no " + member + " in " + delta.raw());
    return delta.text(member);
  }

  private void stopBlock(JsonValue data) {
    require(open && data.index("index") == content.size(), "no such block: " + data.raw());
    open = false;
    String type = block.text("type");
    String quoted = JsonWriter.quote(text.toString());
    content.add(
        switch (type) {
          case "text" ->
              "{\"type\":\"text\",\"text\":"
                  + quoted
                  + (citations.isEmpty()
                      ? ""
                      : ",\"citations\":[" + String.join(",", citations) + "]")
                  + "}";
          case "thinking" ->
              "{\"type\":\"thinking\",\"thinking\":"
                  + quoted
                  + ",\"signature\":"
                  + JsonWriter.quote(signature)
                  + "}";
          case "tool_use" -> call();
          default -> block.raw();
        });
  }

  private String call() {
    String json = text.isEmpty() ? "{}" : text.toString();
    boolean whole = JsonValue.isValid(json) && JsonValue.of(json).isObject();
    cut = whole ? "" : json;
    return "{\"type\":\"tool_use\",\"id\":%s,\"name\":%s,\"input\":%s}"
        .formatted(
            JsonWriter.quote(block.text("id")),
            JsonWriter.quote(block.text("name")),
            whole ? json : JsonWriter.quote(json));
  }

  private void delta(JsonValue data) {
    require(!open, "message_delta within a block");
    JsonValue delta = data.get("delta");
    usage(data.get("usage"), false);
    reason = delta.text("stop_reason");
    require(REASONS.contains(reason), "stop_reason of " + data.raw());
    require(delta.member("stop_sequence") != null, "no stop_sequence");
    require(cut.isEmpty() || reason.equals("max_tokens"), "arguments that are not whole: " + cut);
    state = "delta";
  }

  /** Takes the end of the stream. */
  public void end() {
    require(Set.of("stop", "error").contains(state), "the stream ends in state " + state);
  }

  public boolean failed() {
    return state.equals("error");
  }

  /** The type of the error. */
  public String error() {
    return error;
  }

  public String reason() {
    return reason;
  }

  /** The blocks of the message as JSON. */
  public List<String> content() {
    return content;
  }

  /** The last report of tokens. */
  public JsonValue usage() {
    return usage;
  }

  /** The message from its id to its content, as a whole answer has it. */
  public String message() {
    return head + ",\"content\":[" + String.join(",", content) + "]";
  }

  private static void require(boolean holds, String violation) {
    if (!holds) {
      throw new AssertionError(violation);
    }
  }
}
