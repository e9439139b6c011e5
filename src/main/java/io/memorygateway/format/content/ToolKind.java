package io.memorygateway.format.content;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A kind of tool calls that the caller runs, and of their results: their types, and the members
 * with the id by which a call and its result are told to belong together.
 *
 * @param answer the members of a result of this kind, with its text for {@code $}; empty if the
 *     result of any format can be written as one; null if none can be made of a text
 */
public record ToolKind(
    Shape shape,
    String call,
    String callId,
    String result,
    String resultId,
    @Nullable String answer) {
  static final ToolKind CHAT = new ToolKind(Shape.CHAT, "", "id", "", "tool_call_id", "");

  /** Of Chat as it was before there were tools: calls and results of functions, without ids. */
  public static final ToolKind FUNCTION =
      new ToolKind(Shape.CHAT, "", "id", "", "tool_call_id", null);

  /** Of no endpoint: of Vercel's and Mastra's parts, or made by the gateway. */
  public static final ToolKind FOREIGN =
      new ToolKind(Shape.FOREIGN, "", "toolCallId", "", "toolCallId", "");

  private static final List<ToolKind> TYPED =
      List.of(
          new ToolKind(Shape.MESSAGES, "tool_use", "id", "tool_result", "tool_use_id", ""),
          items("function_call", "function_call_output", "call_id", ""),
          items("custom_tool_call", "custom_tool_call_output", "call_id", "\"output\":$"),
          items("local_shell_call", "local_shell_call_output", "id", "\"output\":$"),
          items(
              "shell_call",
              "shell_call_output",
              "call_id",
              "\"output\":[{\"stdout\":\"\",\"stderr\":$,"
                  + "\"outcome\":{\"type\":\"exit\",\"exit_code\":1}}]"),
          items(
              "apply_patch_call",
              "apply_patch_call_output",
              "call_id",
              "\"status\":\"failed\",\"output\":$"),
          items(
              "tool_search_call",
              "tool_search_output",
              "call_id",
              "\"execution\":\"client\",\"tools\":[]"),
          items("computer_call", "computer_call_output", "call_id", null));

  private static final Map<String, ToolKind> BY_CALL = by(ToolKind::call);
  private static final Map<String, ToolKind> BY_RESULT = by(ToolKind::result);

  /** The kind of a call, or a result, that gets an id. */
  ToolKind withId() {
    return equals(FUNCTION) ? CHAT : this;
  }

  /** Whether a result has the id of its call as its own. */
  public boolean isNamedById() {
    return resultId.equals("id");
  }

  /** The kind of calls of a type; null if there is none. */
  static @Nullable ToolKind ofCall(String type) {
    return BY_CALL.get(type);
  }

  /** The kind of which a type is the result; null if there is none. */
  static @Nullable ToolKind ofResult(String type) {
    return BY_RESULT.get(type);
  }

  private static ToolKind items(
      String call, String result, String resultId, @Nullable String answer) {
    return new ToolKind(Shape.RESPONSES, call, "call_id", result, resultId, answer);
  }

  private static Map<String, ToolKind> by(Function<ToolKind, String> type) {
    return TYPED.stream().collect(Collectors.toUnmodifiableMap(type, kind -> kind));
  }
}
