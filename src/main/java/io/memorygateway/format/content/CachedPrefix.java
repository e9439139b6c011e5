package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The marks by which a caller says that a cached prefix ends with a part of its call, in any
 * format's words. They are for that call alone: an upstream takes four in all.
 */
public final class CachedPrefix {
  private static final List<String> MARKS = List.of("cache_control", "prompt_cache_breakpoint");

  private CachedPrefix() {}

  public static boolean isMarked(JsonValue part) {
    return MARKS.stream().anyMatch(mark -> part.get(mark) != null);
  }

  /** Number of marks among the parts of a content, or among tools. */
  public static int marks(JsonValue content) {
    int marks = 0;
    for (JsonValue part : content.items()) {
      marks += (isMarked(part) ? 1 : 0) + marks(part.at("content"));
    }
    return marks;
  }

  /** A content with a mark of Messages on the last of its blocks. */
  public static JsonValue marked(JsonValue blocks, @Nullable JsonValue mark) {
    if (mark == null || !(blocks.isString() || blocks.isArray()) || JsonValue.isEmpty(blocks)) {
      return blocks;
    }
    List<String> marked = new ArrayList<>();
    if (blocks.isString()) {
      marked.add(Part.textPart("text", blocks.raw()));
    } else {
      blocks.items().forEach(block -> marked.add(block.raw()));
    }
    JsonValue last = JsonValue.of(marked.remove(marked.size() - 1));
    marked.add(
        last.isObject() ? CallArguments.put(last, "cache_control", mark.raw()).raw() : last.raw());
    return JsonValue.of("[" + String.join(",", marked) + "]");
  }

  /** A stored message without marks. */
  public static StoredMessage unmarked(StoredMessage message) {
    String content = message.content();
    return MARKS.stream().anyMatch(content::contains)
        ? new StoredMessage(message.role(), unmarked(JsonValue.of(content)).raw(), message.type())
        : message;
  }

  private static JsonValue unmarked(JsonValue json) {
    if (json.isArray()) {
      StringJoiner parts = new StringJoiner(",", "[", "]");
      json.items().forEach(part -> parts.add(unmarked(part).raw()));
      return JsonValue.of(parts.toString());
    }
    JsonValue bare = json;
    for (String mark : MARKS) {
      bare = bare.isObject() ? JsonValue.of(bare.without(mark)) : bare;
    }
    JsonValue inner = bare.get("content");
    return inner == null ? bare : bare.with("content", unmarked(inner).raw());
  }
}
