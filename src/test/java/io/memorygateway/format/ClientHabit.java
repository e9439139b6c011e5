package io.memorygateway.format;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What clients do with their history before they send it, each from its own reports. */
enum ClientHabit {
  SENDS_ALL,
  SENDS_ONLY_NEW,
  TRUNCATES,
  SUMMARISES,
  SUMMARISES_BUT_THE_LAST_TURN,
  CLEANS_IDS,
  STRIPS_THOUGHTS,
  CLEARS_RESULTS,
  MERGES_TEXTS,
  RESPELLS_NUMBERS,
  DROPS_TOOLS,
  EDITS_ITS_QUESTION,
  GOES_BACK,
  CHANGES_ITS_FIRST_WORDS;

  private static final Set<String> TOOLS =
      Set.of("tool_use", "tool_result", "tool_calls", "tool_call_id", "call_id");

  private static final Set<String> THOUGHTS = Set.of("thinking", "redacted_thinking", "reasoning");

  /**
   * The messages or items of the next call.
   *
   * @param history all of the conversation as the client has it; changed where the client goes on
   *     with what it sends
   */
  List<JsonNode> call(List<JsonNode> history, int step) {
    List<JsonNode> sent = new ArrayList<>();
    history.forEach(entry -> sent.add(entry.deepCopy()));
    int newFrom = sent.size();
    while (newFrom > 0 && !ofModel(sent.get(newFrom - 1))) {
      newFrom--;
    }
    int turn = turn(sent, sent.size());
    switch (this) {
      case SENDS_ONLY_NEW -> sent.subList(0, newFrom).clear();
      case TRUNCATES -> sent.subList(0, turn(sent, turn)).clear();
      case SUMMARISES, SUMMARISES_BUT_THE_LAST_TURN -> {
        int from = this == SUMMARISES ? turn : turn(sent, turn);
        if (from > 2) {
          sent.subList(0, from).clear();
          sent.add(0, Wire.CHAT.question("In short: sum_" + step));
          sent.add(1, assistant("I see."));
          history.clear();
          history.addAll(sent);
        }
      }
      case CLEANS_IDS -> sent.replaceAll(ClientHabit::cleaned);
      case RESPELLS_NUMBERS ->
          sent.replaceAll(entry -> Wire.tree(entry.toString().replace("1.0}", "1}")));
      case STRIPS_THOUGHTS -> {
        sent.removeIf(entry -> THOUGHTS.contains(entry.path("type").asText()));
        sent.forEach(ClientHabit::strip);
      }
      case CLEARS_RESULTS ->
          sent.subList(0, newFrom)
              .replaceAll(entry -> Wire.tree(entry.toString().replaceAll("res_\\d+", "(cleared)")));
      case MERGES_TEXTS -> sent.forEach(ClientHabit::merge);
      case DROPS_TOOLS -> sent.subList(0, turn).removeIf(ClientHabit::usesTools);
      case CHANGES_ITS_FIRST_WORDS -> {
        if (turn > 0) {
          sent.set(0, Wire.CHAT.question("The rules of sum_" + step + ". And now qst_0?"));
          history.set(0, sent.get(0));
        }
      }
      default -> {}
    }
    return sent;
  }

  /** Goes back to an earlier place of the history; returns whether it does. */
  boolean goBack(List<JsonNode> history) {
    int turn = turn(history, history.size());
    if (this == GOES_BACK) {
      turn = turn(history, turn);
    }
    boolean back = (this == GOES_BACK || this == EDITS_ITS_QUESTION) && turn > 1;
    if (back) {
      history.subList(turn, history.size()).clear();
    }
    return back;
  }

  /** The index of the last question before another index. */
  private static int turn(List<JsonNode> history, int before) {
    int at = before - 1;
    while (at > 0 && !isQuestion(history.get(at))) {
      at--;
    }
    return Math.max(0, at);
  }

  private static boolean isQuestion(JsonNode entry) {
    return entry.path("role").asText().equals("user") && entry.path("content").isTextual();
  }

  private static boolean ofModel(JsonNode entry) {
    String type = entry.path("type").asText();
    return entry.path("role").asText().equals("assistant")
        || (!type.isEmpty() && !type.equals("message") && !type.endsWith("_output"));
  }

  private static boolean usesTools(JsonNode entry) {
    String json = entry.toString();
    return TOOLS.stream().anyMatch(name -> json.contains("\"" + name + "\""));
  }

  private static JsonNode cleaned(JsonNode entry) {
    return Wire.tree(entry.toString().replaceAll("functions\\.look:(\\d+)", "functions_look_$1"));
  }

  private static void strip(JsonNode entry) {
    ObjectNode message = (ObjectNode) entry;
    message.remove(List.of("reasoning_content", "reasoning_details"));
    message.path("tool_calls").forEach(call -> ((ObjectNode) call).remove("extra_content"));
    if (message.path("content").isArray()) {
      ArrayNode kept = JsonNodeFactory.instance.arrayNode();
      for (JsonNode part : message.get("content")) {
        if (!THOUGHTS.contains(part.path("type").asText())) {
          kept.add(part);
        }
      }
      message.set("content", kept);
    }
  }

  private static void merge(JsonNode entry) {
    List<JsonNode> parts = new ArrayList<>();
    entry.path("content").forEach(parts::add);
    boolean texts = parts.stream().allMatch(part -> part.path("type").asText().equals("text"));
    if (parts.size() > 1 && texts) {
      String text =
          parts.stream().map(part -> part.get("text").asText()).collect(Collectors.joining());
      ((ObjectNode) entry).put("content", text);
    }
  }

  private static JsonNode assistant(String text) {
    return JsonNodeFactory.instance.objectNode().put("role", "assistant").put("content", text);
  }
}
