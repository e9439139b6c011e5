package io.memorygateway.format;

import io.memorygateway.json.JsonValue;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a strict provider of Chat Completions refuses: OpenAI, and Gemini, Mistral and Groq for
 * members that only answers have.
 */
final class ChatRequestChecker extends RequestChecker {
  private static final int MAX_ID_LENGTH = 40;

  private static final Map<String, Set<String>> MESSAGES =
      table(
          "system: role content name",
          "developer: role content name",
          "user: role content name",
          "assistant: role content name refusal audio tool_calls function_call",
          "tool: role content tool_call_id name",
          "function: role content name");

  private static final Map<String, Set<String>> PARTS_OF =
      table(
          "system: text",
          "developer: text",
          "user: text image_url input_audio file",
          "assistant: text refusal",
          "tool: text",
          "function: text");

  private static final Map<String, Set<String>> PARTS =
      table(
          "text: type text prompt_cache_breakpoint",
          "refusal: type refusal",
          "image_url: type image_url prompt_cache_breakpoint",
          "input_audio: type input_audio prompt_cache_breakpoint",
          "file: type file prompt_cache_breakpoint");

  private final Set<String> ofMaker;
  private Set<String> open = Set.of();

  ChatRequestChecker() {
    this(Set.of());
  }

  /**
   * A checker for one request.
   *
   * @param ofMaker members of the model's messages and calls, and types of its parts, that this
   *     provider knows besides, such as {@code reasoning_content}
   */
  ChatRequestChecker(Set<String> ofMaker) {
    this.ofMaker = ofMaker;
  }

  @Override
  void check(JsonValue body) {
    words(body, "body", "model");
    List<JsonValue> messages = itemsOf(body, "body", "messages");
    for (int i = 0; i < messages.size(); i++) {
      checkMessage("messages[" + i + "]", messages.get(i));
    }
    require(open.isEmpty(), "messages", "tool_calls without tool messages: " + open);
  }

  private void checkMessage(String path, JsonValue message) {
    String role = message.text("role");
    Set<String> known = MESSAGES.get(role);
    if (known == null) {
      fault(path, "has an unknown role: " + role);
      return;
    }
    boolean model = role.equals("assistant");
    members(message, path, model ? with(ofMaker, known) : known);
    if (role.equals("tool")) {
      String id = message.text("tool_call_id");
      require(open.contains(id), path, "is no response to tool_calls before it: " + id);
      Set<String> left = new HashSet<>(open);
      left.remove(id);
      open = left;
    } else {
      require(open.isEmpty(), path, "stands before the tool messages of " + open);
      open = Set.of();
    }
    checkContent(path + ".content", message, role);
    if (model) {
      checkAnswer(path, message);
    }
  }

  private void checkContent(String path, JsonValue message, String role) {
    JsonValue content = message.get("content");
    if (content == null) {
      boolean replaced =
          message.get("tool_calls") != null
              || message.get("function_call") != null
              || message.get("audio") != null
              || message.get("refusal") != null;
      require(role.equals("assistant") && replaced, path, "must not be missing");
    } else if (content.isArray()) {
      require(!content.items().isEmpty(), path, "must not be an empty list");
      for (int i = 0; i < content.items().size(); i++) {
        checkPart(path + "[" + i + "]", content.items().get(i), role);
      }
    } else {
      require(content.isString(), path, "must be a string or a list");
      boolean calls = message.get("tool_calls") != null;
      boolean result = role.equals("tool");
      require(calls || result || !content.text().isBlank(), path, "must not be empty");
    }
  }

  private void checkPart(String path, JsonValue part, String role) {
    String type = part.text("type");
    if (role.equals("assistant") && ofMaker.contains(type)) {
      return;
    }
    require(PARTS_OF.getOrDefault(role, Set.of()).contains(type), path, "type is wrong: " + type);
    members(part, path, PARTS.getOrDefault(type, Set.of()));
    if (type.equals("text")) {
      words(part, path, "text");
    }
  }

  private void checkAnswer(String path, JsonValue message) {
    for (JsonValue.Field member : message.fields()) {
      boolean content = member.name().equals("content");
      require(content || !member.value().isNull(), path + "." + member.name(), "must not be null");
    }
    JsonValue audio = message.get("audio");
    if (audio != null) {
      members(audio, path + ".audio", names("id"));
      words(audio, path + ".audio", "id");
    }
    if (message.member("tool_calls") == null) {
      return;
    }
    Set<String> asked = new LinkedHashSet<>();
    List<JsonValue> calls = itemsOf(message, path, "tool_calls");
    for (int i = 0; i < calls.size(); i++) {
      JsonValue call = calls.get(i);
      String at = path + ".tool_calls[" + i + "]";
      members(call, at, with(ofMaker, names("id type function custom")));
      String id = call.text("id");
      require(!id.isEmpty() && id.length() <= MAX_ID_LENGTH, at, "has a wrong id: " + id);
      require(asked.add(id), at, "has the id of another call: " + id);
      checkCall(at, call);
    }
    open = asked;
  }

  private void checkCall(String at, JsonValue call) {
    String type = call.text("type");
    JsonValue called = call.get(type);
    if (!Set.of("function", "custom").contains(type) || called == null) {
      fault(at, "must be a function or a custom tool");
      return;
    }
    require(TOOL_NAME.matcher(called.text("name")).matches(), at, "has a wrong name");
    if (type.equals("function")) {
      members(called, at + ".function", names("name arguments"));
      arguments(called, at + ".function", "arguments");
    } else {
      members(called, at + ".custom", names("name input"));
      require(called.string("input") != null, at + ".custom", "input must be a string");
    }
  }

  private static Set<String> with(Set<String> some, Set<String> more) {
    return Stream.concat(some.stream(), more.stream()).collect(Collectors.toUnmodifiableSet());
  }
}
