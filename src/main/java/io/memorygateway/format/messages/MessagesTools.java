package io.memorygateway.format.messages;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.PartReader;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Declares the tools of stored calls, for an upstream that accepts calls and results only in
 * requests with {@code tools}, as Anthropic does. A caller that declares none cannot answer a call,
 * so the model is told not to make one.
 */
final class MessagesTools {
  private MessagesTools() {}

  /**
   * The edits of a request.
   *
   * @param messages of the request, as received
   * @param utterances all messages that go upstream
   */
  static List<Edit> edits(
      Conversation conversation, JsonValue messages, List<Utterance> utterances) {
    JsonValue root = conversation.root();
    JsonValue tools = root.member("tools");
    Set<String> names = names(utterances);
    if (names.isEmpty() || (tools != null && !tools.items().isEmpty()) || areUsed(messages)) {
      return List.of();
    }
    String declared = declared(names);
    String choice = root.get("tool_choice") == null ? ",\"tool_choice\":{\"type\":\"none\"}" : "";
    return List.of(
        tools == null
            ? Edit.insert(conversation.body().afterModel(), ",\"tools\":" + declared + choice)
            : new Edit(tools.start(), tools.end(), declared + choice));
  }

  /** Tells by their names what tools the call has: any, if it has servers of them (MCP). */
  static Predicate<String> known(Conversation conversation) {
    Set<String> names = conversation.tools();
    return conversation.root().get("mcp_servers") == null ? names::contains : name -> true;
  }

  /** Declarations of tools that cannot be called any more. */
  static String declared(Set<String> names) {
    return names.stream()
        .map(
            name ->
                "{\"name\":%s,\"description\":\"Was used earlier in this conversation.\",\"input_schema\":{\"type\":\"object\"}}"
                    .formatted(JsonWriter.quote(name)))
        .collect(Collectors.joining(",", "[", "]"));
  }

  static Set<String> names(List<Utterance> utterances) {
    Set<String> names = new LinkedHashSet<>();
    for (Utterance utterance : utterances) {
      for (Part part : utterance.parts()) {
        if (part instanceof Part.ToolCall call && utterance.verbatim() == null) {
          names.add(call.name());
        }
      }
    }
    return names;
  }

  /** Whether the caller sends calls or results without tools, which is left to the upstream. */
  private static boolean areUsed(JsonValue messages) {
    return messages.items().stream()
        .map(message -> message.get("content"))
        .filter(Objects::nonNull)
        .anyMatch(
            content ->
                PartReader.read(content).stream()
                    .anyMatch(
                        part -> part instanceof Part.ToolCall || part instanceof Part.ToolResult));
  }
}
