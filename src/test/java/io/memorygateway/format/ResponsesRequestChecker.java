package io.memorygateway.format;

import io.memorygateway.json.JsonValue;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a strict provider of Responses refuses, by OpenAI's documents. */
final class ResponsesRequestChecker extends RequestChecker {
  private static final int MAX_ID_LENGTH = 64;

  private static final Map<String, Set<String>> ITEMS =
      table(
          "message: type role content id status phase",
          "reasoning: type id summary content encrypted_content",
          "function_call: type id call_id name arguments status namespace",
          "function_call_output: type id call_id output status",
          "custom_tool_call: type id call_id name input status namespace",
          "custom_tool_call_output: type id call_id output status",
          "computer_call: type id call_id action actions pending_safety_checks status",
          "computer_call_output: type id call_id output acknowledged_safety_checks status",
          "local_shell_call: type id call_id action status",
          "local_shell_call_output: type id output status",
          "shell_call: type id call_id action status environment",
          "shell_call_output: type id call_id output status max_output_length",
          "apply_patch_call: type id call_id operation status",
          "apply_patch_call_output: type id call_id output status",
          "tool_search_call: type id call_id execution arguments status",
          "tool_search_output: type id call_id execution tools status",
          "web_search_call: type id action status",
          "file_search_call: type id queries results status",
          "code_interpreter_call: type id code container_id outputs status",
          "image_generation_call: type id result status",
          "mcp_call: type id server_label name arguments output error approval_request_id status",
          "mcp_list_tools: type id server_label tools error",
          "mcp_approval_request: type id server_label name arguments",
          "mcp_approval_response: type id approval_request_id approve reason",
          "compaction: type id encrypted_content",
          "compaction_trigger: type",
          "item_reference: type id");

  /** The type of a call that the caller answers → that of its answer. */
  private static final Map<String, String> PAIRS =
      Map.of(
          "function_call", "function_call_output",
          "custom_tool_call", "custom_tool_call_output",
          "computer_call", "computer_call_output",
          "local_shell_call", "local_shell_call_output",
          "shell_call", "shell_call_output",
          "apply_patch_call", "apply_patch_call_output",
          "tool_search_call", "tool_search_output");

  private static final Map<String, String> ID_PREFIXES =
      Map.of(
          "message", "msg_",
          "reasoning", "rs_",
          "function_call", "fc_",
          "custom_tool_call", "ctc_",
          "web_search_call", "ws_",
          "mcp_call", "mcp_");

  private static final Map<String, Set<String>> PARTS =
      table(
          "input_text: type text prompt_cache_breakpoint",
          "input_image: type image_url file_id detail prompt_cache_breakpoint",
          "input_file: type file_data file_id file_url filename detail prompt_cache_breakpoint",
          "input_audio: type input_audio",
          "output_text: type text annotations logprobs",
          "refusal: type refusal");

  /** Items that the provider makes itself and takes back by their ids alone. */
  private static final Set<String> NEED_ID =
      names(
          "web_search_call file_search_call code_interpreter_call image_generation_call mcp_call"
              + " mcp_list_tools mcp_approval_request item_reference");

  private final Map<String, String> reasoningOf;
  private final Set<String> otherItems;
  private final Map<String, String> open = new HashMap<>();
  private final Set<String> ids = new HashSet<>();
  private final Set<String> callIds = new HashSet<>();
  private boolean stores;
  private @Nullable String thought;

  ResponsesRequestChecker() {
    this(Map.of(), Set.of());
  }

  /**
   * A checker for one request.
   *
   * @param reasoningOf the ids of items that this provider made → those of the reasoning that led
   *     to them, without which they are refused
   * @param otherItems types of items that this provider knows besides, with any members
   */
  ResponsesRequestChecker(Map<String, String> reasoningOf, Set<String> otherItems) {
    this.reasoningOf = reasoningOf;
    this.otherItems = otherItems;
  }

  @Override
  void check(JsonValue body) {
    words(body, "body", "model");
    JsonValue store = body.get("store");
    stores = store == null || !store.raw().equals("false");
    JsonValue input = body.get("input");
    if (input != null && input.isString()) {
      words(body, "body", "input");
      return;
    }
    List<JsonValue> items = itemsOf(body, "body", "input");
    for (int i = 0; i < items.size(); i++) {
      checkItem("input[" + i + "]", items.get(i));
    }
    require(thought == null, "input", "reasoning without its following item: " + thought);
    require(open.isEmpty(), "input", "no tool output found for " + open.keySet());
  }

