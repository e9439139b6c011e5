package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.Set;

/** What the strict outputs of OpenAI take of a JSON schema. */
public final class StrictSchema {
  private static final Set<String> KNOWN =
      Set.of(
          "$schema",
          "title",
          "description",
          "type",
          "enum",
          "const",
          "properties",
          "required",
          "additionalProperties",
          "$defs",
          "definitions",
          "anyOf",
          "items",
          "minItems",
          "maxItems",
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "pattern",
          "format");

  private static final Set<String> FORMATS =
      Set.of("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid");

  private StrictSchema() {}

  /** Whether each object in it is closed and demands all it has. */
  public static boolean isClosed(JsonValue schema) {
    JsonValue properties = schema.get("properties");
    if (schema.text("type").equals("object") || (properties != null && properties.isObject())) {
      JsonValue more = schema.get("additionalProperties");
      JsonValue required = schema.get("required");
      int all = properties == null ? 0 : properties.members().size();
      if (more == null
          || !more.raw().equals("false")
          || all != (required == null ? 0 : required.items().size())) {
        return false;
      }
    }
    return schema.fields().stream().allMatch(member -> isClosed(member.value()))
        && schema.items().stream().allMatch(StrictSchema::isClosed);
  }

  /**
   * Whether strict output is sure to take it: it is closed, and nothing in it is unknown there.
   * Then it may be asked for where the caller has no word for it.
   */
  public static boolean isTaken(JsonValue schema) {
    return schema.text("type").equals("object")
        && schema.get("anyOf") == null
        && isClosed(schema)
        && isKnown(schema);
  }

  private static boolean isKnown(JsonValue schema) {
    if (schema.string("$ref") != null) {
      return schema.fields().size() == 1 && schema.text("$ref").startsWith("#");
    }
    return schema.isObject()
        && (schema.get("type") != null || schema.get("anyOf") != null)
        && schema.fields().stream().allMatch(StrictSchema::isKnown);
  }

  private static boolean isKnown(JsonValue.Field member) {
    JsonValue value = member.value();
    return KNOWN.contains(member.name())
        && switch (member.name()) {
          case "properties", "$defs", "definitions" ->
              value.fields().stream().allMatch(inner -> isKnown(inner.value()));
          case "anyOf" -> value.items().stream().allMatch(StrictSchema::isKnown);
          case "items" -> isKnown(value);
          case "format" -> FORMATS.contains(value.text());
          default -> true;
        };
  }
}
