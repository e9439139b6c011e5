package io.memorygateway.format.call;

import io.memorygateway.json.JsonValue;
import java.util.StringJoiner;

/**
 * The tools that the conversation of a call brings, beside those that the call lists: items of
 * Responses have lists of them, and a block of Messages may define one ({@code tool_addition}).
 */
public final class BroughtTools {
  private static final JsonValue NONE = JsonValue.of("[]");

  private BroughtTools() {}

  /**
   * The tools, as they are defined.
   *
   * @param root the body of the call, of any format
   * @return a JSON array
   */
  public static JsonValue in(JsonValue root) {
    StringJoiner all = new StringJoiner(",", "[", "]").setEmptyValue("");
    for (JsonValue item : root.at("input").items()) {
      item.at("tools").items().forEach(tool -> all.add(tool.raw()));
    }
    for (JsonValue message : root.at("messages").items()) {
      message.at("content").items().forEach(block -> addDefined(block, all));
    }
    return all.length() == 0 ? NONE : JsonValue.of(all.toString());
  }

  private static void addDefined(JsonValue block, StringJoiner all) {
    JsonValue definition = block.at("tool").get("definition");
    if (definition != null) {
      all.add(definition.raw());
    }
    // What a compaction has left of those before it.
    block.at("tool_changes").items().forEach(change -> addDefined(change, all));
  }
}
