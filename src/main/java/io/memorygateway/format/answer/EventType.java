package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Json;
import io.memorygateway.sse.SseEvent;
import java.io.IOException;

/** The type of an event, in the two formats that name their events. */
public final class EventType {
  private EventType() {}

  /**
   * The name in the {@code event} line; for servers that omit the line, {@code type} in the data;
   * empty if there is neither.
   */
  public static String of(SseEvent event) {
    String name = event.name();
    return name != null ? name : ofData(event);
  }

  private static String ofData(SseEvent event) {
    int start = event.dataStart();
    try (JsonParser parser = Json.open(event.dataArray(), start, event.dataEnd() - start)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          boolean isType = parser.currentName().equals("type");
          if (parser.nextToken() == JsonToken.VALUE_STRING && isType) {
            return parser.getText();
          }
          parser.skipChildren();
        }
      }
    } catch (IOException e) {
      // Not JSON: it has no type.
    }
    return "";
  }
}
