package io.memorygateway.format.messages;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The marks of a call where a cached prefix ends, in any format's words, as {@code cache_control}:
 * the latest ones, of which Anthropic takes four in all. They are taken in the order of the call:
 * tools, system, messages.
 */
final class CacheMarks {
  static final int MAX = 4;
  static final String MARK = "{\"type\":\"ephemeral\"}";

  /** Marks that come before the last four. */
  private long skipped;

  CacheMarks(Request request) {
    long all = 0;
    for (Tool tool : request.tools()) {
      all += tool instanceof Tool.Function function && function.cacheMark() != null ? 1 : 0;
    }
    for (Utterance message : request.messages()) {
      all += count(message.parts());
    }
    this.skipped = all - MAX;
  }

  private static long count(List<Part> parts) {
    long marks = 0;
    for (Part part : parts) {
      boolean marked = !(part instanceof Part.Reasoning) && in(part.source()) != null;
      marks += marked ? 1 : 0;
      marks += part instanceof Part.ToolResult result ? count(result.content()) : 0;
    }
    return marks;
  }

  boolean isNone() {
    return skipped == -MAX;
  }

  static String marked(String block) {
    return marked(block, MARK);
  }

  static String marked(String block, String mark) {
    return block.substring(0, block.lastIndexOf('}')) + ",\"cache_control\":" + mark + "}";
  }

  /** The mark of a part, if it is one of the last four. */
  @Nullable String next(JsonValue source) {
    return last(in(source));
  }

  /** A mark of a tool, if it is one of the last four. */
  @Nullable String ofTool(@Nullable JsonValue mark) {
    return mark == null ? null : last(text(mark));
  }

  private @Nullable String last(@Nullable String mark) {
    return mark == null || skipped-- > 0 ? null : mark;
  }

  private static @Nullable String in(JsonValue source) {
    JsonValue mark = source.get("cache_control");
    return mark == null ? source.get("prompt_cache_breakpoint") == null ? null : MARK : text(mark);
  }

  /** A mark as it is, if it is Anthropic's. */
  private static String text(JsonValue mark) {
    return mark.text("type").equals("ephemeral") ? mark.raw() : MARK;
  }
}
