package io.memorygateway.format.chat;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parts of any format as parts of Chat's content. */
final class ChatParts {
  /** The shapes of parts that go up as they are. */
  static final Set<Shape> OWN = EnumSet.of(Shape.CHAT, Shape.PLAIN);

  private ChatParts() {}

  /** The part as JSON; null if there is nothing to say of it here. */
  static @Nullable String of(Part part) {
    if (OWN.contains(part.shape()) && part.source().isObject()) {
      return part.source().raw();
    }
    if (part instanceof Part.Text text) {
      return text.text().isBlank() ? null : Part.textPart("text", text.quoted());
    }
    if (part instanceof Part.Image image) {
      String url = image.media().asUrl("image/png");
      String detail = image.detail();
      return url == null
          ? null
          : "{\"type\":\"image_url\",\"image_url\":{\"url\":%s%s}}"
              .formatted(
                  JsonWriter.quote(url),
                  detail == null ? "" : ",\"detail\":" + JsonWriter.quote(detail));
    }
    if (part instanceof Part.File file) {
      return file(file);
    }
    if (part.source().isObject() && part.source().get("input_audio") != null) {
      return part.source().raw();
    }
    String text = Part.textOf(List.of(part));
    return text.isBlank() ? null : Part.textPart("text", JsonWriter.quote(text));
  }

  private static @Nullable String file(Part.File file) {
    Media media = file.media();
    if (media.data() != null) {
      return "{\"type\":\"file\",\"file\":{\"filename\":%s,\"file_data\":%s}}"
          .formatted(
              JsonWriter.quote(file.fileName()),
              JsonWriter.quote(String.valueOf(media.asUrl("application/pdf"))));
    }
    if (media.fileId() != null && file.shape() == Shape.RESPONSES) {
      return "{\"type\":\"file\",\"file\":{\"file_id\":" + JsonWriter.quote(media.fileId()) + "}}";
    }
    String text = media.text() != null ? media.text() : media.url();
    return text == null || text.isBlank() ? null : Part.textPart("text", JsonWriter.quote(text));
  }
}
