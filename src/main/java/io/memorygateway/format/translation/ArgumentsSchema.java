package io.memorygateway.format.translation;

import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The schema of a tool's arguments as OpenAI takes it: an object that says its properties. */
public final class ArgumentsSchema {
  private static final Set<String> UNIONS = Set.of("oneOf", "anyOf", "allOf");

  private static final Set<String> NOT_AT_ROOT =
      Set.of("oneOf", "anyOf", "allOf", "enum", "not", "properties", "type");

  private ArgumentsSchema() {}

  /** The schema as JSON, with the properties of all that it may be. */
  public static String of(@Nullable JsonValue schema) {
    if (schema == null) {
      return "{\"type\":\"object\",\"properties\":{}}";
    }
    if (schema.get("properties") != null
        && schema.fields().stream().noneMatch(member -> isUnfit(member.name()))
        && schema.text("type").equals("object")) {
      return schema.raw();
    }
    Map<String, JsonValue> properties = new LinkedHashMap<>();
    addProperties(schema, properties);
    JsonObject all = new JsonObject();
    properties.forEach(all::raw);
    String others = schema.rawMembers(name -> !NOT_AT_ROOT.contains(name));
    return "{\"type\":\"object\",\"properties\":"
        + all
        + (others.isEmpty() ? "" : "," + others)
        + "}";
  }

  /** Whether strict output takes it, and it says all that was asked for. */
  public static boolean isStrict(@Nullable JsonValue schema) {
    return schema != null
        && StrictSchema.isClosed(schema)
        && StrictSchema.isClosed(JsonValue.of(of(schema)));
  }

  private static boolean isUnfit(String name) {
    return UNIONS.contains(name) || name.equals("enum") || name.equals("not");
  }

  private static void addProperties(JsonValue schema, Map<String, JsonValue> properties) {
    JsonValue own = schema.get("properties");
    if (own != null) {
      own.members().forEach(properties::putIfAbsent);
    }
    for (JsonValue.Field member : schema.fields()) {
      if (UNIONS.contains(member.name())) {
        member.value().items().forEach(branch -> addProperties(branch, properties));
      }
    }
  }
}
