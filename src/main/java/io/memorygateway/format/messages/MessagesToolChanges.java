package io.memorygateway.format.messages;

import io.memorygateway.format.call.BroughtTools;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What messages change of the tools of their call ({@code tool_addition}, {@code tool_removal}):
 * other models have all that is left of them from the beginning.
 */
final class MessagesToolChanges {
  private final Map<String, JsonValue> listed = new LinkedHashMap<>();
  private final Map<String, JsonValue> offered;

  private MessagesToolChanges(List<JsonValue> tools) {
    tools.forEach(tool -> listed.put(nameOf(tool), tool));
    this.offered = new LinkedHashMap<>(listed);
  }

  /** Whether a block is a change that this can say: of a tool that the caller runs. */
  static boolean is(JsonValue block) {
    String tool = block.at("tool").text("type");
    return switch (block.text("type")) {
      case "tool_addition" -> tool.equals("tool_definition") || tool.equals("tool_reference");
      case "tool_removal" -> tool.equals("tool_reference");
      default -> false;
    };
  }

  /**
   * The tools of a call with what its messages change of them.
   *
   * @param tools of the call
   */
  static List<JsonValue> of(List<JsonValue> tools, JsonValue messages) {
    List<JsonValue> changes = new ArrayList<>();
    BroughtTools.eachBlock(
        messages,
        block -> {
          if (is(block)) {
            changes.add(block);
          }
        });
    if (changes.isEmpty()) {
      return tools;
    }
    MessagesToolChanges changed = new MessagesToolChanges(tools);
    changes.forEach(changed::take);
    return List.copyOf(changed.offered.values());
  }

  private void take(JsonValue change) {
    JsonValue definition = change.at("tool").get("definition");
    String name = definition == null ? change.at("tool").text("name") : nameOf(definition);
    if (definition != null) {
      listed.put(name, definition);
    }
    JsonValue known = listed.get(name);
    if (change.text("type").equals("tool_removal")) {
      offered.remove(name);
    } else if (known != null) {
      offered.put(name, known);
    }
  }

  /** The name of a tool; of one without a name its type. */
  private static String nameOf(JsonValue tool) {
    String name = tool.text("name");
    return name.isEmpty() ? tool.text("type") : name;
  }
}
