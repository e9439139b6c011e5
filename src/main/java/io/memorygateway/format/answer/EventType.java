package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.sse.SseEvent;

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
    String[] type = {""};
    event.readData(
        parser -> {
          while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            if (parser.nextToken() == JsonToken.VALUE_STRING && name.equals("type")) {
              type[0] = parser.getText();
              return;
            }
            type[0] = UpstreamError.isReportedBy(name, parser) ? "error" : type[0];
            parser.skipChildren();
          }
        });
    return type[0];
  }
}
