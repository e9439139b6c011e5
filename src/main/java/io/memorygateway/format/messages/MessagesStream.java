package io.memorygateway.format.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.EventType;
import io.memorygateway.format.answer.UsageFormat;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A streamed Messages answer: named events, {@code message_stop} at the end. */
final class MessagesStream implements AnswerStream {
  private final MessagesUsage counts = new MessagesUsage();
  private @Nullable String model;
  private boolean ended;
  private boolean failed;

  @Override
  public void accept(SseEvent event) {
    switch (EventType.of(event)) {
      case "message_start", "message_delta" -> event.readData(this::readUsage);
      case "message_stop" -> ended = true;
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
    return counts.usage().withModel(model);
  }

  @Override
  public byte[] errorEvent(String type, String message) {
    return "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":%s,\"message\":%s}}\n\n"
        .formatted(JsonWriter.quote(type), JsonWriter.quote(message))
        .getBytes(UTF_8);
  }

  /** Reads the usage, from {@code message.usage} at the start, from {@code usage} later. */
  private void readUsage(JsonParser parser) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          if (name.equals("usage")) {
            counts.read(parser);
          } else if (name.equals(UsageFormat.MODEL)) {
            model = UsageFormat.text(parser);
          } else if (name.equals("message")) {
            readUsage(parser);
          }
        });
  }
}
