package io.memorygateway.proxy.count;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.Utf8;
import io.memorygateway.observation.text.TokenCounter;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tokens of files, and of audio and films, as far as their data tell. */
final class FileTokens {
  private static final String AUDIO = "input_audio";
  private static final String SOUND = "audio/";
  private static final String FILM = "video/";

  /** Bytes for a token, of sound and film of the least quality that is in use. */
  private static final int BYTES_OF_SOUND = 32;

  private FileTokens() {}

  /** Tokens of a file that was not given as text; one that is a text nevertheless has its own. */
  static int of(Media media, TokenCounter counter) {
    byte[] bytes = decoded(media.data());
    if (bytes == null) {
      return ImageTokens.UNKNOWN;
    }
    String type = String.valueOf(media.type());
    if (type.startsWith(SOUND) || type.startsWith(FILM)) {
      return Math.max(ImageTokens.UNKNOWN, bytes.length / BYTES_OF_SOUND);
    }
    String text = Utf8.isValid(bytes) ? new String(bytes, UTF_8) : null;
    return text == null || text.indexOf(0) >= 0 || text.startsWith("%PDF-")
        ? ImageTokens.UNKNOWN
        : counter.count(text);
  }

  private static byte @Nullable [] decoded(@Nullable String base64) {
    try {
      return base64 == null ? null : Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The pieces with audio and films of Chat as files: their data are no text. */
  static List<MessagePiece> in(List<MessagePiece> pieces) {
    return pieces.stream()
        .map(piece -> piece instanceof MessagePiece.Other other ? file(other) : piece)
        .toList();
  }

  private static MessagePiece file(MessagePiece.Other other) {
    if (!other.json().startsWith("{")) {
      return other;
    }
    JsonValue part = JsonValue.of(other.json());
    String type = part.text("type");
    JsonValue held = part.at(type);
    Media media =
        type.equals(AUDIO)
            ? Media.ofData(SOUND, held.string("data"))
            : Media.ofUrl(held.isString() ? held.text() : held.string("url"));
    return media.isNone() || (!type.equals(AUDIO) && !type.endsWith("_url"))
        ? other
        : new MessagePiece.Attachment(false, type, media, null);
  }
}
