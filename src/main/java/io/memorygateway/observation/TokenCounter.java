package io.memorygateway.observation;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.memorygateway.dialect.MessagePiece;
import java.util.List;

/**
 * Counts tokens as OpenAI's o200k vocabulary has them, whatever model they go to: thresholds need
 * one measure. An image or file costs {@value #ATTACHMENT_TOKENS} tokens, whatever its size; what
 * encloses a message costs nothing. Takes about 60 ns a character, and no more of a text without
 * any spaces, which is cut: it may count a few tokens more than its providers do.
 */
public final class TokenCounter {
  /** Of an image of 1024 pixels squared at the detail that providers choose by default. */
  public static final int ATTACHMENT_TOKENS = 765;

  /** Longer runs are cut, so that no text takes time or stack out of proportion. */
  private static final int LONGEST_PIECE = 4096;

  private static final int SHORTEST_PIECE = 2048;

  /** Takes 30 MB and a fifth of a second to load, so it is loaded once, when it is first needed. */
  private static final class O200k {
    static final Encoding ENCODING =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    private O200k() {}
  }

  /** Tokens of a text. */
  public int count(String text) {
    Encoding encoding = O200k.ENCODING;
    int tokens = 0;
    int from = 0;
    while (text.length() - from > LONGEST_PIECE) {
      int to = cut(text, from + SHORTEST_PIECE, from + LONGEST_PIECE);
      tokens += encoding.countTokensOrdinary(text.substring(from, to));
      from = to;
    }
    return tokens + encoding.countTokensOrdinary(text.substring(from));
  }

  /**
   * Tokens of a stored message.
   *
   * @param content JSON, as in {@link io.memorygateway.dialect.StoredMessage}
   */
  public int countContent(String content) {
    return count(MessagePiece.of(content));
  }

  /** Tokens of what a message says. */
  public int count(List<MessagePiece> pieces) {
    int tokens = 0;
    for (MessagePiece piece : pieces) {
      tokens += count(piece);
    }
    return tokens;
  }

  private int count(MessagePiece piece) {
    if (piece instanceof MessagePiece.Text text) {
      return count(text.text());
    } else if (piece instanceof MessagePiece.ToolCall call) {
      return count(call.name()) + count(call.arguments());
    } else if (piece instanceof MessagePiece.ToolResult result) {
      return count(result.content());
    } else if (piece instanceof MessagePiece.Attachment attachment) {
      return attachment.text() == null ? ATTACHMENT_TOKENS : count(attachment.text());
    } else if (piece instanceof MessagePiece.Reasoning reasoning) {
      return count(reasoning.json());
    }
    return count(((MessagePiece.Other) piece).json());
  }

  /**
   * Where a text may be cut: before a space between two letters, which is where the vocabulary
   * itself cuts; if there is none, anywhere between two characters.
   */
  private static int cut(String text, int earliest, int latest) {
    for (int at = latest; at > earliest; at--) {
      if (text.charAt(at) == ' '
          && Character.isLetter(text.charAt(at - 1))
          && at + 1 < text.length()
          && Character.isLetter(text.charAt(at + 1))) {
        return at;
      }
    }
    return Character.isLowSurrogate(text.charAt(latest)) ? latest - 1 : latest;
  }
}
