package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** Reads images and files, in the format of any endpoint. */
final class MediaParts {
  private MediaParts() {}

  static Part image(String type, JsonValue part) {
    JsonValue url = part.get("image_url");
    JsonValue source = part.get("source");
    if (type.equals("image_url") && url != null) {
      String detail = url.string("detail");
      return new Part.Image(
          part, Shape.CHAT, Media.ofUrl(url.isString() ? url.text() : url.string("url")), detail);
    }
    if (type.equals("input_image") || type.equals("computer_screenshot")) {
      Media media =
          url == null ? Media.ofFile(part.string("file_id")) : Media.ofUrl(part.text("image_url"));
      return new Part.Image(part, Shape.RESPONSES, media, part.string("detail"));
    }
    if (source != null && source.isObject()) {
      return new Part.Image(part, Shape.MESSAGES, ofSource(source), null);
    }
    return new Part.Image(part, Shape.FOREIGN, ofVercel(part, "image"), null);
  }

  static Part file(String type, JsonValue part) {
    JsonValue file = part.get("file");
    JsonValue source = part.get("source");
    if (type.equals("document") && source != null) {
      return new Part.File(part, Shape.MESSAGES, ofSource(source), part.string("title"));
    }
    if (type.equals("input_file")) {
      return new Part.File(part, Shape.RESPONSES, ofOpenAi(part), part.string("filename"));
    }
    if (file != null && file.isObject()) {
      return new Part.File(part, Shape.CHAT, ofOpenAi(file), file.string("filename"));
    }
    Media media = ofVercel(part, "data");
    return media.type() != null && media.type().startsWith("image/")
        ? new Part.Image(part, Shape.FOREIGN, media, null)
        : new Part.File(part, Shape.FOREIGN, media, part.string("filename"));
  }

  private static Media ofSource(JsonValue source) {
    return switch (source.text("type")) {
      case "base64" -> Media.ofData(source.string("media_type"), source.string("data"));
      case "url" -> Media.ofUrl(source.string("url"));
      case "file" -> Media.ofFile(source.string("file_id"));
      case "text" -> Media.ofText(source.string("data"));
      case "content" -> {
        JsonValue content = source.get("content");
        yield Media.ofText(content == null ? null : Part.textOf(PartReader.read(content)));
      }
      default -> Media.ofUrl(null);
    };
  }

  private static Media ofOpenAi(JsonValue file) {
    String data = file.string("file_data");
    if (data != null) {
      return Media.isData(data) ? Media.ofUrl(data) : Media.ofData(null, data);
    }
    String url = file.string("file_url");
    return url == null ? Media.ofFile(file.string("file_id")) : Media.ofUrl(url);
  }

  /** The source of a Vercel part: a URL, a data URL or base64 in one of its members. */
  private static Media ofVercel(JsonValue part, String member) {
    String type = firstOf(part.string("mediaType"), part.string("mimeType"));
    String source = firstOf(part.string(member), firstOf(part.string("url"), part.string("data")));
    Media media =
        source == null || source.contains("://") || Media.isData(source)
            ? Media.ofUrl(source)
            : Media.ofData(type, source);
    return media.type() == null
        ? new Media(media.url(), type, media.data(), media.fileId(), media.text())
        : media;
  }

  private static @Nullable String firstOf(@Nullable String one, @Nullable String other) {
    return one == null ? other : one;
  }
}
