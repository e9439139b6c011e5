package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Helpers of the three formats for storing an answer without its messages. */
final class AnswerMetadata {
  /** Characters; a larger member is kept empty: it repeats the request. */
  private static final int LARGEST_MEMBER = 2048;

  private static final int LARGEST = 16 << 10;

  private AnswerMetadata() {}

  /** The members of an object as they are spelt, but for those left out; the large ones empty. */
  static List<String> members(JsonValue object, Set<String> leftOut) {
    List<String> members = new ArrayList<>();
    int length = 0;
    for (JsonValue.Field field : object.fields()) {
      JsonValue value = field.value();
      if (!leftOut.contains(field.name()) && length < LARGEST) {
        boolean large = value.end() - value.start() > LARGEST_MEMBER;
        String kept =
            !large ? value.raw() : value.isArray() ? "[]" : value.isObject() ? "{}" : "null";
        members.add(member(field.name(), kept));
        length += kept.length() + field.name().length();
      }
    }
    return members;
  }

  static String member(String name, String json) {
    return Json.quote(name) + ":" + json;
  }

  static String object(List<String> members) {
    return "{" + String.join(",", members) + "}";
  }

  /** A member as it is spelt; null if it is missing. */
  static String raw(JsonValue object, String name) {
    JsonValue value = object.get(name);
    return value == null ? "null" : value.raw();
  }

  static JsonValue parse(byte[] json) {
    try {
      return JsonValue.parse(json);
    } catch (IOException e) {
      return JsonValue.of("{}");
    }
  }

  static void write(String event, OutputStream out) throws IOException {
    out.write(event.getBytes(UTF_8));
  }
}
