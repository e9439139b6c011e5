package io.memorygateway.format;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What clients do with their history before they send it, each from its own reports. */
enum ClientHabit {
  SENDS_ALL,
  SENDS_ONLY_NEW,
  TRUNCATES,
  SUMMARISES,
  SUMMARISES_BUT_THE_LAST_TURN,
  CLEANS_IDS,
  RENEWS_IDS,
  REWRITES_CALLS,
  STRIPS_THOUGHTS,
  CLEARS_RESULTS,
  TURNS_RESULTS_ROUND,
  MERGES_TEXTS,
  MERGES_QUESTIONS,
  SPLITS_QUESTIONS,
  TRIMS_QUESTIONS,
  REMINDS_ITSELF,
  REPEATS_ITS_CALL,
  RESPELLS_NUMBERS,
  DROPS_TOOLS,
  EDITS_ITS_QUESTION,
  GOES_BACK,
  PUTS_WORDS_FIRST,
  PUTS_WORDS_BETWEEN,
  CHANGES_ITS_FIRST_WORDS,
  CHANGES_ITS_FIRST_WORDS_AND_EDITS;

  private static final Set<String> TOOLS =
      Set.of(
          "tool_use",
          "tool_result",
          "tool_calls",
          "tool_call_id",
          "call_id",
          "local_shell_call_output");

  private static final String CLEARED = "[Old tool result content cleared]";

  private static final Set<String> THOUGHTS = Set.of("thinking", "redacted_thinking", "reasoning");

  /**
   * The messages or items of the next call.
   *
   * @param history all of the conversation as the client has it; changed where the client goes on
   *     with what it sends
   */
  List<JsonNode> call(Wire wire, List<JsonNode> history, int step) {
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
      case RENEWS_IDS, REWRITES_CALLS ->
          sent.replaceAll(entry -> renewed(entry, step, this == REWRITES_CALLS));
      case RESPELLS_NUMBERS ->
          sent.replaceAll(entry -> Wire.tree(entry.toString().replace("1.0}", "1}")));
      case STRIPS_THOUGHTS -> {
        sent.removeIf(entry -> THOUGHTS.contains(entry.path("type").asText()));
        sent.forEach(ClientHabit::strip);
      }
      case CLEARS_RESULTS ->
          sent.subList(0, newFrom).replaceAll(entry -> ofModel(entry) ? entry : cleared(entry));
      case TURNS_RESULTS_ROUND -> turnResults(sent);
      case MERGES_QUESTIONS -> mergeQuestions(sent, newFrom);
      case SPLITS_QUESTIONS -> splitQuestions(sent, newFrom);
      case TRIMS_QUESTIONS ->
          sent.subList(newFrom, sent.size()).replaceAll(entry -> said(entry, text -> text + " \n"));
      case REMINDS_ITSELF -> remind(wire, sent.get(sent.size() - 1), step);
      case MERGES_TEXTS -> sent.forEach(ClientHabit::merge);
      case DROPS_TOOLS -> sent.subList(0, turn).removeIf(ClientHabit::usesTools);
      case PUTS_WORDS_FIRST -> {
        if (turn > 0) {
          sent.add(0, Wire.CHAT.question("Keep to sum_" + step));
          sent.add(1, assistant("I do."));
        }
      }
      case PUTS_WORDS_BETWEEN -> {
        if (turn > 2) {
          sent.add(turn, Wire.CHAT.question("Keep to sum_" + step));
        }
      }
      case CHANGES_ITS_FIRST_WORDS, CHANGES_ITS_FIRST_WORDS_AND_EDITS -> {
        if (turn > 0) {
          String said = sent.get(0).path("content").asText();
          String own = said.substring(said.indexOf("And now"));
          sent.set(0, Wire.CHAT.question("The rules of sum_" + step + ". " + own));
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
    boolean edits =
        this == GOES_BACK
            || this == EDITS_ITS_QUESTION
            || this == CHANGES_ITS_FIRST_WORDS_AND_EDITS;
    boolean back = edits && turn > 1;
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

  private static JsonNode cleared(JsonNode entry) {
    return Wire.tree(entry.toString().replaceAll("res_\\d+", CLEARED));
  }

  /** A call or its result under another id, and with its arguments written anew. */
  private static JsonNode renewed(JsonNode entry, int step, boolean rewrites) {
    if (entry.path("type").asText().startsWith("newest")) {
      return entry; // nobody knows that it has an id of a call
    }
    String json =
        entry
            .toString()
            .replaceAll(
                "(\"(tool_call_|tool_use_|call_)?id\":\"(call|toolu)_\\w+)\"",
                "$1_of_" + step + "\"");
    return Wire.tree(
        !rewrites
            ? json
            : json.replace("{\\\"n\\\":1.0}", "{ \\\"n\\\": 1 }")
                .replace("\"n\":1.5}", "\"n\":1.50}"));
  }

  /** The results of one answer in another order. */
  private static void turnResults(List<JsonNode> sent) {
    for (int at = 1; at < sent.size(); at++) {
      if (sent.get(at).has("tool_call_id") && sent.get(at - 1).has("tool_call_id")) {
        Collections.swap(sent, at - 1, at);
      }
    }
  }

  private static JsonNode said(JsonNode entry, UnaryOperator<String> as) {
    JsonNode said = entry.deepCopy();
    if (isQuestion(entry)) {
      ((ObjectNode) said).put("content", as.apply(entry.path("content").asText()));
    }
    return said;
  }

  /** Makes one message of two questions, once they are answered. */
  private static void mergeQuestions(List<JsonNode> sent, int newFrom) {
    for (int at = newFrom - 1; at > 0; at--) {
      if (isQuestion(sent.get(at)) && isQuestion(sent.get(at - 1))) {
        String more = "\n" + sent.remove(at).path("content").asText();
        sent.set(at - 1, said(sent.get(at - 1), text -> text + more));
      }
    }
  }

  /** Makes two messages of a question, once it is answered. */
  private static void splitQuestions(List<JsonNode> sent, int newFrom) {
    for (int at = newFrom - 1; at >= 0; at--) {
      if (isQuestion(sent.get(at))) {
        sent.add(at + 1, said(sent.get(at), text -> text.substring(text.indexOf(' ') + 1)));
        sent.set(at, said(sent.get(at), text -> text.substring(0, text.indexOf(' '))));
      }
    }
  }

  /** Adds a text to the last message, where it is the user's. */
  private static void remind(Wire wire, JsonNode last, int step) {
    JsonNode content = last.path("content");
    String type = wire == Wire.RESPONSES ? "input_text" : "text";
    if (isQuestion(last) || (content.isArray() && content.path(0).has("tool_use_id"))) {
      ArrayNode parts = JsonNodeFactory.instance.arrayNode();
      if (content.isTextual()) {
        parts.addObject().put("type", type).put("text", content.asText());
      } else {
        parts.addAll((ArrayNode) content);
      }
      parts.addObject().put("type", type).put("text", "Remember sum_" + step + ".");
      ((ObjectNode) last).set("content", parts);
    }
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
