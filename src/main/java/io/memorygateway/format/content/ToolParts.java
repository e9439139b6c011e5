package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads tool calls and their results, in the format of any endpoint. */
final class ToolParts {
  private ToolParts() {}

  /**
   * Adds the calls and results of a part.
   *
   * @return false if it is neither
   */
  static boolean read(String type, JsonValue part, List<Part> parts) {
    switch (type) {
      case "tool_use" ->
          parts.add(call(part, Shape.MESSAGES, part.text("id"), "name", part.get("input")));
      case "function_call" ->
          parts.add(
              call(part, Shape.RESPONSES, part.text("call_id"), "name", part.get("arguments")));
      case "custom_tool_call" -> {
        JsonValue input = part.get("input");
        String arguments = "{\"input\":" + (input == null ? "\"\"" : input.raw()) + "}";
        parts.add(
            new Part.ToolCall(
                part, Shape.RESPONSES, part.text("call_id"), part.text("name"), arguments));
      }
      case "function" -> parts.add(chatCall(part));
      case "tool_result" ->
          parts.add(result(part, Shape.MESSAGES, part.text("tool_use_id"), part.get("content")));
      case "function_call_output", "custom_tool_call_output" ->
          parts.add(result(part, Shape.RESPONSES, part.text("call_id"), part.get("output")));
      case "tool-invocation" -> {
        JsonValue invocation = part.get("toolInvocation");
        readVercel(invocation == null ? part : invocation, "toolName", parts);
      }
      default -> {
        if (part.string("toolCallId") != null && isVercel(type)) {
          readVercel(part, type, parts);
        } else {
          return readBuiltIn(type, part, parts);
        }
      }
    }
    return true;
  }

  /**
   * Reads items of Responses for tools that the provider defines and the caller runs: {@code
   * shell_call}, {@code apply_patch_call}, {@code computer_call} and their like.
   */
  private static boolean readBuiltIn(String type, JsonValue part, List<Part> parts) {
    // Of the local shell, the output has the id of the call as its own.
    String id = part.string(type.equals("local_shell_call_output") ? "id" : "call_id");
    if (id == null) {
      return false;
    }
    if (type.endsWith("_call_output")) {
      parts.add(result(part, Shape.RESPONSES, id, part.get("output")));
      return true;
    }
    if (type.endsWith("_call")) {
      String name = type.substring(0, type.length() - "_call".length());
      String arguments = arguments(first(part.get("action"), part.get("operation")));
      parts.add(new Part.ToolCall(part, Shape.RESPONSES, id, name, arguments));
      return true;
    }
    return false;
  }

  static Part chatCall(JsonValue call) {
    JsonValue function = call.get("function");
    if (function == null) {
      JsonValue custom = call.get("custom");
      JsonValue input = custom == null ? null : custom.get("input");
      String arguments = "{\"input\":" + (input == null ? "\"\"" : input.raw()) + "}";
      String name = custom == null ? "" : custom.text("name");
      return new Part.ToolCall(call, Shape.CHAT, call.text("id"), name, arguments);
    }
    return new Part.ToolCall(
        call,
        Shape.CHAT,
        call.text("id"),
        function.text("name"),
        arguments(function.get("arguments")));
  }

  static Part chatResult(JsonValue message) {
    return result(message, Shape.CHAT, message.text("tool_call_id"), message.get("content"));
  }

  private static boolean isVercel(String type) {
    return type.startsWith("tool-") || type.equals("dynamic-tool");
  }

  /** Reads Vercel's parts, of several versions: a call, a result, or both in one. */
  private static void readVercel(JsonValue part, String type, List<Part> parts) {
    String id = part.text("toolCallId");
    JsonValue result = first(part.get("result"), first(part.get("output"), part.get("errorText")));
    if (!type.equals("tool-result")) {
      JsonValue input = first(part.get("args"), part.get("input"));
      String named = part.string("toolName");
      String name = named == null ? type.substring(type.indexOf('-') + 1) : named;
      parts.add(new Part.ToolCall(part, Shape.FOREIGN, id, name, arguments(input)));
    }
    if (type.equals("tool-result") || (result != null && !type.equals("tool-call"))) {
      if (result != null && result.string("type") != null && result.get("value") != null) {
        result = result.get("value");
      }
      boolean error = part.get("errorText") != null;
      parts.add(new Part.ToolResult(part, Shape.FOREIGN, id, content(result), error));
    }
  }

  private static Part call(
      JsonValue part, Shape shape, String id, String nameMember, @Nullable JsonValue input) {
    return new Part.ToolCall(part, shape, id, part.text(nameMember), arguments(input));
  }

  private static Part result(JsonValue part, Shape shape, String id, @Nullable JsonValue content) {
    JsonValue error = part.get("is_error");
    boolean failed = error != null && error.raw().equals("true");
    return new Part.ToolResult(part, shape, id, content(content), failed);
  }

  /** The parts of a result: a string or parts; any other JSON as a text. */
  private static List<Part> content(@Nullable JsonValue content) {
    if (content == null) {
      return List.of();
    }
    boolean parts =
        content.isArray() && content.items().stream().allMatch(item -> item.string("type") != null);
    return content.isString() || parts
        ? PartReader.read(content)
        : List.of(new Part.Text(content, Shape.FOREIGN, content.raw()));
  }

  /** The arguments as JSON: OpenAI writes them as a string that holds JSON, the others as JSON. */
  private static String arguments(@Nullable JsonValue arguments) {
    if (arguments == null) {
      return "{}";
    }
    String json = arguments.isString() ? arguments.text() : arguments.raw();
    return json.isBlank() ? "{}" : json;
  }

  private static @Nullable JsonValue first(@Nullable JsonValue one, @Nullable JsonValue other) {
    return one == null ? other : one;
  }
}
