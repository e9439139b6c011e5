package io.memorygateway.format.translation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.content.Shape;
import io.memorygateway.testing.CannedReplies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A stream with oddities of servers that take nothing away from what it says. */
final class OddStream {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Random random;
  private final Shape shape;
  private List<ObjectNode> events = new ArrayList<>();
  private String name = "";

  OddStream(Shape shape, String stream, Random random) {
    this.shape = shape;
    this.random = random;
    for (String event : stream.strip().split("\n\n", -1)) {
      String data = event.substring(event.indexOf("data: ") + "data: ".length());
      if (!data.equals("[DONE]")) {
        events.add((ObjectNode) CannedReplies.json(data));
      }
    }
    switch (shape) {
      case CHAT -> chat();
      case MESSAGES -> messages();
      default -> responses();
    }
    maybe(this::addUnknown);
    name = random.nextInt(3) == 0 ? "message" : random.nextBoolean() ? "type" : "";
  }

  private void maybe(Runnable oddity) {
    if (random.nextInt(4) == 0) {
      oddity.run();
    }
  }

  private void addUnknown() {
    ObjectNode unknown = NODES.objectNode().put("type", "new.kind").put("index", 0);
    unknown.put("output_index", 0).putObject("delta").put("x", 1);
    events.add(1 + random.nextInt(events.size() - 1), unknown);
  }

  private void chat() {
    maybe(() -> eachChoice(choice -> choice.putNull("logprobs").put("odd", 7)));
    maybe(() -> eachChoice(choice -> choice.remove("index")));
    String reasoning = random.nextBoolean() ? "thinking" : "reasoning";
    maybe(() -> eachDelta(delta -> rename(delta, "reasoning_content", reasoning)));
    maybe(() -> eachDelta(delta -> delta.putNull("function_call").putArray("annotations")));
    maybe(this::repeatNames);
    maybe(this::addZeros);
    maybe(this::wholeMessage);
    maybe(this::addChoices);
  }

  private interface Oddity {
    void take(ObjectNode node);
  }

  private void eachChoice(Oddity oddity) {
    for (ObjectNode event : events) {
      event.path("choices").forEach(choice -> oddity.take((ObjectNode) choice));
    }
  }

  private void eachDelta(Oddity oddity) {
    eachChoice(
        choice -> {
          if (choice.path("delta") instanceof ObjectNode delta) {
            oddity.take(delta);
          }
        });
  }

  private static void rename(ObjectNode node, String from, String to) {
    if (node.has(from)) {
      node.set(to, node.remove(from));
    }
  }

  /** Each piece of a call says again which it is. */
  private void repeatNames() {
    Map<Integer, ObjectNode> first = new HashMap<>();
    eachDelta(
        delta -> {
          for (JsonNode call : delta.path("tool_calls")) {
            ObjectNode known =
                first.computeIfAbsent(
                    call.path("index").asInt(), index -> (ObjectNode) call.deepCopy());
            ((ObjectNode) call).put("id", known.path("id").asText());
            ((ObjectNode) call.path("function"))
                .put("name", known.path("function").path("name").asText());
          }
        });
  }

  private void addZeros() {
    for (ObjectNode event : events) {
      if (!event.path("usage").isObject()) {
        event.putObject("usage").put("prompt_tokens", 0).put("completion_tokens", 0);
      }
    }
  }

  /** A role, then the whole message in place of the deltas. */
  private void wholeMessage() {
    Map<String, StringBuilder> texts = new HashMap<>();
    Map<Integer, ObjectNode> calls = new HashMap<>();
    ObjectNode message = NODES.objectNode().put("role", "assistant");
    eachDelta(
        delta ->
            delta
                .properties()
                .forEach(
                    member -> {
                      if (member.getValue().isTextual() && !member.getKey().equals("role")) {
                        texts
                            .computeIfAbsent(member.getKey(), key -> new StringBuilder())
                            .append(member.getValue().asText());
                      }
                      if (member.getKey().equals("tool_calls")) {
                        member.getValue().forEach(call -> join(calls, (ObjectNode) call));
                      }
                    }));
    texts.forEach((key, text) -> message.put(key, text.toString()));
    if (!calls.isEmpty()) {
      ArrayNode list = message.putArray("tool_calls");
      calls.values().forEach(list::add);
    }
    eachDelta(ObjectNode::removeAll);
    ObjectNode first = (ObjectNode) events.get(0).path("choices").path(0);
    first.putObject("delta").put("role", "assistant").put("content", "");
    ObjectNode second = events.get(0).deepCopy();
    ObjectNode choice = (ObjectNode) second.path("choices").path(0);
    choice.set("message", message);
    choice.remove("delta");
    events.add(1, second);
  }

  private static void join(Map<Integer, ObjectNode> calls, ObjectNode piece) {
    ObjectNode known = calls.get(piece.path("index").asInt());
    if (known == null) {
      calls.put(piece.path("index").asInt(), piece.deepCopy());
    } else {
      ObjectNode function = (ObjectNode) known.path("function");
      function.put(
          "arguments",
          function.path("arguments").asText() + piece.path("function").path("arguments").asText());
    }
  }

