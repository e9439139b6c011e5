package io.memorygateway.dialect;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Json;
import java.io.IOException;

/** A reader of a format's {@code usage} object. */
@FunctionalInterface
interface UsageFormat {
  /**
   * Reads the value at the current token, to its end; a value that is no object reports nothing.
   */
  Usage read(JsonParser parser) throws IOException;

  /**
   * Reads the usage of a whole answer, a member of its top level.
   *
   * @throws MalformedAnswerException if the answer is not exactly one JSON object
   */
  default Usage readAnswer(byte[] json) throws MalformedAnswerException {
    Usage usage = Usage.NONE;
    try (JsonParser parser = Json.open(json, 0, json.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedAnswerException();
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean isUsage = parser.currentName().equals("usage");
        parser.nextToken();
        if (isUsage) {
          usage = read(parser);
        } else {
          parser.skipChildren();
        }
      }
      if (parser.nextToken() != null) {
        throw new MalformedAnswerException();
      }
    } catch (IOException e) {
      throw new MalformedAnswerException();
    }
    return usage;
  }
}
