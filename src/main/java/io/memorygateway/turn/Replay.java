package io.memorygateway.turn;

import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.rows.MessageRow;
import java.io.IOException;
import java.io.OutputStream;
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

  /**
   * An answer as it was stored.
   *
   * @param storedBody the JSON that is stored of it besides its messages
   */
  static Replay of(String storedBody, List<MessageRow> messages, AnswerReplay format) {
    boolean isStream = storedBody.startsWith(STREAM);
    String metadata =
        storedBody.substring((isStream ? STREAM : WHOLE).length(), storedBody.length() - 1);
    return new Replay(isStream, format, new AnswerReplay.Answered(metadata, messages(messages)));
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
