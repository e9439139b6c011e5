package io.memorygateway.dialect;

/**
 * The answer to a question that the gateway itself asked.
 *
 * @param text all text of the answer, joined
 * @param truncated whether the model was stopped at a limit
 */
public record Completion(String text, boolean truncated, Usage usage) {

  static Completion of(Dialect dialect, byte[] jsonAnswer, boolean truncated)
      throws MalformedAnswerException {
    Usage usage = dialect.wholeAnswer(jsonAnswer).usage();
    StringBuilder text = new StringBuilder();
    for (StoredMessage message : dialect.answer(jsonAnswer)) {
      for (MessagePiece piece : MessagePiece.of(message.content())) {
        if (piece instanceof MessagePiece.Text words) {
          text.append(words.text());
        }
      }
    }
    return new Completion(text.toString(), truncated, usage);
  }
}
