package io.memorygateway.observation.text;

import io.memorygateway.dialect.MessagePiece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Extracts the readable parts of messages: texts, calls of tools with their arguments, results,
 * names of images and files. Reasoning is left out.
 */
final class Passages {
  /**
   * Characters of arguments and results that are read, about 5,000 tokens: of longer ones the
   * beginning and the end.
   */
  static final int MAX_TOOL_CHARACTERS = 20_000;

  private static final int TOOL_HEAD_CHARACTERS = 15_000;

  private final List<Passage> passages = new ArrayList<>();
  private final Map<String, String> tools = new HashMap<>();

  private Passages() {}

  static List<Passage> of(List<UnobservedMessage> messages) {
    Passages passages = new Passages();
    messages.forEach(message -> message.pieces().forEach(piece -> passages.add(message, piece)));
    return passages.passages;
  }

  private void add(UnobservedMessage message, MessagePiece piece) {
    if (piece instanceof MessagePiece.Text text) {
      add(message, Passage.Kind.TEXT, "", text.text());
    } else if (piece instanceof MessagePiece.ToolCall call) {
      tools.put(call.id(), call.name());
      add(message, Passage.Kind.TOOL_CALL, call.name(), bounded(call.arguments()));
    } else if (piece instanceof MessagePiece.ToolResult result) {
      String tool = tools.getOrDefault(result.id(), "");
      String text = (result.error() ? "error: " : "") + textOf(result.content());
      add(message, Passage.Kind.TOOL_RESULT, tool, bounded(text));
    } else if (piece instanceof MessagePiece.Attachment attachment) {
      Passage.Kind kind = attachment.image() ? Passage.Kind.IMAGE : Passage.Kind.FILE;
      add(message, kind, "", oneLine(attachment.name()));
      if (attachment.text() != null) {
        add(message, Passage.Kind.TEXT, "attachment", attachment.text());
      }
    } else if (piece instanceof MessagePiece.Other other) {
      add(message, Passage.Kind.TEXT, "", bounded(other.json()));
    }
  }

  private void add(UnobservedMessage message, Passage.Kind kind, String tool, String text) {
    if (!text.isBlank() || kind == Passage.Kind.TOOL_CALL) {
      passages.add(new Passage(message.role(), message.createdAt(), kind, tool, text));
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
        text.append(other.json());
      }
    }
    return text.toString();
  }

  private static String bounded(String text) {
    if (text.length() <= MAX_TOOL_CHARACTERS) {
      return text;
    }
    int head = TextCuts.before(text, TOOL_HEAD_CHARACTERS);
    int tail = TextCuts.before(text, text.length() - (MAX_TOOL_CHARACTERS - TOOL_HEAD_CHARACTERS));
    return text.substring(0, head)
        + "\n[… "
        + (tail - head)
        + " characters left out …]\n"
        + text.substring(tail);
  }

  private static String oneLine(String name) {
    String line = name.replaceAll("\\s+", " ").strip();
    return line.length() > 200 ? line.substring(0, TextCuts.before(line, 200)) : line;
  }
}
