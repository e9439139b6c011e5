package io.memorygateway.observation.text;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.MessagePiece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the readable parts of messages: texts, calls of tools with their arguments, results,
 * names of images and files. Reasoning is left out, and so is the middle of what is too long.
 */
final class Passages {
  /** Characters of one message that are read: each takes about a microsecond. */
  static final int MAX_MESSAGE_CHARACTERS = 1_000_000;

  /** Characters of arguments and results that are read, about 5,000 tokens. */
  static final int MAX_TOOL_CHARACTERS = 20_000;

  /** Share of the beginning in what is read of a longer text; the rest is its end. */
  private static final double HEAD_SHARE = 0.75;

  private final List<Passage> passages = new ArrayList<>();
  private final Map<String, String> tools = new HashMap<>();

  /** Characters of the current message that may still be read. */
  private int left;

  private Passages() {}

  static List<Passage> of(List<UnobservedMessage> messages) {
    Passages passages = new Passages();
    for (UnobservedMessage message : messages) {
      passages.left = MAX_MESSAGE_CHARACTERS;
      message.pieces().forEach(piece -> passages.add(message, piece));
    }
    return passages.passages;
  }

  private void add(UnobservedMessage message, MessagePiece piece) {
    if (piece instanceof MessagePiece.Text text) {
      add(message, Passage.Kind.TEXT, "", text.text());
    } else if (piece instanceof MessagePiece.ToolCall call) {
      String tool = oneLine(call.name());
      tools.put(call.id(), tool);
      add(message, Passage.Kind.TOOL_CALL, tool, call.arguments());
    } else if (piece instanceof MessagePiece.ToolResult result) {
      String tool = tools.getOrDefault(result.id(), "");
      String text = (result.error() ? "error: " : "") + textOf(result.content());
      add(message, Passage.Kind.TOOL_RESULT, tool, text);
    } else if (piece instanceof MessagePiece.Attachment attachment) {
      Passage.Kind kind = attachment.image() ? Passage.Kind.IMAGE : Passage.Kind.FILE;
      add(message, kind, "", oneLine(attachment.name()), attachment.media());
      if (attachment.text() != null) {
        add(message, Passage.Kind.TEXT, "attachment", attachment.text());
      }
    } else if (piece instanceof MessagePiece.Other other) {
      add(message, Passage.Kind.TEXT, "", bounded(other.readable(), MAX_TOOL_CHARACTERS));
    }
  }

  private void add(UnobservedMessage message, Passage.Kind kind, String tool, String text) {
    add(message, kind, tool, text, null);
  }

  private void add(
      UnobservedMessage message,
      Passage.Kind kind,
      String tool,
      String text,
      @Nullable Media media) {
    int max = kind == Passage.Kind.TEXT ? left : Math.min(left, MAX_TOOL_CHARACTERS);
    String read = bounded(text, max);
    if (!read.isBlank() || (kind == Passage.Kind.TOOL_CALL && left > 0)) {
      passages.add(new Passage(message.role(), message.createdAt(), kind, tool, read, media));
      left -= Math.min(left, Math.max(1, read.length()));
    }
  }

  private static String textOf(List<MessagePiece> content) {
    StringBuilder text = new StringBuilder();
    for (MessagePiece piece : content) {
      if (piece instanceof MessagePiece.Text words) {
        text.append(words.text());
      } else if (piece instanceof MessagePiece.Attachment attachment) {
        text.append(attachment.image() ? "[image " : "[file ")
            .append(oneLine(attachment.name()))
            .append(']');
      } else if (piece instanceof MessagePiece.Other other) {
        text.append(other.readable());
      }
    }
    return text.toString();
  }

  private static String bounded(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    if (max == 0) {
      return "";
    }
    int begin = (int) (HEAD_SHARE * max);
    int head = TextCuts.before(text, begin);
    int tail = TextCuts.before(text, text.length() - (max - begin));
    return text.substring(0, head)
        + "\n[… "
        + (tail - head)
        + " characters left out …]\n"
        + text.substring(tail);
  }

  private static String oneLine(String name) {
    String line = TextCuts.onOneLine(name);
    return line.length() > 200 ? line.substring(0, TextCuts.before(line, 200)) : line;
  }
}