  /** Another choice beside the first one, in chunks of its own and in those of the first. */
  private void addChoices() {
    ObjectNode other = NODES.objectNode().put("index", 1).putNull("finish_reason");
    other.putObject("delta").put("role", "assistant").put("content", "other");
    List<ObjectNode> all = new ArrayList<>();
    for (ObjectNode event : events) {
      if (event.path("choices") instanceof ArrayNode choices && random.nextBoolean()) {
        choices.insert(random.nextInt(choices.size() + 1), other.deepCopy());
      }
      if (random.nextInt(3) == 0 && !all.isEmpty()) {
        ObjectNode own = NODES.objectNode();
        own.putArray("choices").add(other.deepCopy());
        all.add(own);
      }
      all.add(event);
    }
    events = all;
  }

  private void messages() {
    maybe(
        () ->
            each("content_block_delta", event -> ((ObjectNode) event.get("delta")).remove("type")));
    maybe(this::signLate);
    maybe(this::beginTwice);
    maybe(
        () -> events.removeIf(event -> isText(event) && type(event).equals("content_block_start")));
    maybe(() -> events.removeIf(event -> type(event).equals("content_block_stop")));
    maybe(
        () ->
            each("message_start", event -> ((ObjectNode) event.get("message")).put("content", "")));
    maybe(
        () -> {
          if (events.stream().filter(event -> type(event).equals("content_block_start")).count()
              == 1
                  + events.stream()
                      .mapToInt(event -> event.path("index").asInt())
                      .max()
                      .orElse(0)) {
            events.forEach(event -> event.remove("index"));
          }
        });
  }

  private static boolean isText(ObjectNode event) {
    return event.path("content_block").path("type").asText().equals("text");
  }

  private static String type(ObjectNode event) {
    return event.path("type").asText();
  }

  private void each(String type, Oddity oddity) {
    for (ObjectNode event : events) {
      if (type(event).equals(type)) {
        oddity.take(event);
      }
    }
  }

  /** The signatures of thoughts stand behind their ends. */
  private void signLate() {
    for (int i = 0; i + 1 < events.size(); i++) {
      boolean signs = events.get(i).path("delta").has("signature");
      if (signs && type(events.get(i + 1)).equals("content_block_stop")) {
        events.add(i, events.remove(i + 1));
        i++;
      }
    }
  }

  private void beginTwice() {
    List<ObjectNode> all = new ArrayList<>();
    for (ObjectNode event : events) {
      all.add(event);
      if (type(event).equals("content_block_start")) {
        all.add(event.deepCopy());
      }
    }
    events = all;
  }

  private void responses() {
    boolean parted = random.nextInt(4) == 0;
    maybe(() -> events.forEach(event -> event.remove("sequence_number")));
    if (parted) {
      events.removeIf(event -> type(event).endsWith(".delta"));
    } else {
      maybe(() -> events.removeIf(event -> type(event).contains("_text.done")));
      maybe(() -> events.removeIf(event -> type(event).contains("_part.")));
    }
    int whole = events.size();
    if (!parted) {
      maybe(this::repeatLate);
    }
    int which = random.nextInt(8);
    if (which == 0) {
      events.forEach(event -> event.remove("item_id"));
    } else if (which == 1) {
      events.forEach(event -> event.remove("output_index"));
    } else if (which == 2) {
      events.forEach(event -> event.replace("item_id", NODES.textNode("other")));
    } else if (which == 3 && events.size() == whole) {
      swapIndices();
    } else if (which == 4) {
      each("response.output_item.done", event -> event.put("output_index", 0));
    } else if (which == 5 && events.size() == whole) {
      events.stream()
          .filter(event -> event.has("item_id"))
          .forEach(event -> event.put("output_index", 7 + event.path("output_index").asInt()));
    }
    maybe(
        () ->
            each(
                "response.completed",
                event -> ((ObjectNode) event.get("response")).putArray("output")));
  }

  /** Pieces have the index of another item than that of their id. */
  private void swapIndices() {
    long items = events.stream().filter(event -> event.has("item")).count();
    for (ObjectNode event : events) {
      if (event.has("item_id")) {
        event.put(
            "output_index", (event.path("output_index").asInt() + 1) % Math.max(1, items / 2));
      }
    }
  }

  /** A piece comes once more behind the end of its item. */
  private void repeatLate() {
    List<ObjectNode> all = new ArrayList<>();
    ObjectNode piece = null;
    for (ObjectNode event : events) {
      all.add(event);
      piece = type(event).endsWith(".delta") ? event : piece;
      boolean ends = type(event).equals("response.output_item.done") && piece != null;
      if (ends && piece.path("output_index").equals(event.path("output_index"))) {
        all.add(piece.deepCopy());
      }
    }
    events = all;
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    for (ObjectNode event : events) {
      String named = name.equals("type") ? type(event) : name;
      out.append(named.isEmpty() ? "" : "event: " + named + "\n");
      out.append("data: ").append(event).append("\n\n");
    }
    return out.append(shape == Shape.CHAT ? "data: [DONE]\n\n" : "").toString();
  }
}
