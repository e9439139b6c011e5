package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads tool calls and their results, in the format of any endpoint. */
public final class ToolParts {
  /** Types of calls that have a member {@code name}; such end in {@code tool_use}, too. */
  private static final Set<String> NAMED = Set.of("function_call", "custom_tool_call");

  private ToolParts() {}

  /**
   * Adds the calls and results of a part.
   *
   * @return false if it is neither
   */
  static boolean read(String type, JsonValue part, List<Part> parts) {
    ToolKind ofCall = ToolKind.ofCall(type);
    ToolKind ofResult = ToolKind.ofResult(type);
    if (ofCall != null && isOfCaller(part, ofCall, ofCall.callId())) {
      parts.add(call(part, ofCall));
    } else if (ofResult != null && isOfCaller(part, ofResult, ofResult.resultId())) {
      parts.add(result(part, ofResult));
    } else if (type.equals("function")) {
      parts.add(chatCall(part));
    } else if (type.equals("tool-invocation")) {
      JsonValue invocation = part.get("toolInvocation");
      readVercel(invocation == null ? part : invocation, "toolName", parts);
    } else if (part.string("toolCallId") != null && isVercel(type)) {
      readVercel(part, type, parts);
    } else {
      return false;
    }
    return true;
  }

  /** Whether an item is not of a tool that the provider runs, which has no id of a call. */
  private static boolean isOfCaller(JsonValue part, ToolKind kind, String id) {
    boolean any = Objects.equals(kind.answer(), "") || NAMED.contains(kind.call());
    return any || (part.string(id) != null && !part.text("execution").equals("server"));
  }

  public static Part.ToolCall call(JsonValue part, ToolKind kind) {
    String type = part.text("type");
    String name = part.string("name");
    JsonValue input = first(part.get("input"), part.get("arguments"));
    String arguments =
        type.equals("custom_tool_call")
            ? customArguments(input)
            : arguments(first(input, action(part)));
    int end = type.lastIndexOf('_');
    boolean isNamed = type.endsWith("tool_use") || NAMED.contains(type);
    String called = name != null ? name : isNamed ? "" : end > 0 ? type.substring(0, end) : type;
    return new Part.ToolCall(part, kind, part.text(kind.callId()), called, arguments);
  }

  /** What a call of a tool that is known by its type does; several actions stay several. */
  private static @Nullable JsonValue action(JsonValue call) {
    JsonValue actions = call.get("actions");
    return actions == null
        ? first(call.get("action"), call.get("operation"))
        : JsonValue.of("{\"actions\":" + actions.raw() + "}");
  }

  static Part chatCall(JsonValue call) {
    JsonValue custom = call.get("function") == null ? call.get("custom") : null;
    JsonValue called = custom == null ? CallArguments.functionOf(call) : custom;
    String arguments =
        custom == null ? arguments(called.get("arguments")) : customArguments(custom.get("input"));
    return new Part.ToolCall(call, ToolKind.CHAT, call.text("id"), called.text("name"), arguments);
  }

  /** A call as before there were tools. */
  static Part functionCall(JsonValue function) {
    String arguments = arguments(function.get("arguments"));
    return new Part.ToolCall(function, ToolKind.FUNCTION, "", function.text("name"), arguments);
  }

  private static String customArguments(@Nullable JsonValue input) {
    return "{\"input\":" + (input == null ? "\"\"" : input.raw()) + "}";
  }

  static Part chatResult(JsonValue message) {
    return result(message, ToolKind.CHAT);
  }

  /**
   * The parts of a message of tools: one that does not say whose results it has is a result.
   *
   * @param parts what is read of it
   */
  static List<Part> ofTools(JsonValue content, List<Part> parts) {
    boolean isItem =
        content.isObject() && (content.string("type") != null || content.get("parts") != null);
    JsonValue said = content.isObject() ? content.member("content") : content;
    boolean says =
        (said != null && (said.isNull() || (said.isObject() && said.string("type") == null)))
            || parts.stream()
                .allMatch(
                    part ->
                        part instanceof Part.Text
                            || part instanceof Part.Image
                            || part instanceof Part.File);
    return isItem || !says
        ? parts
        : List.of(
            chatResult(
                content.isObject()
                    ? content
                    : JsonValue.of("{\"content\":" + content.raw() + "}")));
  }

  /**
   * A message, or its content, with ids for its results that have none.
   *
   * @param ids of the calls, in the order of the results; empty: it stays as it is
   */
  public static JsonValue named(JsonValue json, Iterator<String> ids) {
    if (json.isArray()) {
      return JsonValue.of(
          json.items().stream()
              .map(part -> named(part, ids).raw())
              .collect(Collectors.joining(",", "[", "]")));
    }
    boolean ofChat = json.text("role").equals("tool");
    ToolKind kind = ofChat ? ToolKind.CHAT : ToolKind.ofResult(json.text("type"));
    if (kind != null) {
      String id = json.text(kind.resultId()).isEmpty() && ids.hasNext() ? ids.next() : "";
      return id.isEmpty() ? json : CallArguments.put(json, kind.resultId(), JsonWriter.quote(id));
    }
    JsonValue parts = json.get("content");
    return parts == null || !parts.isArray() ? json : json.with("content", named(parts, ids).raw());
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
      parts.add(new Part.ToolCall(part, ToolKind.FOREIGN, id, name, arguments(input)));
    }
    if (type.equals("tool-result") || (result != null && !type.equals("tool-call"))) {
      if (result != null && result.string("type") != null && result.get("value") != null) {
        result = result.get("value");
      }
      boolean error = part.get("errorText") != null;
      List<Part> content = content(result, Shape.FOREIGN);
      parts.add(new Part.ToolResult(part, ToolKind.FOREIGN, id, content, error));
    }
  }

  public static Part.ToolResult result(JsonValue part, ToolKind kind) {
    JsonValue content = first(part.get("content"), part.get("output"));
    JsonValue tools = content == null ? part.get("tools") : null;
    JsonValue error = part.get("is_error");
    return new Part.ToolResult(
        part,
        kind,
        part.text(kind.resultId()),
        tools == null ? content(content, kind.shape()) : List.of(raw(tools)),
        error != null && error.raw().equals("true"));
  }

  /** The parts of a result: a string or parts; any other JSON as a text. */
  private static List<Part> content(@Nullable JsonValue content, Shape home) {
    if (content == null) {
      return List.of();
    }
    boolean parts =
        content.isArray()
            ? content.items().stream().allMatch(item -> item.string("type") != null)
            : content.isString() || content.text("type").equals("computer_screenshot");
    return parts ? PartReader.read(content, home) : List.of(raw(content));
  }

  private static Part raw(JsonValue json) {
    return new Part.Text(json, Shape.FOREIGN, json.raw());
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
