package io.memorygateway.format;

import io.memorygateway.json.JsonValue;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a strict provider of Messages refuses: Anthropic, and Bedrock for roles that do not
 * alternate.
 */
final class MessagesRequestChecker extends RequestChecker {
  private static final int MAX_CACHE_MARKS = 4;
  private static final Pattern TOOL_ID = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  private static final Set<String> BODY =
      names(
          "model max_tokens messages system metadata stop_sequences stream temperature top_k top_p"
              + " tools tool_choice thinking service_tier container context_management mcp_servers"
              + " output_config");

  private static final Map<String, Set<String>> BLOCKS =
      table(
          "text: type text cache_control citations",
          "image: type source cache_control",
          "document: type source title context citations cache_control",
          "search_result: type source title content citations cache_control",
          "container_upload: type file_id cache_control",
          "thinking: type thinking signature",
          "redacted_thinking: type data",
          "tool_use: type id name input cache_control caller",
          "tool_result: type tool_use_id content is_error cache_control",
          "server_tool_use: type id name input cache_control caller",
          "mcp_tool_use: type id name input server_name cache_control",
          "mcp_tool_result: type tool_use_id content is_error cache_control",
          "web_search_tool_result: type tool_use_id content cache_control caller",
          "web_fetch_tool_result: type tool_use_id content cache_control caller",
          "code_execution_tool_result: type tool_use_id content cache_control",
          "bash_code_execution_tool_result: type tool_use_id content cache_control",
          "text_editor_code_execution_tool_result: type tool_use_id content cache_control",
          "tool_search_tool_result: type tool_use_id content cache_control",
          "compaction: type content cache_control");

  private static final Set<String> OF_USER =
      names("text image document search_result container_upload tool_result");

  private static final Set<String> OF_RESULTS = names("text image document search_result");

  /** Blocks of the model that are no answers of server tools. */
  private static final Set<String> OF_MODEL =
      names(
          "text thinking redacted_thinking tool_use server_tool_use mcp_tool_use container_upload"
              + " compaction");

  private final Set<String> otherBlocks;
  private final Set<String> ids = new HashSet<>();

  /** Calls of the caller's tools in the last message of the model, without results yet. */
  private Set<String> open = Set.of();

  private int cacheMarks;

  MessagesRequestChecker() {
    this(Set.of());
  }

  /**
   * A checker for one request.
   *
   * @param otherBlocks types of blocks of the model that this provider knows besides, with any
   *     members; {@code thinking} among them if it takes thoughts without signatures
   */
  MessagesRequestChecker(Set<String> otherBlocks) {
    this.otherBlocks = otherBlocks;
  }

  @Override
  void check(JsonValue body) {
    members(body, "body", BODY);
    words(body, "body", "model");
    require(body.index("max_tokens") > 0, "max_tokens", "must be a number from 1");
    checkSystem(body.get("system"));
    JsonValue tools = body.get("tools");
    for (JsonValue tool : tools == null ? List.<JsonValue>of() : tools.items()) {
      mark(tool);
    }
    List<JsonValue> messages = itemsOf(body, "body", "messages");
    String before = "";
    for (int i = 0; i < messages.size(); i++) {
      checkMessage("messages." + i, messages, i, before);
      String role = messages.get(i).text("role");
      before = role;
    }
    require(open.isEmpty(), "messages", "tool_use ids without tool_result at the end: " + open);
    require(
        ids.isEmpty() || (tools != null && !tools.items().isEmpty()),
        "tools",
        "must be defined where messages use tools");
    require(cacheMarks <= MAX_CACHE_MARKS, "body", "has more than 4 blocks with cache_control");
    checkOpenLoop(body, messages);
  }

  private void checkSystem(@Nullable JsonValue system) {
    if (system == null || system.isString()) {
      require(system == null || !system.text().isBlank(), "system", "must not be blank");
      return;
    }
    for (JsonValue block : system.items()) {
      members(block, "system", names("type text cache_control citations"));
      require(block.text("type").equals("text"), "system", "must be of text blocks");
      words(block, "system", "text");
      mark(block);
    }
  }

  private void checkMessage(String path, List<JsonValue> messages, int at, String before) {
    JsonValue message = messages.get(at);
    members(message, path, names("role content"));
    String role = message.text("role");
    boolean last = at == messages.size() - 1;
    switch (role) {
      case "user" -> require(!before.equals("user"), path, "roles must alternate");
      case "assistant" -> {
        require(at > 0, path, "the first message must be the user's");
        require(!before.equals("assistant"), path, "roles must alternate");
      }
      case "system" -> {
        require(before.equals("user"), path, "a system message must follow a user message");
        require(
            last || messages.get(at + 1).text("role").equals("assistant"),
            path,
            "a system message must be last or be followed by an assistant message");
      }
      default -> fault(path, "has an unknown role");
    }
    JsonValue content = message.get("content");
    if (content == null || !(content.isString() || content.isArray())) {
      fault(path, "content must be a string or a list");
      return;
    }
    List<JsonValue> blocks = content.items();
    boolean empty = content.isString() ? content.text().isBlank() : blocks.isEmpty();
    require(!empty, path, "content must not be empty");
    if (last && role.equals("assistant")) {
      JsonValue end = blocks.isEmpty() ? content : blocks.get(blocks.size() - 1);
      String text = end.isString() ? end.text() : end.text("text");
      require(text.equals(text.stripTrailing()), path, "must not end with white space");
    }
    if (!role.equals("system")) {
      checkBlocks(path + ".content", blocks, role, last);
    }
  }

