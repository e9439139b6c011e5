package io.memorygateway.format.messages;

import io.memorygateway.format.translation.StrictSchema;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A JSON schema as Anthropic's structured outputs take it: each object is closed, and what a model
 * cannot be held to stands in the description, as Anthropic's SDKs write it. What fits the closed
 * objects fits the open ones.
 */
final class MessagesSchema {
  /** Schemas that are compared each with each. */
  private static final int MAX_APART = 64;

  /** Members that say nothing of a value. */
  private static final Set<String> SILENT = Set.of("$schema", "$id", "$comment");

  private static final Set<String> TAKEN =
      Set.of("type", "title", "const", "default", "required", "$ref");

  /** Members with schemas by their names. */
  private static final Set<String> MAPS = Set.of("properties", "$defs", "definitions");

  static final List<String> UNIONS = List.of("anyOf", "oneOf", "allOf");

  private static final Set<String> FORMATS =
      Set.of(
          "date-time",
          "time",
          "date",
          "duration",
          "email",
          "hostname",
          "uri",
          "ipv4",
          "ipv6",
          "uuid");

  private final JsonWriter out;
  private boolean looser;
  private boolean emptied;
  private boolean clashing;
  private final boolean endless;

  MessagesSchema(JsonValue schema) {
    this.out = new JsonWriter(schema.length());
    write(schema);
    this.endless = new SchemaReferences(schema).areEndless();
  }

  /** Whether a schema says no more than that the answer is JSON, or an object. */
  static boolean isAny(JsonValue schema) {
    boolean any = isOpen(schema) && hasNoProperties(schema) && schema.get("$ref") == null;
    return schema.fields().isEmpty()
        || (any && UNIONS.stream().allMatch(union -> schema.get(union) == null));
  }

  /** Whether it holds the model to all that the caller's schema does, and to no more. */
  boolean isWhole() {
    return !looser && isTakable();
  }

  /**
   * Whether it can be taken: not where something has to fit several objects, which nothing does as
   * soon as they are closed, nor where a reference leads back to itself.
   */
  boolean isTakable() {
    return !clashing && !endless;
  }

  /** Whether it has an empty object where the caller's schema has one with members of any name. */
  boolean isEmptied() {
    return emptied;
  }

  @Override
  public String toString() {
    return out.toString();
  }

  private static boolean isObject(JsonValue schema) {
    return schema.get("properties") != null || types(schema).contains("object");
  }

  private static boolean isOpen(JsonValue schema) {
    JsonValue more = schema.get("additionalProperties");
    return isObject(schema) && (more == null || !more.raw().equals("false"));
  }

  private static boolean hasNoProperties(JsonValue schema) {
    return schema.at("properties").fields().isEmpty();
  }

  /** How many objects a value of the schema has to fit at once. */
  private static long objects(JsonValue schema) {
    long objects = isObject(schema) ? 1 : 0;
    for (String union : UNIONS) {
      long all = schema.at(union).items().stream().filter(MessagesSchema::mayBeObject).count();
      objects += union.equals("allOf") ? all : Math.min(1, all);
    }
    return objects;
  }

  private static boolean mayBeObject(JsonValue branch) {
    return isObject(branch)
        || branch.get("$ref") != null
        || UNIONS.stream().anyMatch(union -> branch.get(union) != null);
  }

  private void write(JsonValue schema) {
    if (!schema.isObject()) {
      out.raw(schema);
      return;
    }
    boolean object = isObject(schema);
    clashing |= objects(schema) > 1;
    StringJoiner words = new StringJoiner(", ", "{", "}").setEmptyValue("");
    out.ascii("{");
    schema
        .members()
        .forEach(
            (name, value) -> {
              boolean apart =
                  name.equals("description") || (object && name.equals("additionalProperties"));
              if (!apart && !SILENT.contains(name) && !write(schema, name, value)) {
                words.add(name + ": " + value.raw());
              }
            });
    if (object) {
      member("additionalProperties").ascii("false");
    }
    if (isOpen(schema)) {
      looser = true;
      emptied |= hasNoProperties(schema);
    }
    writeDescription(schema.get("description"), words.toString());
    out.ascii("}");
  }

