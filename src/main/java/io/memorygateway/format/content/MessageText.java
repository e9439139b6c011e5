package io.memorygateway.format.content;

import java.util.List;

/** The searchable text of a stored message: its text, and arguments and results of tools. */
public final class MessageText {
  /** Characters of a message's text; of a larger message, only the beginning is searchable. */
  public static final int MAX_CHARACTERS = 100_000;

  private MessageText() {}

  /**
   * The text of a message, at most {@value #MAX_CHARACTERS} characters of it.
   *
   * @param content as in {@link StoredMessage}
   */
  public static String of(String content) {
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
        add(other.readable(), text);
      }
    }
  }

  private static void add(String more, StringBuilder text) {
    int remaining = MAX_CHARACTERS - text.length();
    if (remaining > 0) {
      text.append(more, 0, Math.min(remaining, more.length())).append('\n');
    }
  }
}