  private void checkBlocks(String path, List<JsonValue> blocks, String role, boolean last) {
    boolean user = role.equals("user");
    Set<String> asked = new HashSet<>();
    Set<String> answered = new HashSet<>();
    Set<String> ofServer = new HashSet<>();
    boolean othersBefore = false;
    for (int i = 0; i < blocks.size(); i++) {
      JsonValue block = blocks.get(i);
      String at = path + "." + i;
      String type = block.text("type");
      boolean serverResult = type.endsWith("_tool_result");
      boolean allowed = user ? OF_USER.contains(type) : OF_MODEL.contains(type) || serverResult;
      require(allowed || (!user && otherBlocks.contains(type)), at, "type '" + type + "' is wrong");
      checkBlock(at, block);
      switch (type) {
        case "tool_use" -> require(asked.add(block.text("id")), at, "id is used twice");
        case "server_tool_use", "mcp_tool_use" -> ofServer.add(block.text("id"));
        case "tool_result" -> {
          require(!othersBefore, at, "results must come first");
          String id = block.text("tool_use_id");
          require(open.contains(id), at, "unexpected tool_use_id: " + id);
          require(answered.add(id), at, "has a second result of " + id);
        }
        default -> {
          if (serverResult) {
            String id = block.text("tool_use_id");
            require(ofServer.remove(id), at, "has no server_tool_use before it: " + id);
          }
        }
      }
      othersBefore |= !type.equals("tool_result");
    }
    if (user) {
      Set<String> missing = new HashSet<>(open);
      missing.removeAll(answered);
      require(missing.isEmpty(), path, "tool_use ids without tool_result: " + missing);
      open = Set.of();
    } else {
      require(open.isEmpty(), path, "tool_use ids without tool_result: " + open);
      open = asked;
      // A turn that was paused is continued with the calls still open, as its last message.
      require(last || ofServer.isEmpty(), path, "server tools without results: " + ofServer);
      String end = blocks.isEmpty() ? "" : blocks.get(blocks.size() - 1).text("type");
      require(!end.endsWith("thinking"), path, "the final block must not be thinking");
    }
  }

  private void checkBlock(String at, JsonValue block) {
    String type = block.text("type");
    Set<String> known = BLOCKS.get(type);
    if (known == null) {
      return;
    }
    members(block, at, known);
    mark(block);
    switch (type) {
      case "text" -> words(block, at, "text");
      case "thinking" -> {
        if (!otherBlocks.contains("thinking")) {
          words(block, at, "signature");
        }
      }
      case "redacted_thinking" -> words(block, at, "data");
      case "tool_use", "server_tool_use", "mcp_tool_use" -> {
        String id = block.text("id");
        require(ids.add(id), at, "id is used twice: " + id);
        require(TOOL_ID.matcher(id).matches(), at, "id does not match the pattern: " + id);
        require(TOOL_NAME.matcher(block.text("name")).matches(), at, "name is wrong");
        JsonValue input = block.get("input");
        require(input != null && input.isObject(), at, "input must be an object");
      }
      case "tool_result" -> {
        JsonValue content = block.get("content");
        List<JsonValue> parts = content == null ? List.of() : content.items();
        for (int i = 0; i < parts.size(); i++) {
          String path = at + ".content." + i;
          require(OF_RESULTS.contains(parts.get(i).text("type")), path, "type is wrong");
          checkBlock(path, parts.get(i));
        }
      }
      default -> {}
    }
  }

  /** With thinking on, the step of a tool loop that is going on begins with a thought. */
  private void checkOpenLoop(JsonValue body, List<JsonValue> messages) {
    JsonValue thinking = body.get("thinking");
    if (thinking == null || !thinking.text("type").equals("enabled")) {
      return;
    }
    for (int i = messages.size() - 1; i >= 0; i--) {
      JsonValue content = messages.get(i).get("content");
      List<JsonValue> blocks = content == null ? List.of() : content.items();
      if (messages.get(i).text("role").equals("assistant")) {
        boolean calls = blocks.stream().anyMatch(block -> block.text("type").equals("tool_use"));
        require(
            !calls || blocks.get(0).text("type").endsWith("thinking"),
            "messages." + i,
            "expected thinking or redacted_thinking first");
        return;
      }
      if (blocks.stream().noneMatch(block -> block.text("type").equals("tool_result"))) {
        return;
      }
    }
  }

  private void mark(JsonValue block) {
    cacheMarks += block.get("cache_control") == null ? 0 : 1;
  }
}