  private void writeDescription(@Nullable JsonValue given, String words) {
    if (!words.isEmpty()) {
      looser = true;
      String before = given == null ? "" : given.text();
      member("description").string(before.isEmpty() ? words : before + "\n\n" + words);
    } else if (given != null) {
      member("description").raw(given);
    }
  }

  private JsonWriter member(String name) {
    boolean first = out.buffer()[out.length() - 1] == '{';
    return (first ? out : out.ascii(",")).string(name).ascii(":");
  }

  /** Writes a member of a schema; returns whether it is taken. */
  private boolean write(JsonValue schema, String name, JsonValue value) {
    if (MAPS.contains(name) && value.isObject()) {
      member(name).ascii("{");
      value
          .members()
          .forEach(
              (inner, one) -> {
                member(inner);
                write(one);
              });
      out.ascii("}");
    } else if (UNIONS.contains(name) && value.isArray()) {
      boolean one = name.equals("oneOf");
      if (one && schema.get("anyOf") != null) {
        return false;
      }
      looser |= one && !areApart(value.items());
      // A reference is not taken in allOf, and to fit all of one is to fit any of it.
      boolean alone = value.items().size() == 1 && schema.get("anyOf") == null && !one;
      boolean any = one || (alone && schema.get("oneOf") == null);
      member(any ? "anyOf" : name).ascii("[");
      for (JsonValue branch : value.items()) {
        out.element();
        write(branch);
      }
      out.ascii("]");
    } else if (name.equals("items") && value.isObject()) {
      member(name);
      write(value);
    } else if (isTaken(name, value)) {
      member(name).raw(value);
    } else {
      return false;
    }
    return true;
  }

  /** Whether nothing fits two of several schemas, which then need not be told apart. */
  private static boolean areApart(List<JsonValue> schemas) {
    if (schemas.size() > MAX_APART) {
      return false;
    }
    List<Marks> all = schemas.stream().map(Marks::of).toList();
    for (int i = 1; i < all.size(); i++) {
      Marks each = all.get(i);
      if (all.subList(0, i).stream().anyMatch(before -> !before.isApart(each))) {
        return false;
      }
    }
    return true;
  }

  /**
   * What a schema is told from others by.
   *
   * @param tags the one text that a property may be which an object has to have, by its name
   */
  private record Marks(Set<String> types, boolean object, Map<String, String> tags) {
    static Marks of(JsonValue schema) {
      Map<String, JsonValue> properties = schema.at("properties").members();
      Map<String, String> tags = new HashMap<>();
      for (String name : StrictSchema.required(schema)) {
        String tag = tag(properties.get(name));
        if (tag != null) {
          tags.put(name, tag);
        }
      }
      return new Marks(MessagesSchema.types(schema), isObject(schema), tags);
    }

    boolean isApart(Marks other) {
      boolean ofTypes =
          !types.isEmpty()
              && !other.types.isEmpty()
              && other.types.stream().noneMatch(types::contains);
      return ofTypes
          || (object
              && other.object
              && tags.entrySet().stream()
                  .anyMatch(
                      tag -> {
                        String others = other.tags.get(tag.getKey());
                        return others != null && !others.equals(tag.getValue());
                      }));
    }
  }

  /** The types of a schema, of which an integer is a number; none if any fits. */
  private static Set<String> types(JsonValue schema) {
    JsonValue type = schema.at("type");
    return Stream.concat(Stream.of(type), type.items().stream())
        .filter(JsonValue::isString)
        .map(each -> each.text().equals("integer") ? "number" : each.text())
        .collect(Collectors.toSet());
  }

  /** The one text that a property may be; null if there are others. */
  private static @Nullable String tag(@Nullable JsonValue property) {
    if (property == null) {
      return null;
    }
    List<JsonValue> values = property.at("enum").items();
    JsonValue tag = values.size() == 1 ? values.get(0) : property.at("const");
    return tag.isString() ? tag.text() : null;
  }

  private static boolean isTaken(String name, JsonValue value) {
    return switch (name) {
      case "enum" -> value.items().stream().noneMatch(one -> one.isObject() || one.isArray());
      case "format" -> FORMATS.contains(value.text());
      case "minItems" -> value.raw().equals("0") || value.raw().equals("1");
      default -> TAKEN.contains(name);
    };
  }
}
