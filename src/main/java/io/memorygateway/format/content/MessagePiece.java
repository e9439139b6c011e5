package io.memorygateway.format.content;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.ValueCount;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a stored message, for readers that only count or describe it. Reading never fails:
 * unknown content is {@link Other}.
 */
public sealed interface MessagePiece {
  /** JSON values of content that is split into pieces; content with more is one piece, verbatim. */
  long MAX_VALUES = 50_000;

  /** Text of the message's author. */
  record Text(String text) implements MessagePiece {}

  /**
   * A call of a tool.
   *
   * @param arguments JSON, verbatim from the model
   */
  record ToolCall(String id, String name, String arguments) implements MessagePiece {}

  /**
   * The result of a call.
   *
   * @param id of the call
   * @param content texts, images and files
   */
  record ToolResult(String id, List<MessagePiece> content, boolean error) implements MessagePiece {}

  /**
   * An image or a file.
   *
   * @param name of the file, the end of its URL or its media type
   * @param detail of an image in which a model is to see it; null if that is not said
   */
  record Attachment(boolean image, String name, Media media, @Nullable String detail)
      implements MessagePiece {
    /** Its text, if it was given as text. */
    public @Nullable String text() {
      return media.text();
    }
  }

  /** The model's reasoning, in its provider's raw JSON. */
  record Reasoning(String json) implements MessagePiece {}

  /** A part that only one provider knows, in its raw JSON. */
  record Other(String json) implements MessagePiece {
    /** Characters from which on a string of ASCII without a space or an escape is data. */
    private static final int DATA = 500;

    /** The JSON without what nobody reads: images, files and ciphers in strings. */
    public String readable() {
      StringBuilder readable = new StringBuilder();
      int copied = 0;
      int open = json.indexOf('"');
      while (open >= 0) {
        int close = close(open + 1);
        if (isData(open + 1, close)) {
          readable.append(json, copied, open + 1).append('…');
          copied = close;
        }
        open = json.indexOf('"', close + 1);
      }
      return readable.append(json, copied, json.length()).toString();
    }

    private int close(int from) {
      int at = from;
      while (at < json.length() && json.charAt(at) != '"') {
        at += json.charAt(at) == '\\' ? 2 : 1;
      }
      return Math.min(at, json.length());
    }

    private boolean isData(int from, int to) {
      return to - from >= DATA
          && json.substring(from, to)
              .replace("\\/", "/")
              .chars()
              .allMatch(c -> c > ' ' && c < 0x7f && c != '\\');
    }
  }

  /**
   * The pieces of a message.
   *
   * @param content as in {@link StoredMessage}
   */
  static List<MessagePiece> of(String content) {
    return of("", content);
  }

  /** The same of a message whose role tells what it is. */
  static List<MessagePiece> of(String role, String content) {
    return content.length() > MAX_VALUES && ValueCount.of(content.getBytes(UTF_8)) > MAX_VALUES
        ? List.of(new Other(content))
        : of(Utterance.partsOf(role, JsonValue.of(content)));
  }

  /** The same of a content that is parsed. */
  static List<MessagePiece> of(JsonValue content) {
    return content.length() > MAX_VALUES && ValueCount.of(content.rawBytes()) > MAX_VALUES
        ? List.of(new Other(content.raw()))
        : of(PartReader.read(content));
  }

  private static List<MessagePiece> of(List<Part> parts) {
    List<MessagePiece> pieces = new ArrayList<>(parts.size());
    for (Part part : parts) {
      if (!part.source().isNull()) {
        pieces.add(of(part));
      }
    }
    return pieces;
  }

  private static MessagePiece of(Part part) {
    if (part instanceof Part.Text text) {
      return new Text(text.text());
    } else if (part instanceof Part.ToolCall call) {
      return new ToolCall(call.id(), call.name(), call.arguments());
    } else if (part instanceof Part.ToolResult result) {
      return new ToolResult(result.id(), of(result.content()), result.error());
    } else if (part instanceof Part.Image image) {
      return new Attachment(
          true, name(image.media(), null, "image"), image.media(), image.detail());
    } else if (part instanceof Part.File file) {
      return new Attachment(false, name(file.media(), file.name(), "file"), file.media(), null);
    } else if (part instanceof Part.Reasoning reasoning) {
      return new Reasoning(reasoning.source().raw());
    }
    return new Other(part.source().raw());
  }

  private static String name(Media media, @Nullable String given, String otherwise) {
    if (given != null && !given.isBlank()) {
      return given;
    }
    String url = media.url();
    if (url != null && !Media.isData(url)) {
      return lastSegment(url);
    }
    if (media.fileId() != null) {
      return media.fileId();
    }
    return media.type() == null ? otherwise : media.type();
  }

  private static String lastSegment(String url) {
    int end = 0;
    while (end < url.length() && url.charAt(end) != '?' && url.charAt(end) != '#') {
      end++;
    }
    while (end > 0 && url.charAt(end - 1) == '/') {
      end--;
    }
    return url.substring(url.lastIndexOf('/', end - 1) + 1, end);
  }
}
