package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Tells stored tool calls and their results in words, for an upstream that takes them only from
 * callers with tools of their own: Anthropic refuses the blocks in a request without {@code tools}.
 */
final class ToolWords {
  private ToolWords() {}

  /** Whether the caller brings tools, or calls and results that are for the upstream to judge. */
  static boolean areUsed(JsonValue request, JsonValue messages) {
    JsonValue tools = request.get("tools");
    return (tools != null && !tools.items().isEmpty())
        || messages.items().stream()
            .map(message -> message.get("content"))
            .filter(Objects::nonNull)
            .anyMatch(content -> PartReader.read(content).stream().anyMatch(ToolWords::isOfTools));
  }

  static List<Utterance> tell(List<Utterance> messages) {
    List<Utterance> told = new ArrayList<>(messages.size());
    for (Utterance message : messages) {
      told.add(
          message.parts().stream().anyMatch(ToolWords::isOfTools)
              ? message.withParts(message.parts().stream().map(ToolWords::tell).toList())
              : message);
    }
    return told;
  }

  private static boolean isOfTools(Part part) {
    return part instanceof Part.ToolCall || part instanceof Part.ToolResult;
  }

  private static Part tell(Part part) {
    if (part instanceof Part.ToolCall call) {
      return text("[Tool " + call.name() + " called with " + call.arguments() + "]");
    }
    if (part instanceof Part.ToolResult result) {
      return text("[Tool result: " + result.text() + "]");
    }
    return part;
  }

  private static Part text(String text) {
    return new Part.Text(JsonValue.of(Json.quote(text)), Shape.PLAIN, text);
  }
}
