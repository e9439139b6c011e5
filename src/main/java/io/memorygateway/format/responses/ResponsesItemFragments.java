package io.memorygateway.format.responses;

import io.memorygateway.format.content.Part;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One output item of a Responses stream, assembled from its events. */
final class ResponsesItemFragments {
  /** Content parts of one item; the last one takes the text of those beyond. */
  private static final int MAX_PARTS = 32;

  private @Nullable JsonValue added;
  private @Nullable JsonValue done;
  private final StringBuilder arguments = new StringBuilder();
  private final Map<Integer, StringBuilder> texts = new TreeMap<>();

  /** Takes an event of this item; returns the text that is now held in addition. */
  String read(String type, JsonValue event) {
    JsonValue member = event.get("item");
    JsonValue item = member != null && member.isObject() ? member : null;
    switch (type) {
      case "response.output_item.added" -> {
        added = item;
        return item == null ? "" : item.raw();
      }
      case "response.output_item.done" -> {
        if (item != null) {
          finish(item);
          return item.raw();
        }
      }
      case "response.output_text.delta", "response.refusal.delta" -> {
        return add(texts.computeIfAbsent(partOf(event), at -> new StringBuilder()), event);
      }
      case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta" -> {
        return add(arguments, event);
      }
      case "response.function_call_arguments.done" -> {
        // Some servers send no fragments before this event.
        arguments.setLength(0);
        arguments.append(event.text("arguments"));
        return event.text("arguments");
      }
      default -> {}
    }
    return "";
  }

  private static String add(StringBuilder to, JsonValue event) {
    String delta = event.text("delta");
    to.append(delta);
    return delta;
  }

  /** Index of the content part that an event belongs to. */
  private static int partOf(JsonValue event) {
    return Math.max(0, Math.min(event.index("content_index"), MAX_PARTS - 1));
  }

  void finish(JsonValue item) {
    done = item;
    texts.clear();
  }

  boolean isDone() {
    return done != null;
  }

  /** The item, as far as it was received; null if that cannot be used. */
  @Nullable String json() {
    JsonValue item = done == null ? added : done;
    if (item == null) {
      return null;
    }
    if (item.text("type").equals("function_call") && item.text("arguments").isEmpty()) {
      boolean complete = !arguments.isEmpty() && JsonValue.isValid(arguments.toString());
      if (complete) {
        return item.with("arguments", JsonWriter.quote(arguments.toString())).raw();
      }
    }
    if (done != null) {
      return done.raw();
    }
    return item.text("type").equals("message") && !texts.isEmpty() ? partial(item) : null;
  }

  private String partial(JsonValue item) {
    String content =
        texts.values().stream()
            .map(text -> Part.textPart("output_text", JsonWriter.quote(text.toString())))
            .collect(Collectors.joining(",", "[", "]"));
    return item.with("content", content).with("status", "\"incomplete\"").raw();
  }
}
