package io.memorygateway.search;

import io.memorygateway.dialect.MessagePiece;
import java.util.List;

/** What can be searched of a stored message: its text, and what tools were given and gave. */
final class MessageText {
  /** Of a larger message, its beginning. */
  static final int MOST_CHARACTERS = 100_000;

  private MessageText() {}

  /**
   * The text of a message, at most {@value #MOST_CHARACTERS} characters of it.
   *
   * @param content as in {@link io.memorygateway.dialect.StoredMessage}
   */
  static String of(String content) {
    StringBuilder text = new StringBuilder();
    add(MessagePiece.of(content), text);
    return text.toString();
  }

  private static void add(List<MessagePiece> pieces, StringBuilder text) {
    for (MessagePiece piece : pieces) {
      if (piece instanceof MessagePiece.Text words) {
        add(words.text(), text);
      } else if (piece instanceof MessagePiece.ToolCall call) {
        add(call.name(), text);
        add(call.arguments(), text);
      } else if (piece instanceof MessagePiece.ToolResult result) {
        add(result.content(), text);
      } else if (piece instanceof MessagePiece.Attachment attachment) {
        add(attachment.name(), text);
        if (attachment.text() != null) {
          add(attachment.text(), text);
        }
      } else if (piece instanceof MessagePiece.Other other) {
        add(other.json(), text);
      }
    }
  }

  private static void add(String more, StringBuilder text) {
    int room = MOST_CHARACTERS - text.length();
    if (room > 0) {
      text.append(more, 0, Math.min(room, more.length())).append('\n');
    }
  }
}
