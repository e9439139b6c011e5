package io.memorygateway.turn;

import io.memorygateway.dialect.AnswerReplay;
import io.memorygateway.dialect.RequestBody;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.memory.MessageRow;
import io.memorygateway.memory.TurnClaims;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;

/**
 * An answer that a call had before, made again from what was stored of it.
 *
 * @param isStream whether it is given as a stream of events
 */
public record Replay(boolean isStream, AnswerReplay format, AnswerReplay.Answered answered) {
  private static final String STREAM = "{\"stream\":true,\"answer\":";
  private static final String WHOLE = "{\"stream\":false,\"answer\":";

  /** The text stored of an answer besides its messages, for a replay. */
  static String kept(boolean isStream, String metadata) {
    return (isStream ? STREAM : WHOLE) + metadata + "}";
  }

  /** The answer that is kept for an Idempotency-Key. */
  static Replay of(TurnClaims.First first, AnswerReplay format, RequestBody body, Instant now) {
    String kept = first.body();
    boolean isStream = kept.startsWith(STREAM);
    String metadata =
        isStream || kept.startsWith(WHOLE)
            ? kept.substring((isStream ? STREAM : WHOLE).length(), kept.length() - 1)
            : "{}";
    return new Replay(
        isStream,
        format,
        new AnswerReplay.Answered(
            metadata, "", now.getEpochSecond(), body.model(), messages(first.messages())));
  }

  /** The answer of a turn of which only its messages are known. */
  static Replay of(List<MessageRow> said, AnswerReplay format, RequestBody body, Instant now) {
    return new Replay(
        body.stream(),
        format,
        new AnswerReplay.Answered(
            null, said.get(0).publicId(), now.getEpochSecond(), body.model(), messages(said)));
  }

  private static List<StoredMessage> messages(List<MessageRow> rows) {
    return rows.stream()
        .map(row -> new StoredMessage(row.role(), row.content(), row.type()))
        .toList();
  }

  /** The answer as JSON. */
  public byte[] whole() {
    return format.whole(answered);
  }

  /** The answer as a stream, to its proper end. */
  public void writeTo(OutputStream out) throws IOException {
    format.stream(answered, out);
  }
}
