package io.memorygateway.format;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Base of the checkers of requests: each says what a strict provider of its format refuses, by the
 * provider's documents. A member that the format does not have is a fault, as is one of another
 * type. For one request.
 */
abstract class RequestChecker {
  /** Characters of the names of tools in all formats. */
  static final Pattern TOOL_NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  private final List<String> faults = new ArrayList<>();

  /** Checks the whole body. */
  abstract void check(JsonValue body);

  /** What the provider refuses about a body; empty if it takes it. */
  final List<String> faults(String json) {
    if (!JsonValue.isValid(json)) {
      throw new IllegalArgumentException("no JSON: " + json);
    }
    check(JsonValue.of(json));
    return List.copyOf(faults);
  }

  final void fault(String path, String why) {
    faults.add(path + ": " + why);
  }

  final void require(boolean holds, String path, String why) {
    if (!holds) {
      fault(path, why);
    }
  }

  /** Requires that an object has no members but these, and none of them twice. */
  final void members(JsonValue object, String path, Set<String> known) {
    if (!object.isObject()) {
      fault(path, "is no object");
      return;
    }
    for (JsonValue.Field field : object.fields()) {
      require(known.contains(field.name()), path + "." + field.name(), "is not permitted");
    }
    require(object.members().size() == object.fields().size(), path, "has a member twice");
  }

  /** Requires a string that is not blank. */
  final void words(JsonValue object, String path, String name) {
    require(!object.text(name).isBlank(), path + "." + name, "must be a text that is not blank");
  }

  /** Requires that a string is the text of a JSON object. */
  final void arguments(JsonValue object, String path, String name) {
    String json = object.string(name);
    boolean holds = json != null && JsonValue.isValid(json) && JsonValue.of(json).isObject();
    require(holds, path + "." + name, "must be a string that holds a JSON object");
  }

  /** The items of a member that must be an array with at least one. */
  final List<JsonValue> itemsOf(JsonValue object, String path, String name) {
    JsonValue value = object.get(name);
    boolean array = value != null && value.isArray();
    require(array && !value.items().isEmpty(), path + "." + name, "must be a list, not empty");
    return array ? value.items() : List.of();
  }

  static Set<String> names(String words) {
    return Set.copyOf(Arrays.asList(words.split(" ", -1)));
  }

  /** Members by type, from entries such as {@code text: type text}. */
  static Map<String, Set<String>> table(String... entries) {
    return Stream.of(entries)
        .map(entry -> entry.split(": ", -1))
        .collect(Collectors.toUnmodifiableMap(entry -> entry[0], entry -> names(entry[1])));
  }
}
