package io.memorygateway.proxy.count;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import java.util.List;

/** Tokens of files, and of audio and films, as far as their data tell. */
final class FileTokens {
  private static final String AUDIO = "input_audio";
  private static final String SOUND = "audio/";
  private static final String FILM = "video/";

  /** Of base64, for a token of sound and film of the least quality that is in use: 32 bytes. */
  private static final double CHARACTERS_OF_SOUND = 32 * 4 / 3.0;

  private FileTokens() {}

  /** Tokens of a file that was not given as text; one that is a text nevertheless has its own. */
  static int of(Media media, TokenCounter counter) {
    String text = media.textOfData();
    return text == null ? size(media, counter) : counter.count(text);
  }

  /** The same of one that is no text. */
  static int size(Media media, TokenCounter counter) {
    String data = media.data();
    String type = String.valueOf(media.type());
    if (data != null && (type.startsWith(SOUND) || type.startsWith(FILM))) {
      return Math.max(ImageTokens.UNKNOWN, (int) (data.length() / CHARACTERS_OF_SOUND));
    }
    // For some models an address is written as a text.
    String url = media.url();
    return Math.max(ImageTokens.UNKNOWN, url == null ? 0 : counter.count(url));
  }

  /** The pieces with the texts of files in place of their data. */
  static List<MessagePiece> withTexts(List<MessagePiece> pieces) {
    return pieces.stream().map(FileTokens::withText).toList();
  }

  private static MessagePiece withText(MessagePiece piece) {
    if (piece instanceof MessagePiece.ToolResult result) {
      return new MessagePiece.ToolResult(result.id(), withTexts(result.content()), result.error());
    }
    String text =
        piece instanceof MessagePiece.Attachment it && !it.image() ? it.media().textOfData() : null;
    return text == null ? piece : new MessagePiece.Text(text);
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
