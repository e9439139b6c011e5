package io.memorygateway.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The three formats, as a client and a provider use them. */
enum Wire {
  CHAT(new ChatFormat()),
  MESSAGES(new MessagesFormat()),
  RESPONSES(new ResponsesFormat());

  private static final ObjectMapper JSON = new ObjectMapper();

  @SuppressWarnings("ImmutableEnumChecker") // formats are stateless
  private final Format format;

  Wire(Format format) {
    this.format = format;
  }

  Format format() {
    return format;
  }

  static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  /** A request with these messages or items, which lets its tools be used. */
  String body(List<JsonNode> history) {
    ObjectNode body = JSON.createObjectNode().put("model", "m");
    if (this == MESSAGES) {
      body.put("max_tokens", 9).putArray("tools").addObject().put("name", "look");
    }
    if (this == RESPONSES) {
      body.put("store", false);
    }
    body.putArray(list()).addAll(history);
    return body.toString();
  }

  String list() {
    return this == RESPONSES ? "input" : "messages";
  }

  /**
   * A checker of requests to the maker of answers.
   *
   * @param answers what it has said so far
   */
  RequestChecker checker(Set<String> ofMaker, List<JsonNode> answers) {
    if (this == CHAT) {
      return new ChatRequestChecker(ofMaker);
    }
    if (this == MESSAGES) {
      return new MessagesRequestChecker(ofMaker);
    }
    Map<String, String> reasoningOf = new HashMap<>();
    for (JsonNode answer : answers) {
      if (answer.path(0).path("type").asText().equals("reasoning")) {
        reasoningOf.put(answer.path(1).path("id").asText(), answer.path(0).path("id").asText());
      }
    }
    return new ResponsesRequestChecker(reasoningOf, ofMaker);
  }

  /** A whole answer with this message, these blocks or these items. */
  byte[] whole(JsonNode answer) {
    ObjectNode whole = JSON.createObjectNode().put("id", "x").put("model", "m");
    switch (this) {
      case CHAT ->
          whole
              .putArray("choices")
              .addObject()
              .put("index", 0)
              .put("finish_reason", "stop")
              .set("message", ((ObjectNode) answer.deepCopy()).put("role", "assistant"));
      case MESSAGES -> whole.put("role", "assistant").set("content", answer);
      default -> whole.put("status", "completed").set("output", answer);
    }
    return Answers.bytes(whole.toString());
  }

  /** What a client adds to its history: the answer, as its SDK has it. */
  List<JsonNode> remembered(JsonNode answer) {
    if (this == RESPONSES) {
      List<JsonNode> items = new ArrayList<>();
      answer.forEach(item -> items.add(asInput((ObjectNode) item.deepCopy())));
      return items;
    }
    ObjectNode message = JSON.createObjectNode().put("role", "assistant");
    if (this == MESSAGES) {
      message.set("content", answer);
    } else {
      // SDKs leave out what is null, and what only answers have.
      answer
          .properties()
          .forEach(
              member -> {
                boolean ofAnswer = Set.of("refusal", "annotations").contains(member.getKey());
                if (!ofAnswer) {
                  message.set(member.getKey(), member.getValue());
                }
              });
      if (message.has("audio")) {
        message.putObject("audio").put("id", answer.path("audio").path("id").asText());
      }
    }
    return List.of(message);
  }

  /** An item as SDKs send it again. */
  private static JsonNode asInput(ObjectNode item) {
    item.remove("created_by");
    String type = item.path("type").asText();
    if (type.equals("reasoning")) {
      item.remove(List.of("status", "content"));
    }
    return type.equals("image_generation_call")
        ? item.retain("type", "id", "status", "result")
        : item;
  }

  /** Digits behind the number of a step, for each of several results. */
  private static String number(Iterable<?> before) {
    StringBuilder digits = new StringBuilder();
    before.forEach(each -> digits.append('0'));
    return digits.toString();
  }

  JsonNode question(String text) {
    return JSON.createObjectNode().put("role", "user").put("content", text);
  }

  /** A system message in the middle of a conversation. */
  JsonNode reminder(String text) {
    String role = this == MESSAGES ? "system" : "developer";
    return JSON.createObjectNode().put("role", role).put("content", text);
  }

  /** The results of the tools that an answer asks the client to use; none if it asks for none. */
  List<JsonNode> results(JsonNode answer, int step) {
    List<JsonNode> results = new ArrayList<>();
    if (this == MESSAGES) {
      ArrayNode blocks = JSON.createArrayNode();
      for (JsonNode block : answer) {
        if (block.path("type").asText().equals("tool_use")) {
          blocks
              .addObject()
              .put("type", "tool_result")
              .put("tool_use_id", block.path("id").asText())
              .put("content", "res_" + step + number(blocks));
        }
      }
      return blocks.isEmpty()
          ? results
          : List.of(JSON.createObjectNode().put("role", "user").set("content", blocks));
    }
    for (JsonNode call : this == CHAT ? answer.path("tool_calls") : answer) {
      ObjectNode result = JSON.createObjectNode();
      if (this == CHAT) {
        results.add(
            result
                .put("role", "tool")
                .put("tool_call_id", call.path("id").asText())
                .put("content", "res_" + step + number(results)));
      } else if (call.has("call_id")) {
        String type = call.path("type").asText();
        boolean search = type.equals("tool_search_call");
        result
            .put("type", search ? "tool_search_output" : type + "_output")
            .put(type.equals("local_shell_call") ? "id" : "call_id", call.path("call_id").asText());
        if (search) {
          result
              .put("execution", "client")
              .putArray("tools")
              .addObject()
              .put("name", "res_" + step);
        } else if (type.equals("shell_call")) {
          result.putArray("output").addObject().put("stdout", "res_" + step);
        } else {
          result.put("output", "res_" + step);
        }
        results.add(result);
      }
    }
    return results;
  }
}
