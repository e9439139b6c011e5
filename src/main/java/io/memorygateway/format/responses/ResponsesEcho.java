package io.memorygateway.format.responses;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes items of answers as items of a request: without what only answers have, and without ids
 * that OpenAI's API refuses, which other servers give. Calls have a name, and arguments that are an
 * object.
 */
final class ResponsesEcho {
  private static final String MAKER = "created_by";

  private static final int MAX_ID = 64;

  /** How ids have to begin, by the types of their items. */
  private static final Map<String, String> IDS =
      Map.of("message", "msg", "reasoning", "rs", "function_call", "fc", "custom_tool_call", "ctc");

  /** Types of items that say nothing without their ids. */
  private static final Set<String> NAMED = Set.of("item_reference", "local_shell_call_output");

  /** What a request says of an image; an answer also says how it was made. */
  private static final Set<String> OF_IMAGE = Set.of("type", "id", "status", "result");

  private ResponsesEcho() {}

  static String of(JsonValue item, boolean withoutId) {
    JsonValue whole =
        switch (item.text("type")) {
          case "function_call" -> CallArguments.whole(item, "arguments", true);
          case "custom_tool_call" -> CallArguments.named(item);
          case "function_call_output", "custom_tool_call_output" ->
              item.get("output") == null ? item.with("output", "\"\"") : item;
          case "shell_call_output" -> ofShell(item);
          default -> item;
        };
    boolean open = ResponsesParts.wasCut(item) && item.text("type").endsWith("_call");
    whole = open ? whole.with("status", "\"completed\"") : whole; // for it has a result now
    boolean all = true;
    for (JsonValue.Field field : whole.fields()) {
      all &= isSent(item, field.name(), withoutId);
    }
    return all ? whole.raw() : "{" + whole.rawMembers(name -> isSent(item, name, withoutId)) + "}";
  }

  /** What a shell printed, without who made each piece of it. */
  private static JsonValue ofShell(JsonValue item) {
    List<JsonValue> chunks = item.at("output").items();
    return chunks.stream().noneMatch(chunk -> chunk.get(MAKER) != null)
        ? item
        : item.with(
            "output",
            chunks.stream()
                .map(chunk -> chunk.without(MAKER))
                .collect(Collectors.joining(",", "[", "]")));
  }

  private static boolean isSent(JsonValue item, String name, boolean withoutId) {
    String type = item.text("type");
    return switch (name) {
      case "id" -> !withoutId && takesId(item, type);
      case MAKER -> false;
      case "pending_safety_checks", "acknowledged_safety_checks" ->
          !JsonValue.isEmpty(item.get(name));
      case "status" -> !type.equals("reasoning");
      case "content" -> !type.equals("reasoning") || !isSealed(item);
      default -> !type.equals("image_generation_call") || OF_IMAGE.contains(name);
    };
  }

  private static boolean takesId(JsonValue item, String type) {
    String id = item.text("id");
    return NAMED.contains(type)
        || ResponsesParts.OF_UPSTREAM.contains(type)
        || (type.equals("reasoning") && !isSealed(item))
        || (id.length() <= MAX_ID && id.startsWith(IDS.getOrDefault(type, "")));
  }

  /** Whether reasoning is there for its maker alone, who takes no text beside it. */
  private static boolean isSealed(JsonValue reasoning) {
    return !reasoning.text("encrypted_content").isEmpty();
  }

  /** Whether it is an image that was not made: nothing can be known by its id. */
  static boolean isNothing(JsonValue item) {
    return item.text("type").equals("image_generation_call")
        && item.text("status").equals("failed")
        && item.text("result").isEmpty();
  }
}
