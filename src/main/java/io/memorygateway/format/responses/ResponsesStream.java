package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.EventType;
import io.memorygateway.format.answer.UsageFormat;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonPieces;
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
  private long lastNumber = -1;
  private String type = "";

  /** The last event, if it comes in pieces. */
  private JsonPieces pieces = new JsonPieces((member, text) -> {});

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
      case "response.created" -> event.readData(this::readUsage); // it names the model
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
    // It may be the beginning of an event that was too large to be held.
    Json.readObject(lastNumbered, 0, lastNumberedLength, this::readNumber);
    return """
    event: error
    data: {"type":"error","code":%s,"message":%s,"param":null,"sequence_number":%d}

    """
        .formatted(JsonWriter.quote(errorType), JsonWriter.quote(message), lastNumber + 1)
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

  private void readNumber(JsonParser parser) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          if (name.equals("sequence_number")) {
            lastNumber = UsageFormat.count(parser);
          }
        });
  }

  /** Reads the last event; of one in pieces the first has the model and the last the usage. */
  private void end(SseEvent event) {
    ended = event.readData(this::readUsage) || event.endsEvent() || ended;
    if (event.startsEvent() && event.endsEvent()) {
      return;
    }
    pieces = event.startsEvent() ? new JsonPieces((member, text) -> {}) : pieces;
    pieces.feed(event.array(), event.offset(), event.length());
    if (event.endsEvent()) {
      byte[] head = pieces.head().rawBytes();
      Json.readObject(head, 0, head.length, this::readUsage);
    }
  }

  /** Reads the usage, from {@code response.usage}, and the model. */
  private void readUsage(JsonParser parser) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          if (name.equals("usage")) {
            usage = usage.with(UsageMembers.RESPONSES.read(parser));
          } else if (name.equals("service_tier")) {
            String told = UsageFormat.text(parser);
            tier = told == null ? tier : told;
          } else if (name.equals(UsageFormat.MODEL)) {
            usage = usage.withModel(UsageFormat.text(parser));
          } else if (name.equals("response")) {
            readUsage(parser);
          }
        });
  }
}
