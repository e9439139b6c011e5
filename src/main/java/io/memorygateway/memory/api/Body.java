package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.ApiException.invalidRequest;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.NewMessage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Members of an object in a request's body; each getter checks the type. Unknown members are
 * ignored.
 *
 * @param path prefix of a member's name in an error: empty, or such as {@code messages[]}
 */
record Body(String path, Map<String, JsonValue> members) {

  /**
   * Parses the body of a request, an object.
   *
   * @throws ApiException 400 if it is not valid
   */
  static Body parse(byte[] text, int levels) {
    return parse(text, ParseOptions.STRICT.withLevels(levels));
  }

  /** The same for a body with contents of messages, which may hold whatever a turn stores. */
  static Body parseMessages(byte[] text) {
    return parse(
        text, ParseOptions.STRICT.withLevels(ParseOptions.SHALLOW).withContents("content"));
  }

  private static Body parse(byte[] text, ParseOptions options) {
    try {
      JsonValue value = JsonValue.parse(text, options.withMaxValues(NewMessage.MAX_VALUES));
      if (value.is(Kind.OBJECT)) {
        return new Body("", value.members());
      }
    } catch (MalformedJsonException e) {
      throw invalidRequest("The body " + e.getMessage() + ".");
    }
    throw invalidRequest("The body must be a JSON object.");
  }

  /**
   * Refuses members of other names.
   *
   * @throws ApiException 400 if there is one
   */
  void checkNames(List<String> known) {
    for (String name : members.keySet()) {
      if (!known.contains(name)) {
        throw ApiException.unknownName("member of the body", name, known);
      }
    }
  }

  boolean has(String name) {
    return members.containsKey(name);
  }

  /** An optional member; null if it is absent or {@code null}. */
  @Nullable JsonValue value(String name) {
    JsonValue value = members.get(name);
    return value == null || value.is(Kind.NULL) ? null : value;
  }

  @Nullable JsonValue optional(String name, Kind kind, String what) {
    JsonValue value = value(name);
    if (value != null && !value.is(kind)) {
      throw invalidRequest(path + name + " must be " + what + ".");
    }
    return value;
  }

  @Nullable String string(String name) {
    JsonValue value = optional(name, Kind.STRING, "a string");
    return value == null ? null : value.text();
  }

  @Nullable String id(String name) {
    String id = string(name);
    return id == null ? null : Identifier.check(path + name, id);
  }

  String requiredId(String name) {
    String id = id(name);
    if (id == null) {
      throw invalidRequest(path + name + " is required.");
    }
    return id;
  }

  /** An optional string with one of a few values. */
  @Nullable String word(String name, Set<String> words) {
    String word = string(name);
    if (word != null && !words.contains(word)) {
      throw invalidRequest(
          path
              + name
              + " must be one of "
              + String.join(", ", words.stream().sorted().toList())
              + ".");
    }
    return word;
  }

  @Nullable String text(String name, int maxCharacters) {
    String text = string(name);
    if (text != null && text.codePointCount(0, text.length()) > maxCharacters) {
      throw invalidRequest(path + name + " must have at most " + maxCharacters + " characters.");
    }
    return text;
  }

  @Nullable Boolean truth(String name) {
    JsonValue value = optional(name, Kind.BOOLEAN, "true or false");
    return value == null ? null : Boolean.valueOf(value.raw());
  }

  /** An optional whole number within bounds. */
  @Nullable Integer integer(String name, int min, int max) {
    JsonValue value = optional(name, Kind.NUMBER, "an integer");
    if (value == null) {
      return null;
    }
    try {
      int number = Integer.parseInt(value.raw());
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // handled below
    }
    throw invalidRequest(path + name + " must be an integer from " + min + " to " + max + ".");
  }
}
