package io.memorygateway.turn;

import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.replay.TurnClaims;
import io.memorygateway.memory.rows.MessageRow;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;

/**
 * The answer to an earlier call, rebuilt from what was stored of it.
 *
 * @param isStream whether it is sent as a stream of events
 */
public record Replay(boolean isStream, AnswerReplay format, AnswerReplay.Answered answered) {
  private static final String STREAM = "{\"stream\":true,\"answer\":";
  private static final String WHOLE = "{\"stream\":false,\"answer\":";

  /** The JSON that is stored of an answer besides its messages, for a replay. */
  static String storedBody(boolean isStream, String metadata) {
    return (isStream ? STREAM : WHOLE) + metadata + "}";
  }

  /** The answer stored for an Idempotency-Key. */
  static Replay of(TurnClaims.First first, AnswerReplay format, RequestBody body, Instant now) {
    String storedBody = first.body();
    boolean isStream = storedBody.startsWith(STREAM);
    String metadata =
        isStream || storedBody.startsWith(WHOLE)
            ? storedBody.substring((isStream ? STREAM : WHOLE).length(), storedBody.length() - 1)
            : "{}";
    return new Replay(
        isStream,
        format,
        new AnswerReplay.Answered(
            metadata, "", now.getEpochSecond(), body.model(), messages(first.messages())));
  }

  /** The answer of a turn of which only the messages are stored. */
  static Replay of(List<MessageRow> answer, AnswerReplay format, RequestBody body, Instant now) {
    return new Replay(
        body.stream(),
        format,
        new AnswerReplay.Answered(
            null, answer.get(0).publicId(), now.getEpochSecond(), body.model(), messages(answer)));
  }

  private static List<StoredMessage> messages(List<MessageRow> rows) {
    return rows.stream()
        .map(row -> new StoredMessage(row.role(), row.content(), row.type()))
        .toList();
  }

  /** The answer as UTF-8 JSON. */
  public byte[] body() {
    return format.body(answered);
  }

  /** Writes the answer as a stream of events, up to its proper end. */
  public void writeTo(OutputStream out) throws IOException {
    format.stream(answered, out);
  }
}
