package io.memorygateway.reference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a key stands in config.yml. A step is a name, {@code [0]} for an element, or {@code <name>}
 * for any entry of a map whose entries are alike.
 */
record KeyPath(List<String> steps) {
  static final String ANY_NAME = "<name>";

  /** An entry that no default knows by its name. */
  static final String SAMPLE = "sample";

  static final KeyPath ROOT = new KeyPath(List.of());

  KeyPath {
    steps = List.copyOf(steps);
  }

  KeyPath then(String step) {
    List<String> more = new ArrayList<>(steps);
    more.add(step);
    return new KeyPath(more);
  }

  KeyPath element(int index) {
    return then("[" + index + "]");
  }

  KeyPath parent() {
    return new KeyPath(steps.subList(0, steps.size() - 1));
  }

  String name() {
    return steps.get(steps.size() - 1);
  }

  boolean isInMap() {
    return steps.contains(ANY_NAME);
  }

  static boolean isElement(String step) {
    return step.startsWith("[");
  }

  static int index(String step) {
    return Integer.parseInt(step.substring(1, step.length() - 1));
  }

  /** What stands there. A map gets the sample, made after its first entry, and is made itself. */
  JsonNode in(ObjectNode root) {
    JsonNode node = root;
    for (int i = 0; i < steps.size(); i++) {
      String step = steps.get(i);
      if (i + 1 < steps.size() && steps.get(i + 1).equals(ANY_NAME)) {
        node = node instanceof ObjectNode parent ? parent.withObjectProperty(step) : node;
      } else if (step.equals(ANY_NAME) && node instanceof ObjectNode map) {
        if (!map.has(SAMPLE)) {
          map.set(SAMPLE, map.isEmpty() ? map.objectNode() : map.elements().next().deepCopy());
          if (map.path(SAMPLE).has("baseUrl")) {
            // Of known makers some defaults are others.
            ((ObjectNode) map.path(SAMPLE)).put("baseUrl", "http://127.0.0.1:8000/v1");
          }
        }
        node = map.path(SAMPLE);
      } else {
        node = isElement(step) ? node.path(index(step)) : node.path(step);
      }
    }
    return node;
  }

  /** As the reference writes it: all elements of a list are alike. */
  @Override
  public String toString() {
    return String.join(".", steps).replaceAll("\\.\\[\\d+]", "[]");
  }
}
