package io.memorygateway.format.messages;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.CachedPrefix;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The marks by which the gateway has an upstream cache what memory adds to a call (contract §8):
 * the end of the stored messages, and the log. The caller's own are kept, so that there are four in
 * all; where one of them behind the gateway's is to last for an hour, the gateway's do as well,
 * because an upstream refuses it behind shorter ones.
 */
final class StableMarks {
  private final @Nullable JsonValue automatic;
  private final boolean quotes;
  private final String mark;
  private int left;

  /**
   * @param conversation the part of the call that is new
   * @param translated whether it goes upstream in another format, whose caches need no marks
   */
  StableMarks(Conversation conversation, MemoryContext context, boolean translated) {
    JsonValue root = conversation.root();
    boolean adds = !context.systemTexts().isEmpty() || context.recall() != null;
    boolean marks = adds && !translated;
    List<JsonValue> contents = conversation.newContents();
    this.automatic = root.get("cache_control");
    this.quotes = context.recall() != null && !translated;
    this.left = marks ? CacheMarks.MAX - (automatic == null ? 0 : 1) : 0;
    for (String prompt : List.of("tools", "system")) {
      left -= CachedPrefix.marks(root.at(prompt));
    }
    boolean hour = automatic != null && lastsAnHour(automatic);
    for (JsonValue content : contents) {
      left -= CachedPrefix.marks(content);
      hour |= content.items().stream().anyMatch(StableMarks::hasHour);
    }
    this.mark = hour ? "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}" : CacheMarks.MARK;
  }

  private static boolean hasHour(JsonValue block) {
    return lastsAnHour(block.at("cache_control"))
        || block.at("content").items().stream().anyMatch(StableMarks::hasHour);
  }

  private static boolean lastsAnHour(JsonValue mark) {
    return mark.text("ttl").equals("1h");
  }

  /**
   * Marks the messages. The mark that the caller wants on whatever comes last is set where the
   * caller's own words end: what is quoted behind them never comes again.
   *
   * @return the edits of the body besides
   */
  List<Edit> set(MessagesWriter writer) {
    left -= writer.markStored(left, mark);
    return automatic != null && quotes && writer.markNewest(automatic.raw())
        ? List.of(new Edit(automatic.start(), automatic.end(), "null"))
        : List.of();
  }

  /** The block of the log, marked if one is left. */
  String ofLog(String block) {
    return left > 0 ? CacheMarks.marked(block, mark) : block;
  }
}
