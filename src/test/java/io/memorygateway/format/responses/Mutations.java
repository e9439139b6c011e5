package io.memorygateway.format.responses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Small faults in JSON: values of other types, members that are gone. */
final class Mutations {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> OTHERS =
      List.of(
          "null",
          "1",
          "-2.5",
          "true",
          "\"\"",
          "\"x\"",
          "[]",
          "{}",
          "[null]",
          "[1,\"a\"]",
          "{\"type\":3}");

  private Mutations() {}

  /** The value, which it changes, with one to three faults. */
  static JsonNode of(JsonNode value, Random random) {
    for (int i = random.nextInt(3); i >= 0; i--) {
      List<JsonNode> holders = new ArrayList<>();
      collect(value, holders);
      JsonNode holder = holders.get(random.nextInt(holders.size()));
      JsonNode other;
      try {
        other = JSON.readTree(OTHERS.get(random.nextInt(OTHERS.size())));
      } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
        throw new AssertionError(e);
      }
      if (holder instanceof ObjectNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        String name = names.get(random.nextInt(names.size()));
        if (random.nextInt(4) == 0) {
          object.remove(name);
        } else {
          object.set(name, other);
        }
      } else if (holder instanceof ArrayNode array) {
        array.set(random.nextInt(array.size()), other);
      }
    }
    return value;
  }

  private static void collect(JsonNode value, List<JsonNode> holders) {
    if (!value.isEmpty()) {
      holders.add(value);
      value.forEach(child -> collect(child, holders));
    }
  }
}
