package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.answer.UsageFormat;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MemberSearch;
import io.memorygateway.sse.SseEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A streamed Chat Completions answer: data lines only, {@code [DONE]} at the end. */
final class ChatStream implements AnswerStream {
  // Ordinary chunks have these members too, but null: most are never parsed.
  private static final MemberSearch NOTABLE =
      new MemberSearch("finish_reason", "usage", "error", "errors", "detail", "message");

  private boolean ended;
  private boolean finished;
  private boolean failed;
  private Figures usage = Figures.NONE;
  private @Nullable String tier;
  private @Nullable String model;
  private boolean begun;

  /** Whether the chunk is an error by itself, if it has no choices. */
  private boolean isError;

  private boolean hasChoices;

  @Override
  public void accept(SseEvent event) {
    if (event.isDone()) {
      ended = true;
    } else if ("error".equals(event.name())) {
      failed = true; // not OpenAI's format, but that of some servers
    } else if (event.dataStart() < event.dataEnd()) {
      // The first chunk names the model, also of a stream that does not come to its end.
      if (!begun || NOTABLE.find(event.dataArray(), event.dataStart(), event.dataEnd())) {
        event.readData(this::readChunk);
      }
      begun = true;
    }
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public boolean complete() {
    return ended || finished;
  }

  @Override
  public boolean failed() {
    return failed;
  }

  @Override
  public Figures usage() {
    return usage.withServiceTier(tier).withModel(model);
  }

  @Override
  public byte[] errorEvent(String type, String message) {
    return "data: {\"error\":{\"message\":%s,\"type\":%s}}\n\n"
        .formatted(JsonWriter.quote(message), JsonWriter.quote(type))
        .getBytes(UTF_8);
  }

  private void readChunk(JsonParser parser) throws IOException {
    isError = false;
    hasChoices = false;
    Json.readMembers(
        parser,
        name -> {
          switch (name) {
            case "error" -> failed |= UpstreamError.isReported(parser);
            case "x_groq" -> readGroq(parser);
            case "usage" -> readUsage(parser);
            case "service_tier" -> tier = UsageFormat.text(parser);
            case UsageFormat.MODEL -> model = UsageFormat.text(parser);
            case "choices" -> Json.readObjects(parser, this::readChoice);
            case "object" -> isError |= "error".equals(UsageFormat.text(parser));
            default -> isError |= UpstreamError.isReportedBy(name, parser);
          }
        });
    failed |= isError && !hasChoices;
  }

  private void readGroq(JsonParser parser) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          switch (name) {
            case "error" -> failed |= UpstreamError.isReported(parser);
            case "usage" -> readUsage(parser);
            default -> {}
          }
        });
  }

  private void readUsage(JsonParser parser) throws IOException {
    Figures read = UsageMembers.CHAT.read(parser).counted();
    if (read.get(Figure.INPUT_TOKENS) >= 0 || read.get(Figure.OUTPUT_TOKENS) >= 0) {
      usage = read;
    }
  }

  private void readChoice(JsonParser parser) throws IOException {
    hasChoices = true;
    String index = "0";
    String reason = null;
    boolean error = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      switch (name) {
        case "index" -> index = parser.getText();
        case "finish_reason" -> reason = UsageFormat.text(parser);
        case "error" -> error |= UpstreamError.isReported(parser);
        case "delta" -> error |= hasError(parser);
        case "usage" -> readUsage(parser);
        default -> {}
      }
      parser.skipChildren();
    }
    boolean first = index.equals("0") || index.equals("null");
    finished |= first && reason != null && !reason.isEmpty();
    failed |= first && (error || ChatChoice.isFailed(reason));
  }

  private static boolean hasError(JsonParser delta) throws IOException {
    boolean[] error = new boolean[1];
    Json.readMembers(
        delta, name -> error[0] |= name.equals("error") && UpstreamError.isReported(delta));
    return error[0];
  }
}
