package io.memorygateway.format.answer;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.format.content.StoredMessage;
import java.util.List;

/**
 * The answer to a question that the gateway itself asked.
 *
 * @param text all text of the answer, joined
 * @param truncated whether the model was stopped at a limit
 */
public record Completion(String text, boolean truncated, Figures usage) {

  /** The completion whose text is that of an answer's messages. */
  public static Completion of(List<StoredMessage> answer, boolean truncated, Figures usage) {
    StringBuilder text = new StringBuilder();
    for (StoredMessage message : answer) {
      for (MessagePiece piece : MessagePiece.of(message.content())) {
        if (piece instanceof MessagePiece.Text words) {
          text.append(words.text());
        }
      }
    }
    return new Completion(text.toString(), truncated, usage);
  }
}
