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
   * {@code error} if that reports one by itself; else empty.
   */
  public static String of(SseEvent event) {
    String name = event.name();
    return name != null ? name : ofData(event);
  }

  private static String ofData(SseEvent event) {
    int start = event.dataStart();
    boolean isError = false;
    try (JsonParser parser = Json.open(event.dataArray(), start, event.dataEnd() - start)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          if (parser.nextToken() == JsonToken.VALUE_STRING && name.equals("type")) {
            return parser.getText();
          }
          isError |= UpstreamError.isReportedBy(name, parser);
          parser.skipChildren();
        }
      }
    } catch (IOException e) {
      // Not JSON: it has no type.
    }
    return isError ? "error" : "";
  }
}
