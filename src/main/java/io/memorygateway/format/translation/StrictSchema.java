package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.Set;
import java.util.stream.Collectors;

/** What the strict outputs of OpenAI take of a JSON schema. */
public final class StrictSchema {
  /** What each provider of them takes; Azure takes no bounds, patterns and formats. */
  private static final Set<String> KNOWN =
      Set.of(
          "$schema",
          "title",
          "description",
          "type",
          "enum",
          "const",
          "required",
          "additionalProperties",
          "anyOf",
          "items");

  /** What none of them takes. */
  private static final Set<String> REFUSED =
      Set.of(
          "oneOf",
          "allOf",
          "not",
          "if",
          "then",
          "else",
          "dependentRequired",
          "dependentSchemas",
          "patternProperties");

  /** Members with schemas by their names. */
  private static final Set<String> MAPS = Set.of("properties", "$defs", "definitions");

  private StrictSchema() {}

  /**
   * Whether strict output may take it: each object in it is closed and demands all it has, and
   * nothing in it is sure to be refused.
   */
  public static boolean isClosed(JsonValue schema) {
    JsonValue properties = schema.get("properties");
    if (isOf(schema, "object") || (properties != null && properties.isObject())) {
      JsonValue more = schema.get("additionalProperties");
      Set<String> all = properties == null ? Set.of() : properties.members().keySet();
      if (more == null || !more.raw().equals("false") || !all.equals(required(schema))) {
        return false;
      }
    }
    return schema.fields().stream().allMatch(StrictSchema::isClosed)
        && schema.items().stream().allMatch(StrictSchema::isClosed);
  }

  private static boolean isClosed(JsonValue.Field member) {
    if (MAPS.contains(member.name()) && member.value().isObject()) {
      return member.value().fields().stream().allMatch(inner -> isClosed(inner.value()));
    }
    return !REFUSED.contains(member.name()) && isClosed(member.value());
  }

  /** The names of the properties that an object has to have. */
  public static Set<String> required(JsonValue schema) {
    return schema.at("required").items().stream().map(JsonValue::text).collect(Collectors.toSet());
  }

  /** Whether a type is that of a schema, or one of its types. */
  private static boolean isOf(JsonValue schema, String type) {
    JsonValue types = schema.at("type");
    return types.text().equals(type)
        || types.items().stream().anyMatch(one -> one.text().equals(type));
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
        && (schema.get("items") != null || !isOf(schema, "array"))
        && schema.fields().stream().allMatch(StrictSchema::isKnown);
  }

  private static boolean isKnown(JsonValue.Field member) {
    JsonValue value = member.value();
    return MAPS.contains(member.name())
        ? value.fields().stream().allMatch(inner -> isKnown(inner.value()))
        : KNOWN.contains(member.name())
            && switch (member.name()) {
              case "anyOf" -> value.items().stream().allMatch(StrictSchema::isKnown);
              case "items" -> isKnown(value);
              default -> true;
            };
  }
}
