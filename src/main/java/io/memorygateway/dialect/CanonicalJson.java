package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * JSON in one spelling: members by name, no white space, no needless escapes. Numbers stay as they
 * are spelt. Two values with the same outcome say the same.
 */
final class CanonicalJson {
  /** What an upstream adds to its answers and an echo may add or lose. */
  private static final Set<String> MARKS =
      Set.of("id", "status", "cache_control", "annotations", "logprobs", "citations");

  private CanonicalJson() {}

  static String of(JsonValue value) {
    StringBuilder out = new StringBuilder();
    write(value, Set.of(), out);
    return out.toString();
  }

  /** Without the members at the top that do not count. */
  static String withoutMarks(JsonValue value) {
    StringBuilder out = new StringBuilder();
    write(value, MARKS, out);
    return out.toString();
  }

  private static void write(JsonValue value, Set<String> dropped, StringBuilder out) {
    if (value.isObject()) {
      List<JsonValue.Field> fields = new ArrayList<>(value.fields());
      fields.removeIf(field -> dropped.contains(field.name()));
      fields.sort(Comparator.comparing(JsonValue.Field::name));
      out.append('{');
      for (JsonValue.Field field : fields) {
        out.append(Json.quote(field.name())).append(':');
        write(field.value(), Set.of(), out);
        out.append(',');
      }
      out.append('}');
    } else if (value.isArray()) {
      out.append('[');
      for (JsonValue item : value.items()) {
        write(item, Set.of(), out);
        out.append(',');
      }
      out.append(']');
    } else {
      out.append(value.isString() ? Json.quote(value.text()) : value.raw());
    }
  }
}
