package io.memorygateway.format.responses;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What OpenAI's documents say of a stream of Responses: which event may follow which, by numbers,
 * indices and ids, and that what fragments say is what the events behind them repeat.
 */
public final class ResponsesStreamRules {
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());

  /** Events that say of an item of the provider's own that it goes on. */
  private static final Set<String> PROGRESS =
      Set.of("in_progress", "searching", "completed", "generating", "interpreting", "failed");

  private static final Map<String, String> MEMBERS =
      Map.of(
          "output_text", "text",
          "refusal", "refusal",
          "reasoning_text", "text",
          "reasoning_summary_text", "text",
          "function_call_arguments", "arguments",
          "custom_tool_call_input", "input",
          "mcp_call_arguments", "arguments",
          "code_interpreter_call_code", "code");

  /** An item, with what its fragments have said by their place in it. */
  private static final class Item {
    private final String id;
    private final String type;
    private final Map<String, StringBuilder> said = new HashMap<>();
    private final Map<String, String> whole = new HashMap<>();
    private final Map<String, Integer> next = new HashMap<>();
    private final Set<String> open = new HashSet<>();
    private final TreeMap<Integer, List<JsonNode>> annotations = new TreeMap<>();

    Item(String id, String type) {
      this.id = id;
      this.type = type;
    }
  }

  private final Map<Integer, Item> open = new HashMap<>();
  private final TreeMap<Integer, JsonNode> output = new TreeMap<>();
  private final Set<String> ids = new HashSet<>();
  private long number;
  private int items;
  private String state = "";
  private @Nullable JsonNode response;

  /** Takes a stream of server-sent events; comments say nothing. */
  public void takeAll(String stream) {
    for (String event : stream.split("\n\n", -1)) {
      String name = "";
      StringBuilder data = new StringBuilder();
      for (String line : event.split("\n", -1)) {
        if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("data: ")) {
          data.append(line.substring(6));
        } else {
          require(line.isBlank() || line.startsWith(":"), "is no line of an event: " + line);
        }
      }
      if (!data.isEmpty()) {
        take(name, data.toString());
      }
    }
    require(stream.isEmpty() || stream.endsWith("\n\n"), "the last event has no end");
  }

  /** Takes an event. */
  public void take(String name, String data) {
    JsonNode event;
    try {
      event = JSON.readTree(data);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + data, e);
    }
    String type = event.path("type").asText();
    require(name.equals(type), "is named " + name + " and of type " + type);
    require(!state.equals("ended"), type + " stands behind the end");
    require(event.path("sequence_number").isInt(), type + " has no number");
    require(event.path("sequence_number").asLong() == number++, type + " has a wrong number");
    switch (type) {
      case "response.created" -> {
        require(state.isEmpty(), "the response begins twice");
        state = "created";
        response(event, "in_progress");
      }
      case "response.in_progress" -> {
        require(state.equals("created"), type + " has another place");
        state = "begun";
        response(event, "in_progress");
      }
      case "response.completed", "response.incomplete" -> {
        require(
            state.equals("begun") && open.isEmpty(), type + " leaves items open: " + open.keySet());
        state = "ended";
        JsonNode whole = response(event, type.substring(9));
        require(whole.path("output").equals(JSON.valueToTree(output.values())), "other output");
        usage(whole.path("usage"));
        boolean cut = type.endsWith("incomplete");
        require(whole.path("incomplete_details").isObject() == cut, "incomplete_details");
      }
      case "response.failed" -> {
        require(!state.isEmpty(), "a response fails that has not begun");
        state = "ended";
        JsonNode error = response(event, "failed").path("error");
        require(text(error, "code") && text(error, "message"), "fails without a reason");
      }
      case "error" -> {
        state = "ended";
        require(text(event, "message") && event.has("code") && event.has("param"), "error");
      }
      default -> {
        require(state.equals("begun"), type + " stands before the response has begun");
        item(type, event);
      }
    }
  }

  /** Takes the end of the stream. */
  public void end() {
    require(state.equals("ended"), "the stream ends before the response");
  }

  /** The response at the end; empty for an error that is none. */
  public JsonNode response() {
    return response == null ? JSON.createObjectNode() : response;
  }

  private JsonNode response(JsonNode event, String status) {
    JsonNode now = event.path("response");
    for (String member :
        List.of("id", "object", "created_at", "model", "output", "parallel_tool_calls", "tools")) {
      require(now.hasNonNull(member), "a response has no " + member);
    }
    for (String member :
        List.of(
            "error", "incomplete_details", "instructions", "metadata", "temperature", "usage")) {
      require(now.has(member), "a response has no " + member);
    }
    require(now.path("status").asText().equals(status), "status is not " + status);
    require(now.path("id").asText().startsWith("resp_"), "id " + now.path("id"));
    require(response == null || response.path("id").equals(now.path("id")), "another id");
    response = now;
    return now;
  }

  private static void usage(JsonNode usage) {
    for (String path :
        List.of(
            "/input_tokens",
            "/input_tokens_details/cached_tokens",
            "/output_tokens",
            "/output_tokens_details/reasoning_tokens",
            "/total_tokens")) {
      require(usage.at(path).isInt() && usage.at(path).asLong() >= 0, "usage has no " + path);
    }
  }

  private void item(String type, JsonNode event) {
    int index = event.path("output_index").asInt(-1);
    if (type.equals("response.output_item.added")) {
      JsonNode item = event.path("item");
      require(index == items++, "items begin in another order");
      require(ids.add(item.path("id").asText()), "two items of one id");
      require(text(item, "type"), "an item has no type");
      if (item.has("status")) {
        require(item.path("status").asText().equals("in_progress"), "begins as " + item);
      }
      open.put(index, new Item(item.path("id").asText(), item.path("type").asText()));
      return;
    }
    Item item = open.get(index);
    require(item != null, type + " is of no open item: " + event);
    if (type.equals("response.output_item.done")) {
      done(index, item, event.path("item"));
      return;
    }
    require(event.path("item_id").asText().equals(item.id), type + " has another item's id");
    String name = type.substring("response.".length());
    String what = name.substring(0, Math.max(0, name.lastIndexOf('.')));
    switch (name) {
      case "content_part.added", "reasoning_summary_part.added" -> {
        boolean content = what.equals("content_part");
        String list = content ? "content" : "summary";
        int at = event.path(list + "_index").asInt(-1);
        require(at == item.next.merge(list, 1, Integer::sum) - 1, "parts begin in another order");
        require(item.type.equals(content ? "message" : "reasoning"), "a part of " + item.type);
        item.open.add(list + at);
      }
      case "content_part.done", "reasoning_summary_part.done" -> {
        String list = what.equals("content_part") ? "content" : "summary";
        String at = list + event.path(list + "_index").asInt(-1);
        require(item.open.remove(at), "a part ends that is not open: " + event);
        JsonNode part = event.path("part");
        String member = part.path("type").asText().equals("refusal") ? "refusal" : "text";
        require(part.path(member).asText().equals(item.whole.get(at)), "another text: " + event);
      }
      case "output_text.annotation.added" -> {
        require(item.open.contains("content" + event.path("content_index").asInt()), "annotation");
        item.annotations
            .computeIfAbsent(event.path("content_index").asInt(), at -> new ArrayList<>())
            .add(event.path("annotation"));
      }
      default -> fragment(name, what, item, event);
    }
  }

  private static void fragment(String name, String what, Item item, JsonNode event) {
    String member = MEMBERS.get(what);
    if (member == null) {
      require(PROGRESS.contains(name.substring(name.lastIndexOf('.') + 1)), "unknown: " + name);
      return;
    }
    boolean part = event.has("content_index") || event.has("summary_index");
    String list = event.has("content_index") ? "content" : "summary";
    String at = part ? list + event.path(list + "_index").asInt() : "";
    require(!part || item.open.contains(at), name + " is of no open part");
    require(!item.whole.containsKey(at), name + " stands behind the end of its text");
    if (what.equals("output_text")) {
      require(event.path("logprobs").isArray(), name + " has no logprobs");
    }
    StringBuilder said = item.said.computeIfAbsent(at, none -> new StringBuilder());
    if (name.endsWith(".delta")) {
      require(text(event, "delta"), "an empty fragment: " + event);
      said.append(event.path("delta").asText());
    } else {
      require(event.path(member).asText("?").equals(said.toString()), "another text: " + event);
      item.whole.put(at, said.toString());
    }
  }

  private void done(int index, Item item, JsonNode whole) {
    require(whole.path("id").asText().equals(item.id), "an item ends under another id");
    require(whole.path("type").asText().equals(item.type), "an item ends as another one");
    require(item.open.isEmpty(), "an item ends before its parts " + item.open);
    switch (item.type) {
      case "message" -> {
        require(whole.path("role").asText().equals("assistant"), "role");
        require(whole.path("content").size() == item.next.getOrDefault("content", 0), "parts");
        for (int i = 0; i < whole.path("content").size(); i++) {
          JsonNode part = whole.path("content").path(i);
          boolean refusal = part.path("type").asText().equals("refusal");
          String text = part.path(refusal ? "refusal" : "text").asText("?");
          require(text.equals(item.whole.get("content" + i)), "a message with another text");
          List<JsonNode> annotations = new ArrayList<>();
          part.path("annotations").forEach(annotations::add);
          boolean same = annotations.equals(item.annotations.getOrDefault(i, List.of()));
          require(same, "a message with other annotations");
        }
      }
      case "reasoning" -> require(whole.path("summary").isArray(), "reasoning without summary");
      case "function_call", "custom_tool_call" -> {
        String member = item.type.equals("function_call") ? "arguments" : "input";
        require(whole.path(member).isTextual(), "a call without " + member);
        require(whole.path(member).asText().equals(item.whole.get("")), "other " + member);
        require(text(whole, "call_id") && text(whole, "name"), "a call without id or name");
      }
      default -> {}
    }
    if (whole.has("status")) {
      require(Set.of("completed", "incomplete").contains(whole.path("status").asText()), "status");
    }
    open.remove(index);
    output.put(index, whole);
  }

  private static boolean text(JsonNode value, String member) {
    return value.path(member).isTextual() && !value.path(member).asText().isEmpty();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
