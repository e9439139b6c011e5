package io.memorygateway.observation.text;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.memorygateway.format.content.MessagePiece;
import java.util.List;

/**
 * Counts tokens by OpenAI's o200k vocabulary, whichever model they go to: thresholds need one
 * measure. An image or file counts {@value #ATTACHMENT_TOKENS} tokens, whatever its size; the
 * envelope of a message counts nothing. Takes about 60 ns a character. Text without spaces is cut,
 * so that it takes no longer: it may count a few tokens more than at a provider.
 */
public final class TokenCounter {
  /** Tokens of an image of 1024 by 1024 pixels at the detail that providers choose by default. */
  public static final int ATTACHMENT_TOKENS = 765;

  /** Characters; longer runs are cut, so that no text takes time or stack out of proportion. */
  private static final int MAX_PIECE_CHARACTERS = 4096;

  private static final int MIN_PIECE_CHARACTERS = 2048;

  /** Loads the vocabulary when it is first needed: it takes 30 MB and a fifth of a second. */
  private static final class O200k {
    static final Encoding ENCODING =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    private O200k() {}
  }

  private final boolean byBytes;

  public TokenCounter() {
    this(false);
  }

  private TokenCounter(boolean byBytes) {
    this.byBytes = byBytes;
  }

  /**
   * A counter of what texts come to at most, in whatever vocabulary: their bytes. It takes next to
   * no time.
   */
  public static TokenCounter ofBytes() {
    return new TokenCounter(true);
  }

  public int count(String text) {
    if (byBytes) {
      return bytes(text);
    }
    Encoding encoding = O200k.ENCODING;
    int tokens = 0;
    int from = 0;
    String last = "";
    int ofLast = 0;
    while (text.length() - from > MAX_PIECE_CHARACTERS) {
      int to = cut(text, from + MIN_PIECE_CHARACTERS, from + MAX_PIECE_CHARACTERS);
      String piece = text.substring(from, to);
      if (!piece.equals(last)) { // runs of one letter take long
        last = piece;
        ofLast = encoding.countTokensOrdinary(piece);
      }
      tokens += ofLast;
      from = to;
    }
    return tokens + encoding.countTokensOrdinary(text.substring(from));
  }

  private static int bytes(String text) {
    int bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // Of a pair of surrogates each has two, and one alone, which is sent as one byte, no fewer.
      bytes += c < '\u0080' ? 0 : c < '\u0800' || Character.isSurrogate(c) ? 1 : 2;
    }
    return bytes;
  }

  /**
   * Tokens of a stored message.
   *
   * @param content JSON, as in {@link io.memorygateway.format.content.StoredMessage}
   */
  public int countContent(String content) {
    return count(MessagePiece.of(content));
  }

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
   * The index at which a text may be cut: before a space between two letters, where the vocabulary
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
