package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.EventType;
import io.memorygateway.format.answer.UsageFormat;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MemberSearch;
import io.memorygateway.sse.SseEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A streamed Responses answer: typed and numbered events, the whole response in the last one. */
final class ResponsesStream implements AnswerStream {
  private static final MemberSearch NUMBER = new MemberSearch("sequence_number");

  private byte[] lastNumbered = {};
  private int lastNumberedLength;
  private String type = "";
  private boolean ended;
  private boolean failed;
  private Figures usage = Figures.NONE;

  /** That which was told last: the first event tells the one that was asked for. */
  private @Nullable String tier;

  @Override
  public void accept(SseEvent event) {
    if (event.startsEvent()) {
      type = EventType.of(event);
      recordNumber(event);
    }
    switch (type) {
      case "response.created" -> read(event); // it names the model
      case "response.completed", "response.incomplete" -> end(event);
      case "response.failed", "response.cancelled" -> {
        end(event);
        failed = ended;
      }
      case "error" -> failed = true;
      default -> {}
    }
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public boolean failed() {
    return failed;
  }

  @Override
  public Figures usage() {
    return usage.withServiceTier(tier);
  }

  @Override
  public byte[] errorEvent(String errorType, String message) {
    return """
    event: error
    data: {"type":"error","code":%s,"message":%s,"param":null,"sequence_number":%d}

    """
        .formatted(JsonWriter.quote(errorType), JsonWriter.quote(message), lastNumber() + 1)
        .getBytes(UTF_8);
  }

  /**
   * Holds the bytes of the last event for its number: copying is cheaper than parsing each event.
   */
  private void recordNumber(SseEvent event) {
    if (NUMBER.find(event.dataArray(), event.dataStart(), event.dataEnd())) {
      int start = event.dataStart();
      lastNumberedLength = event.dataEnd() - start;
      if (lastNumbered.length < lastNumberedLength) {
        lastNumbered = new byte[lastNumberedLength];
      }
      System.arraycopy(event.dataArray(), start, lastNumbered, 0, lastNumberedLength);
    }
  }

  private long lastNumber() {
    long number = -1;
    try (JsonParser parser = Json.open(lastNumbered, 0, lastNumberedLength)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          boolean isNumber = parser.currentName().equals("sequence_number");
          parser.nextToken();
          if (isNumber) {
            number = UsageFormat.count(parser);
          }
          parser.skipChildren();
        }
      }
    } catch (IOException e) {
      // The beginning of an event that was too large to be held: what was found in it counts.
    }
    return number;
  }

  private void end(SseEvent event) {
    ended = read(event) || event.endsEvent() || ended;
  }

  /** Reads the usage and the model; returns whether the event was read to its end. */
  private boolean read(SseEvent event) {
    int start = event.dataStart();
    try (JsonParser parser = Json.open(event.dataArray(), start, event.dataEnd() - start)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        readUsage(parser);
        return parser.currentToken() == JsonToken.END_OBJECT;
      }
    } catch (IOException e) {
      // Not JSON, or not all of it: passed on without being read.
    }
    return false;
  }

  private void readUsage(JsonParser parser) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (name.equals("usage")) {
        usage = usage.with(UsageMembers.RESPONSES.read(parser));
      } else if (name.equals("service_tier")) {
        String told = UsageFormat.text(parser);
        tier = told == null ? tier : told;
      } else if (name.equals(UsageFormat.MODEL)) {
        usage = usage.withModel(UsageFormat.text(parser));
      } else if (name.equals("response") && value == JsonToken.START_OBJECT) {
        readUsage(parser);
      } else {
        parser.skipChildren();
      }
    }
  }
}
