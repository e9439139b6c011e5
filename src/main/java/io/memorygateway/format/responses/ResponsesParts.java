package io.memorygateway.format.responses;

import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes parts of any format as Responses items and content parts. */
final class ResponsesParts {
  /** Items that are not accepted without an id. */
  static final Set<String> OF_UPSTREAM =
      Set.of(
          "web_search_call",
          "file_search_call",
          "code_interpreter_call",
          "image_generation_call",
          "mcp_call",
          "mcp_list_tools",
          "mcp_approval_request",
          "mcp_approval_response");

  /** Statuses of items that the upstream did not finish. */
  private static final Set<String> UNFINISHED =
      Set.of(
          "queued",
          "in_progress",
          "incomplete",
          "searching",
          "interpreting",
          "generating",
          "calling");

  /** What stands before the result of a call that failed: items have no member for it. */
  private static final String FAILED = "Error: ";

  private ResponsesParts() {}

  /** Whether an item ended before the upstream had finished it. */
  static boolean wasCut(JsonValue item) {
    return UNFINISHED.contains(item.text("status"));
  }

  /**
   * A call or a result as an item.
   *
   * @param customs takes and has the ids of calls of custom tools
   */
  static String item(Part part, boolean withoutId, Set<String> customs) {
    if (part.shape() == Shape.RESPONSES) {
      boolean named = part instanceof Part.ToolResult result && result.kind().isNamedById();
      return ResponsesEcho.of(part.source(), withoutId && !named);
    }
    if (part instanceof Part.ToolCall call && call.source().get("custom") != null) {
      customs.add(call.id());
      return "{\"type\":\"custom_tool_call\",\"call_id\":%s,\"name\":%s,\"input\":%s}"
          .formatted(
              JsonWriter.quote(call.id()),
              JsonWriter.quote(call.name()),
              JsonWriter.quote(JsonValue.of(call.arguments()).text("input")));
    }
    if (part instanceof Part.ToolCall call) {
      return "{\"type\":\"function_call\",\"call_id\":%s,\"name\":%s,\"arguments\":%s}"
          .formatted(
              JsonWriter.quote(call.id()),
              JsonWriter.quote(call.name()),
              JsonWriter.quote(CallArguments.object(call.arguments())));
    }
    Part.ToolResult result = (Part.ToolResult) part;
    List<Part> content = result.content();
    boolean words =
        content.isEmpty() || (content.size() == 1 && content.get(0) instanceof Part.Text);
    List<String> pieces = new ArrayList<>();
    if (result.error() && !words) {
      pieces.add(Part.textPart("input_text", JsonWriter.quote(FAILED.strip())));
    }
    for (Part piece : content) {
      String json = part(piece, false);
      if (json != null) {
        pieces.add(json);
      }
    }
    return "{\"type\":\"%s_call_output\",\"call_id\":%s,\"output\":%s}"
        .formatted(
            customs.contains(result.id()) ? "custom_tool" : "function",
            JsonWriter.quote(result.id()),
            words
                ? JsonWriter.quote((result.error() ? FAILED : "") + result.text())
                : pieces.isEmpty()
                    ? JsonWriter.quote(
                        Objects.requireNonNullElse(MessageWriters.standIn(content), ""))
                    : "[" + String.join(",", pieces) + "]");
  }

  /** A seal as an item. */
  static Part thought(Seal seal) {
    String item = "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":";
    return new Part.Reasoning(
        JsonValue.of(item + JsonWriter.quote(seal.text()) + "}"), Shape.RESPONSES);
  }

  /** Whether it is reasoning that has its text, and is not encrypted. */
  static boolean isUnsealed(JsonValue item) {
    return item.text("type").equals("reasoning")
        && item.text("encrypted_content").isEmpty()
        && ResponsesAnswerReader.isOpen(item);
  }

  /** An item without the reasoning that led to it; empty if it is not accepted so. */
  static String withoutReasoning(JsonValue item) {
    String type = item.text("type");
    boolean ofModel = type.endsWith("_call") || item.text("role").equals("assistant");
    return OF_UPSTREAM.contains(type) ? "" : ofModel ? item.without("id") : item.raw();
  }

  /** A part of a message; null if it has no counterpart here. */
  static @Nullable String part(Part part, boolean ofModel) {
    if (part instanceof Part.Reasoning) {
      return null;
    }
    if (part.shape() == Shape.RESPONSES) {
      return part.source().raw();
    }
    if (part instanceof Part.Text text) {
      return text(text.quoted(), text.text(), ofModel);
    }
    if (part instanceof Part.Image image && !ofModel) {
      String url = image.media().asUrl("image/png");
      String detail = image.detail() == null ? "auto" : image.detail();
      return url == null
          ? null
          : "{\"type\":\"input_image\",\"image_url\":%s,\"detail\":%s}"
              .formatted(JsonWriter.quote(url), JsonWriter.quote(detail));
    }
    if (part instanceof Part.File file && !ofModel) {
      return file(file);
    }
    String text = Part.textOf(List.of(part));
    return text(JsonWriter.quote(text), text, ofModel);
  }

  private static @Nullable String text(String quoted, String text, boolean ofModel) {
    return text.isBlank() ? null : Part.textPart(ofModel ? "output_text" : "input_text", quoted);
  }

  private static @Nullable String file(Part.File file) {
    Media media = file.media();
    if (media.data() != null) {
      return "{\"type\":\"input_file\",\"filename\":%s,\"file_data\":%s}"
          .formatted(
              JsonWriter.quote(file.fileName()),
              JsonWriter.quote(String.valueOf(media.asUrl("application/pdf"))));
    }
    if (media.fileId() != null && file.shape() == Shape.CHAT) {
      return "{\"type\":\"input_file\",\"file_id\":" + JsonWriter.quote(media.fileId()) + "}";
    }
    if (media.url() != null) {
      return "{\"type\":\"input_file\",\"file_url\":" + JsonWriter.quote(media.url()) + "}";
    }
    String text = media.text() == null ? "" : media.text();
    return text(JsonWriter.quote(text), text, false);
  }
}