  private void checkItem(String path, JsonValue item) {
    String type = item.string("type") == null ? "message" : item.text("type");
    Set<String> known = ITEMS.get(type);
    if (known == null) {
      require(otherItems.contains(type), path, "has an unknown type: " + type);
      thought = null;
      return;
    }
    members(item, path, known);
    checkId(path, type, item);
    boolean ofModel =
        type.equals("message")
            ? item.text("role").equals("assistant")
            : !type.endsWith("_output") && !type.equals("mcp_approval_response");
    if (thought != null) {
      require(ofModel, path, "stands between the reasoning " + thought + " and what follows of it");
    }
    thought = type.equals("reasoning") ? item.text("id") : null;
    switch (type) {
      case "message" -> checkMessage(path, item);
      case "reasoning" -> {
        itemList(path, item, "summary");
        boolean sealed = item.get("encrypted_content") != null;
        boolean readable = stores || sealed;
        require(readable, path, "is not found: items are not persisted with store false");
        require(sealed || item.get("id") != null, path, "must have an id");
        require(!sealed || JsonValue.isEmpty(item.get("content")), path, "content: array too long");
      }
      case "function_call" -> arguments(item, path, "arguments");
      case "custom_tool_call" -> itemText(path, item, "input");
      case "function_call_output", "custom_tool_call_output" -> {
        JsonValue output = item.get("output");
        boolean said = output != null && (output.isString() || output.isArray());
        require(said, path, "output must be a string or a list");
      }
      default -> {}
    }
    checkPair(path, type, item);
    String status = item.text("status");
    require(
        !NEED_ID.contains(type) || names(" completed failed").contains(status),
        path,
        "is an item that the provider did not finish: " + status);
  }

  private void checkId(String path, String type, JsonValue item) {
    String id = item.string("id");
    require(id != null || !NEED_ID.contains(type), path, "must have an id");
    if (id == null) {
      return;
    }
    require(ids.add(id), path, "duplicate item found with id " + id);
    require(id.length() <= MAX_ID_LENGTH, path, "the id is longer than 64");
    String prefix = ID_PREFIXES.get(type);
    require(prefix == null || id.startsWith(prefix), path, "expected an id that begins " + prefix);
    String reasoning = reasoningOf.get(id);
    require(
        reasoning == null || ids.contains(reasoning),
        path,
        "was provided without its required reasoning item: " + reasoning);
    require(
        stores || !type.equals("item_reference"), path, "items are not persisted with store false");
  }

  private void checkPair(String path, String type, JsonValue item) {
    boolean hosted = item.text("execution").equals("server");
    String answer = PAIRS.get(type);
    if (answer != null && !hosted) {
      String id = item.text("call_id");
      require(!id.isEmpty() && id.length() <= MAX_ID_LENGTH, path, "has a wrong call_id: " + id);
      require(callIds.add(id), path, "has the call_id of another call: " + id);
      boolean named = type.equals("function_call") || type.equals("custom_tool_call");
      String name = item.text("name");
      require(!named || TOOL_NAME.matcher(name).matches(), path, "has a wrong name: " + name);
      open.put(id, answer);
    } else if (PAIRS.containsValue(type) && !hosted) {
      String id = item.text(type.equals("local_shell_call_output") ? "id" : "call_id");
      require(type.equals(open.remove(id)), path, "no tool call found for " + id);
    }
  }

  private void checkMessage(String path, JsonValue item) {
    String role = item.text("role");
    require(names("user system developer assistant").contains(role), path, "has a wrong role");
    JsonValue content = item.get("content");
    if (content == null || content.isString()) {
      words(item, path, "content");
      return;
    }
    boolean model = role.equals("assistant");
    List<JsonValue> parts = itemsOf(item, path, "content");
    for (int i = 0; i < parts.size(); i++) {
      JsonValue part = parts.get(i);
      String at = path + ".content[" + i + "]";
      String type = part.text("type");
      Set<String> known = PARTS.get(type);
      boolean fits =
          known != null && model == (type.equals("output_text") || type.equals("refusal"));
      require(fits, at, "has a wrong type: " + type);
      if (known != null) {
        members(part, at, known);
        if (type.endsWith("_text")) {
          words(part, at, "text");
        }
      }
    }
  }

  private void itemList(String path, JsonValue item, String name) {
    JsonValue value = item.get(name);
    require(value != null && value.isArray(), path + "." + name, "must be a list");
  }

  private void itemText(String path, JsonValue item, String name) {
    require(item.string(name) != null, path + "." + name, "must be a string");
  }
}
