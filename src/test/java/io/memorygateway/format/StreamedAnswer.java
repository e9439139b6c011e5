package io.memorygateway.format;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Splits an answer into the events of a stream, anywhere that its format allows. */
final class StreamedAnswer {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** Strings that come in one piece, and lists of them that have numbers. */
  private static final Set<String> WHOLE = Set.of("id", "type", "name", "format", "signature");

  private static final Set<String> NUMBERED = Set.of("tool_calls", "reasoning_details");

  private final Random random;
  private final StringBuilder out = new StringBuilder();

  private StreamedAnswer(Random random) {
    this.random = random;
  }

  /** The events of an answer, with an end. */
  static String of(Wire wire, JsonNode answer, Random random) {
    StreamedAnswer stream = new StreamedAnswer(random);
    switch (wire) {
      case CHAT -> stream.chat((ObjectNode) answer);
      case MESSAGES -> stream.messages(answer);
      default -> stream.responses(answer);
    }
    return stream.out.toString();
  }

  private void chat(ObjectNode message) {
    delta(NODES.objectNode().put("role", "assistant"));
    for (Map.Entry<String, JsonNode> member : message.properties()) {
      String name = member.getKey();
      JsonNode value = member.getValue();
      if (NUMBERED.contains(name)) {
        for (int i = 0; i < value.size(); i++) {
          for (ObjectNode piece : pieces((ObjectNode) value.get(i))) {
            piece.put("index", i);
            delta(NODES.objectNode().set(name, NODES.arrayNode().add(piece)));
          }
        }
      } else if (name.equals("content") && value.isArray()) {
        for (JsonNode part : value) {
          parts(part);
        }
      } else {
        pieces(NODES.objectNode().set(name, value)).forEach(this::delta);
      }
    }
    out.append("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    out.append("data: [DONE]\n\n");
  }

  /** Mistral's parts: the text in pieces, each of a part of its own; plain text as a string. */
  private void parts(JsonNode part) {
    boolean thinking = part.path("type").asText().equals("thinking");
    String text = (thinking ? part.path("thinking").path(0) : part).path("text").asText();
    for (String piece : split(text)) {
      if (thinking) {
        ObjectNode thought = NODES.objectNode().put("type", "thinking");
        thought.putArray("thinking").addObject().put("type", "text").put("text", piece);
        delta(NODES.objectNode().set("content", NODES.arrayNode().add(thought)));
      } else {
        delta(NODES.objectNode().put("content", piece));
      }
    }
  }

  private void delta(JsonNode delta) {
    ObjectNode chunk = NODES.objectNode();
    ObjectNode choice = chunk.putArray("choices").addObject().put("index", 0);
    choice.set("delta", delta);
    choice.putNull("finish_reason");
    out.append("data: ").append(chunk).append("\n\n");
  }

  /** Objects that are the given one when their members are put together. */
  private List<ObjectNode> pieces(ObjectNode whole) {
    List<ObjectNode> pieces = new ArrayList<>();
    ObjectNode first = NODES.objectNode();
    for (Map.Entry<String, JsonNode> member : whole.properties()) {
      String name = member.getKey();
      JsonNode value = member.getValue();
      if (value.isTextual() && !WHOLE.contains(name)) {
        split(value.asText()).forEach(text -> pieces.add(NODES.objectNode().put(name, text)));
      } else if (value.isObject() && Set.of("function", "audio").contains(name)) {
        pieces((ObjectNode) value)
            .forEach(piece -> pieces.add(NODES.objectNode().set(name, piece)));
      } else {
        first.set(name, value);
      }
    }
    if (!first.isEmpty()) {
      pieces.add(0, first);
    }
    return pieces;
  }

  private List<String> split(String text) {
    List<String> pieces = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int end = Math.min(text.length(), at + 1 + random.nextInt(8));
      pieces.add(text.substring(at, end));
      at = end;
    }
    return pieces.isEmpty() ? List.of("") : pieces;
  }

  private void messages(JsonNode blocks) {
    ObjectNode message = NODES.objectNode().put("role", "assistant");
    event("message_start").set("message", message);
    flush();
    for (int i = 0; i < blocks.size(); i++) {
      block(i, (ObjectNode) blocks.get(i));
    }
    event("message_stop");
    flush();
  }

  private void block(int index, ObjectNode block) {
    ObjectNode start = block.deepCopy();
    List<ObjectNode> deltas = new ArrayList<>();
    for (String name : List.of("thinking", "text")) {
      if (block.has(name)) {
        start.put(name, "");
        split(block.get(name).asText())
            .forEach(piece -> deltas.add(typed(name + "_delta").put(name, piece)));
      }
    }
    if (block.has("signature")) {
      start.put("signature", "");
      deltas.add(typed("signature_delta").put("signature", block.get("signature").asText()));
    }
    if (block.has("input")) {
      start.putObject("input");
      deltas.add(typed("input_json_delta").put("partial_json", ""));
      split(block.get("input").toString())
          .forEach(piece -> deltas.add(typed("input_json_delta").put("partial_json", piece)));
    }
    if (block.has("citations")) {
      start.putArray("citations");
      for (JsonNode citation : block.get("citations")) {
        deltas.add(typed("citations_delta").set("citation", citation));
      }
    }
    event("content_block_start").put("index", index).set("content_block", start);
    flush();
    for (ObjectNode delta : deltas) {
      event("content_block_delta").put("index", index).set("delta", delta);
      flush();
    }
    event("content_block_stop").put("index", index);
    flush();
  }

  private void responses(JsonNode items) {
    event("response.created").set("response", response("in_progress", NODES.arrayNode()));
    flush();
    for (int i = 0; i < items.size(); i++) {
      ObjectNode item = (ObjectNode) items.get(i);
      ObjectNode begun = item.deepCopy().put("status", "in_progress");
      if (item.has("content")) {
        begun.putArray("content");
      }
      event("response.output_item.added").put("output_index", i).set("item", begun);
      flush();
      for (String piece : split(item.path("content").path(0).path("text").asText())) {
        event("response.output_text.delta").put("output_index", i).put("content_index", 0);
        event.put("delta", piece);
        flush();
      }
      event("response.output_item.done").put("output_index", i).set("item", item);
      flush();
    }
    // Some servers send the items once more at the end, some do not.
    ArrayNode output = random.nextBoolean() ? (ArrayNode) items : NODES.arrayNode();
    event("response.completed").set("response", response("completed", output));
    flush();
  }

  private static ObjectNode response(String status, ArrayNode output) {
    ObjectNode response = NODES.objectNode().put("id", "resp").put("status", status);
    response.set("output", output);
    return response;
  }

  private static ObjectNode typed(String type) {
    return NODES.objectNode().put("type", type);
  }

  private ObjectNode event = NODES.objectNode();

  private ObjectNode event(String type) {
    event = typed(type);
    return event;
  }

  private void flush() {
    out.append("event: ").append(event.path("type").asText()).append("\ndata: ");
    out.append(event).append("\n\n");
  }
}
