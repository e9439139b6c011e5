package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.figures.Figure;
import io.memorygateway.usage.Sum;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Generator of the JSON schemas of records as Jackson writes them. */
final class RecordSchemas {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final ObjectNode schemas;
  private final Map<String, Class<?>> known = new HashMap<>();

  /**
   * Creates a generator.
   *
   * @param schemas receives them by the simple name of the record; may contain others
   */
  RecordSchemas(ObjectNode schemas) {
    this.schemas = schemas;
  }

  /**
   * Returns a reference to the schema of a record, which is generated on first use.
   *
   * @param given whether the record is read and not written: nullable members may be missing then
   */
  ObjectNode reference(Class<?> type, boolean given) {
    String name = type.getSimpleName();
    Class<?> other = known.put(name, type);
    if (other != null && other != type) {
      throw new IllegalStateException("two schemas of one name: " + type + ", " + other);
    }
    if (other == null) {
      if (schemas.has(name)) {
        throw new IllegalStateException("two schemas of one name: " + name);
      }
      ObjectNode schema = schemas.putObject(name);
      schema.put("type", "object");
      if (given) {
        schema.put("additionalProperties", false);
      }
      ObjectNode properties = schema.putObject("properties");
      ArrayNode required = JSON.arrayNode();
      addMembers(type, given, properties, required);
      if (!required.isEmpty()) {
        schema.set("required", required);
      }
    }
    return JSON.objectNode().put("$ref", "#/components/schemas/" + name);
  }

  private void addMembers(Class<?> type, boolean given, ObjectNode properties, ArrayNode required) {
    for (RecordComponent component : type.getRecordComponents()) {
      if (has(component, JsonAnyGetter.class)) {
        addNumbers(type, properties, required);
        continue;
      }
      if (has(component, JsonUnwrapped.class)) {
        addMembers(component.getType(), given, properties, required);
        continue;
      }
      AnnotatedType annotated = component.getAnnotatedType();
      boolean nullable = annotated.isAnnotationPresent(Nullable.class);
      if (has(component, JsonRawValue.class)) {
        properties.putObject(component.getName());
      } else {
        ObjectNode schema = of(annotated, given);
        properties.set(component.getName(), nullable ? orNull(schema) : schema);
      }
      boolean mayLack =
          has(component, JsonInclude.class) || type.isAnnotationPresent(JsonInclude.class);
      if (!mayLack && !(given && nullable)) {
        required.add(component.getName());
      }
    }
  }

  /** Members of a record of numbers and money, whose names are a list. */
  private static void addNumbers(Class<?> type, ObjectNode properties, ArrayNode required) {
    List<String> names =
        type == LoggedFigures.class
            ? LoggedFigures.NAMES
            : Sum.ALL.stream().map(Sum::jsonName).toList();
    for (String name : names) {
      boolean isCost = name.equals(Figure.COST.jsonName());
      ObjectNode schema = JSON.objectNode().put("type", isCost ? "string" : "integer");
      boolean known =
          type == LoggedFigures.class ? name.equals(Figure.DURATION_MS.jsonName()) : !isCost;
      properties.set(name, known ? schema : orNull(schema));
      required.add(name);
    }
  }

  private static boolean has(
      RecordComponent component, Class<? extends java.lang.annotation.Annotation> annotation) {
    return component.isAnnotationPresent(annotation)
        || component.getAccessor().isAnnotationPresent(annotation);
  }

  private ObjectNode of(AnnotatedType annotated, boolean given) {
    Type type = annotated.getType();
    if (annotated instanceof AnnotatedParameterizedType parameterized) {
      Class<?> raw = (Class<?>) ((ParameterizedType) type).getRawType();
      AnnotatedType[] arguments = parameterized.getAnnotatedActualTypeArguments();
      AnnotatedType last = arguments[arguments.length - 1];
      if (raw == List.class) {
        ObjectNode array = JSON.objectNode().put("type", "array");
        array.set("items", of(last, given));
        return array;
      }
      ObjectNode map = JSON.objectNode().put("type", "object");
      map.set("additionalProperties", of(last, given));
      return map;
    }
    if (type == String.class) {
      return JSON.objectNode().put("type", "string");
    }
    if (type == boolean.class || type == Boolean.class) {
      return JSON.objectNode().put("type", "boolean");
    }
    if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
      return JSON.objectNode().put("type", "integer");
    }
    if (type == BigDecimal.class) {
      return JSON.objectNode().put("type", "number");
    }
    if (type == Object.class) {
      return JSON.objectNode();
    }
    if (type instanceof Class<?> written && isText(written)) {
      return JSON.objectNode().put("type", "string");
    }
    if (type instanceof Class<?> record && record.isRecord()) {
      return reference(record, given);
    }
    throw new IllegalStateException("no schema for " + type);
  }

  /** Whether a class is written as what one of its methods gives, which is a text. */
  private static boolean isText(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .anyMatch(
            method ->
                method.isAnnotationPresent(JsonValue.class)
                    && method.getReturnType() == String.class);
  }

  private static ObjectNode orNull(ObjectNode schema) {
    if (schema.has("$ref")) {
      ObjectNode either = JSON.objectNode();
      either.putArray("anyOf").add(schema).addObject().put("type", "null");
      return either;
    }
    String type = schema.get("type").asText();
    schema.putArray("type").add(type).add("null");
    return schema;
  }
}
