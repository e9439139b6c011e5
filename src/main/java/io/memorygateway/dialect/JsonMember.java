package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One member of a JSON object: where its value stands.
 *
 * @param token the first token of the value
 * @param start of the value, in bytes
 * @param end of the value, exclusive
 */
record JsonMember(String name, JsonToken token, int start, int end) {

  boolean isString() {
    return token == JsonToken.VALUE_STRING;
  }

  /** The value as it is written. */
  String text(byte[] json) {
    return new String(json, start, end - start, UTF_8);
  }

  /** All members of the object whose first token is the current one. */
  static List<JsonMember> readAll(JsonParser parser, byte[] json) throws IOException {
    List<JsonMember> members = new ArrayList<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      int start = Json.start(parser);
      members.add(new JsonMember(name, value, start, Json.end(parser, json)));
    }
    return members;
  }

  /** The member of this name; of several the last, as most readers have it. */
  static @Nullable JsonMember find(List<JsonMember> members, String name) {
    JsonMember found = null;
    for (JsonMember member : members) {
      if (member.name.equals(name)) {
        found = member;
      }
    }
    return found;
  }
}
