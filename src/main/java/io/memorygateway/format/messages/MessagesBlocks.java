package io.memorygateway.format.messages;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes parts of any format as Anthropic's content blocks.
 *
 * @param unsignedThinking whether thoughts without signatures are taken
 * @param marks of a call that is written as its caller means it; null for stored messages, whose
 *     marks are left out, and what an upstream may refuse with them
 * @param references to the call's tools
 */
record MessagesBlocks(
    boolean unsignedThinking, @Nullable CacheMarks marks, ToolReferences references) {
  /** The member of a citation, of a place in a document, that names the file of the document. */
  private static final String FILE = "file_id";

  private static final Set<String> IMAGE_TYPES =
      Set.of("image/jpeg", "image/png", "image/gif", "image/webp");

  /** The block; null for parts that have no counterpart here, or would be refused. */
  @Nullable String block(Part part) {
    String block = unmarked(part);
    String mark =
        block == null || marks == null || part instanceof Part.Reasoning
            ? null
            : marks.next(part.source());
    return mark == null || block == null ? block : CacheMarks.marked(block, mark);
  }

  private @Nullable String unmarked(Part part) {
    if (part instanceof Part.Text text) {
      if (text.text().isBlank()) {
        return null;
      }
      return text.source().isObject() && isOwn(part) && isCitedWell(text.source())
          ? cited(text.source()).without("cache_control")
          : Part.textPart("text", text.quoted());
    }
    if (part instanceof Part.Reasoning) {
      boolean taken = unsignedThinking || isSigned(part.source());
      return isOwn(part) && taken ? part.source().raw() : null;
    }
    if (isOwn(part)) {
      JsonValue block = references.known(part.source());
      block = block.text("type").equals("mcp_tool_result") ? cited(block) : block;
      String type = block.text("type");
      boolean broken = type.endsWith("tool_use") && block.string("input") != null;
      return type.equals("tool_use") || broken
          ? CallArguments.whole(block, "input", false).without("cache_control")
          : block.without("cache_control");
    }
    if (part instanceof Part.ToolCall call) {
      return "{\"type\":\"tool_use\",\"id\":%s,\"name\":%s,\"input\":%s}"
          .formatted(
              JsonWriter.quote(call.id()),
              JsonWriter.quote(call.name()),
              CallArguments.object(call.arguments()));
    }
    if (part instanceof Part.ToolResult result) {
      return result(result);
    }
    if (part instanceof Part.Image image) {
      return image(image.media());
    }
    if (part instanceof Part.File file) {
      return file(file);
    }
    String text = Part.textOf(List.of(part));
    return text.isBlank() ? null : Part.textPart("text", JsonWriter.quote(text));
  }

  /** Whether the citations of a text are Anthropic's: translated ones have no index. */
  private static boolean isCitedWell(JsonValue text) {
    return text.at("citations").items().stream()
        .noneMatch(citation -> "".equals(citation.string("encrypted_index")));
  }

  /** A text, or a result of texts, without the files of its citations: only answers name them. */
  private static JsonValue cited(JsonValue block) {
    JsonValue ofText =
        withEach(
            block,
            "citations",
            each -> each.text("type").endsWith("_location") ? each.without(FILE) : each.raw());
    return withEach(ofText, "content", each -> cited(each).raw());
  }

  /** A block with the items of a list written otherwise; itself if none is. */
  private static JsonValue withEach(
      JsonValue block, String list, Function<JsonValue, String> written) {
    List<JsonValue> items = block.at(list).items();
    List<String> changed = items.stream().map(written).toList();
    return changed.equals(items.stream().map(JsonValue::raw).toList())
        ? block
        : block.with(list, "[" + String.join(",", changed) + "]");
  }

  private static boolean isOwn(Part part) {
    return part.shape() == Shape.MESSAGES || part.shape() == Shape.PLAIN;
  }

  /**
   * Whether a thought has a signature: one that was interrupted, or is of another maker, has none.
   */
  static boolean isSigned(JsonValue thought) {
    return !thought.text("signature").isEmpty() || !thought.text("data").isEmpty();
  }

  /** A seal as a block. */
  static Part thought(Seal seal) {
    String block = "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":";
    return new Part.Reasoning(
        JsonValue.of(block + JsonWriter.quote(seal.text()) + "}"), Shape.MESSAGES);
  }

  private String result(Part.ToolResult result) {
    String content =
        result.content().stream()
            .map(this::block)
            .filter(Objects::nonNull)
            .collect(Collectors.joining(","));
    if (result.content().size() == 1
        && result.content().get(0) instanceof Part.Text text
        && !text.text().isBlank()
        && !content.contains("cache_control")) {
      content = ",\"content\":" + JsonWriter.quote(text.text());
    } else if (!content.isEmpty()) {
      content = ",\"content\":[" + content + "]";
    }
    return "{\"type\":\"tool_result\",\"tool_use_id\":%s%s%s}"
        .formatted(
            JsonWriter.quote(result.id()), content, result.error() ? ",\"is_error\":true" : "");
  }

  private @Nullable String image(Media media) {
    if (media.data() != null) {
      String given = media.type() == null ? "image/png" : media.type();
      String type = given.equals("image/jpg") ? "image/jpeg" : given;
      return marks != null || IMAGE_TYPES.contains(type)
          ? base64("image", type, media.data(), null)
          : null;
    }
    return media.url() == null ? null : url("image", media.url(), null);
  }

  private @Nullable String file(Part.File file) {
    Media media = file.media();
    if (media.data() != null) {
      String type = media.type() == null ? "application/pdf" : media.type();
      String text = type.equals("application/pdf") ? null : media.textOfData();
      if (text != null && !text.isBlank()) {
        return "{\"type\":\"document\",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":%s}%s}"
            .formatted(JsonWriter.quote(text), title(file.name()));
      }
      return marks != null || type.equals("application/pdf")
          ? base64("document", type, media.data(), file.name())
          : null;
    }
    if (media.text() != null) {
      return media.text().isBlank() ? null : Part.textPart("text", JsonWriter.quote(media.text()));
    }
    return media.url() == null ? null : url("document", media.url(), file.name());
  }

  private static String base64(String block, String type, String data, @Nullable String title) {
    return "{\"type\":\"%s\",\"source\":{\"type\":\"base64\",\"media_type\":%s,\"data\":%s}%s}"
        .formatted(block, JsonWriter.quote(type), JsonWriter.quote(data), title(title));
  }

  private static String url(String block, String url, @Nullable String title) {
    return "{\"type\":\"%s\",\"source\":{\"type\":\"url\",\"url\":%s}%s}"
        .formatted(block, JsonWriter.quote(url), title(title));
  }

  private static String title(@Nullable String title) {
    return title == null ? "" : ",\"title\":" + JsonWriter.quote(title);
  }
}
