package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Functions shared by the three formats to store an answer without its messages. */
public final class AnswerMetadata {
  /** Characters; a larger member is stored empty: it repeats the request. */
  private static final int MAX_MEMBER_CHARACTERS = 2048;

  private static final int MAX_CHARACTERS = 16 << 10;

  private AnswerMetadata() {}

  /** The members of an object verbatim, except those left out; large ones empty. */
  public static List<String> members(JsonValue object, Set<String> leftOut) {
    List<String> members = new ArrayList<>();
    int length = 0;
    for (JsonValue.Field field : object.fields()) {
      JsonValue value = field.value();
      if (!leftOut.contains(field.name()) && length < MAX_CHARACTERS) {
        boolean large = value.end() - value.start() > MAX_MEMBER_CHARACTERS;
        String stored =
            !large ? value.raw() : value.isArray() ? "[]" : value.isObject() ? "{}" : "null";
        members.add(member(field.name(), stored));
        length += stored.length() + field.name().length();
      }
    }
    return members;
  }

  public static String member(String name, String json) {
    return JsonWriter.quote(name) + ":" + json;
  }

  public static String object(List<String> members) {
    return "{" + String.join(",", members) + "}";
  }

  /** A member verbatim; null if it is missing. */
  public static String raw(JsonValue object, String name) {
    JsonValue value = object.get(name);
    return value == null ? "null" : value.raw();
  }

  /** A whole answer, read as tolerantly as events are; an empty object if that is in vain. */
  public static JsonValue parse(byte[] json) {
    try {
      return NonFinite.parse(json, ParseOptions.LENIENT);
    } catch (IOException e) {
      return JsonValue.of("{}");
    }
  }

  /** Writes an event of a stream. What is stored may have line breaks, which end one. */
  public static void event(String head, String json, OutputStream out) throws IOException {
    String line = json.replace('\n', ' ').replace('\r', ' ');
    out.write((head + "data: " + line + "\n\n").getBytes(UTF_8));
  }
}
