package io.memorygateway.format.call;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The tools that the conversation of a call brings, beside those that the call lists: items of
 * Responses have lists of them, and a block of Messages may define one ({@code tool_addition}).
 */
public final class BroughtTools {
  private BroughtTools() {}

  /**
   * The tools, as they are defined.
   *
   * @param root the body of the call, of any format
   */
  public static List<JsonValue> in(JsonValue root) {
    List<JsonValue> all = new ArrayList<>();
    root.at("input").items().forEach(item -> all.addAll(item.at("tools").items()));
    eachBlock(
        root.at("messages"),
        block -> {
          JsonValue definition = block.at("tool").get("definition");
          if (definition != null) {
            all.add(definition);
          }
        });
    return all;
  }

  /** Takes the blocks of messages, each before what a compaction has left in it of others. */
  public static void eachBlock(JsonValue messages, Consumer<JsonValue> blocks) {
    messages.items().forEach(message -> each(message.at("content"), blocks));
  }

  private static void each(JsonValue list, Consumer<JsonValue> blocks) {
    for (JsonValue block : list.items()) {
      blocks.accept(block);
      each(block.at("tool_changes"), blocks);
    }
  }
}
