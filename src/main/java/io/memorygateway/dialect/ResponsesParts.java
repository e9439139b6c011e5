package io.memorygateway.dialect;

import io.memorygateway.json.Json;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes parts of any format as Responses items and content parts. */
final class ResponsesParts {
  private ResponsesParts() {}

  /** A call or a result as an item. */
  static String item(Part part, boolean withoutId) {
    if (part.shape() == Shape.RESPONSES) {
      return withoutId ? part.source().without("id") : part.source().raw();
    }
    if (part instanceof Part.ToolCall call) {
      return "{\"type\":\"function_call\",\"call_id\":%s,\"name\":%s,\"arguments\":%s}"
          .formatted(Json.quote(call.id()), Json.quote(call.name()), Json.quote(call.arguments()));
    }
    Part.ToolResult result = (Part.ToolResult) part;
    boolean words = result.content().stream().allMatch(piece -> piece instanceof Part.Text);
    String output =
        words
            ? Json.quote(result.text())
            : result.content().stream()
                .map(piece -> part(piece, false))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(",", "[", "]"));
    return "{\"type\":\"function_call_output\",\"call_id\":%s,\"output\":%s}"
        .formatted(Json.quote(result.id()), output);
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
      return text(MessageWriters.quoted(text), text.text(), ofModel);
    }
    if (part instanceof Part.Image image && !ofModel) {
      String url = image.media().asUrl("image/png");
      String detail = image.detail() == null ? "auto" : image.detail();
      return url == null
          ? null
          : "{\"type\":\"input_image\",\"image_url\":%s,\"detail\":%s}"
              .formatted(Json.quote(url), Json.quote(detail));
    }
    if (part instanceof Part.File file && !ofModel) {
      return file(file);
    }
    String text = Part.textOf(List.of(part));
    return text(Json.quote(text), text, ofModel);
  }

  private static @Nullable String text(String quoted, String text, boolean ofModel) {
    return text.isBlank()
        ? null
        : MessageWriters.textPart(ofModel ? "output_text" : "input_text", quoted);
  }

  private static @Nullable String file(Part.File file) {
    Media media = file.media();
    if (media.data() != null) {
      String name = file.name() == null ? "document" : file.name();
      return "{\"type\":\"input_file\",\"filename\":%s,\"file_data\":%s}"
          .formatted(Json.quote(name), Json.quote(String.valueOf(media.asUrl("application/pdf"))));
    }
    if (media.fileId() != null && file.shape() == Shape.CHAT) {
      return "{\"type\":\"input_file\",\"file_id\":" + Json.quote(media.fileId()) + "}";
    }
    if (media.url() != null) {
      return "{\"type\":\"input_file\",\"file_url\":" + Json.quote(media.url()) + "}";
    }
    String text = media.text() == null ? "" : media.text();
    return text(Json.quote(text), text, false);
  }
}
