package io.memorygateway.format.messages;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A walk along the references of a JSON schema. Each schema in it is visited once, however many
 * refer to it.
 */
final class SchemaReferences {
  /** References that are looked up. */
  private static final int MAX_REFERENCES = 200;

  /** Schemas one in another, whether they stand there or are referred to. */
  private static final int MAX_DEPTH = 300;

  private static final JsonValue NOTHING = JsonValue.of("null");

  private final JsonValue root;

  /** By where a schema begins, whether the walk has left it again. */
  private final Map<Integer, Boolean> visited = new HashMap<>();

  private final Map<String, JsonValue> referred = new HashMap<>();

  SchemaReferences(JsonValue root) {
    this.root = root;
  }

  /**
   * Whether references lead back to themselves, out of the schema, or nowhere; also if there are
   * too many to say.
   */
  boolean areEndless() {
    return isEndless(root, 0);
  }

  private boolean isEndless(JsonValue schema, int depth) {
    Boolean left = visited.putIfAbsent(schema.start(), false);
    if (left != null || depth > MAX_DEPTH) {
      return left == null || !left;
    }
    String reference = schema.string("$ref");
    if (reference != null) {
      JsonValue target = referred.computeIfAbsent(reference, this::find);
      if (!target.isObject() || isEndless(target, depth + 1)) {
        return true;
      }
    }
    for (JsonValue each : inner(schema)) {
      if (isEndless(each, depth + 1)) {
        return true;
      }
    }
    visited.put(schema.start(), true);
    return false;
  }

  /** The schemas in a schema, without those that are referred to alone. */
  private static List<JsonValue> inner(JsonValue schema) {
    List<JsonValue> inner = new ArrayList<>();
    for (JsonValue.Field field : schema.fields()) {
      if (field.name().equals("properties")) {
        field.value().fields().forEach(property -> inner.add(property.value()));
      } else if (field.name().equals("items")) {
        inner.add(field.value());
      } else if (MessagesSchema.UNIONS.contains(field.name())) {
        inner.addAll(field.value().items());
      }
    }
    return inner;
  }

  /** What a JSON pointer behind a hash leads to; of others, and of escaped bytes, nothing. */
  private JsonValue find(String reference) {
    boolean isPointer = reference.equals("#") || reference.startsWith("#/");
    if (!isPointer || reference.indexOf('%') >= 0 || referred.size() == MAX_REFERENCES) {
      return NOTHING;
    }
    JsonValue at = root;
    for (int from = 2; from <= reference.length() && !at.isNull(); ) {
      int slash = reference.indexOf('/', from);
      int to = slash < 0 ? reference.length() : slash;
      String name = reference.substring(from, to).replace("~1", "/").replace("~0", "~");
      at = at.isArray() ? item(at, name) : at.at(name);
      from = to + 1;
    }
    return at;
  }

  private static JsonValue item(JsonValue array, String name) {
    boolean isIndex = name.length() < 9 && name.chars().allMatch(c -> c >= '0' && c <= '9');
    int index = isIndex && !name.isEmpty() ? Integer.parseInt(name) : -1;
    return index >= 0 && index < array.items().size() ? array.items().get(index) : NOTHING;
  }
}
