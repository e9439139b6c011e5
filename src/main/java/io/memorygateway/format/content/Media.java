package io.memorygateway.format.content;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.Utf8;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The source of an image or a file: exactly one of {@code url}, {@code data}, {@code fileId} and
 * {@code text} is set, or none if it is not known.
 *
 * @param type media type, if given
 * @param data base64
 * @param fileId of an upload to one provider
 * @param text a document given as text
 */
public record Media(
    @Nullable String url,
    @Nullable String type,
    @Nullable String data,
    @Nullable String fileId,
    @Nullable String text) {

  /** A source; an empty one is none. */
  public Media {
    url = "".equals(url) ? null : url;
    data = "".equals(data) ? null : data;
    fileId = "".equals(fileId) ? null : fileId;
  }

  private static final String SCHEME = "data:";

  /** Characters of a file's base64: its first 6 KB. */
  private static final int HEAD = 8 << 10;

  private static final String CODED = ";base64,";

  public static Media ofUrl(@Nullable String url) {
    if (url != null && isData(url)) {
      int comma = url.indexOf(',');
      int end = comma + 1 - CODED.length();
      if (url.regionMatches(true, end, CODED, 0, CODED.length())) {
        return ofData(type(url.substring(SCHEME.length(), end)), url.substring(comma + 1));
      }
    }
    return new Media(url, null, null, null, null);
  }

  static boolean isData(String url) {
    return url.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
  }

  /** A media type in the form that all take: of its parameters those of a text say something. */
  private static @Nullable String type(String given) {
    String type = given.toLowerCase(Locale.ROOT);
    int parameters = type.startsWith("text/") ? -1 : type.indexOf(';');
    String bare = (parameters < 0 ? type : type.substring(0, parameters)).strip();
    return bare.isEmpty() || bare.startsWith(";") ? null : bare;
  }

  public static Media ofData(@Nullable String type, @Nullable String data) {
    return new Media(null, type, data, null, null);
  }

  static Media ofFile(@Nullable String fileId) {
    return new Media(null, null, null, fileId, null);
  }

  static Media ofText(@Nullable String text) {
    return new Media(null, "text/plain", null, null, text);
  }

  /** Whether nothing of it is known. */
  public boolean isNone() {
    return url == null && data == null && fileId == null && text == null;
  }

  /** Whether it is a PDF file; else, as far as its type tells, it is an image. */
  public boolean isPdf() {
    return "application/pdf".equals(type);
  }

  /**
   * The text of a file whose data are given, of any type: of one that says so, or whose data are a
   * text; null if it is none.
   */
  public @Nullable String textOfData() {
    if (data == null) {
      return null;
    }
    boolean isSaid = type != null && type.startsWith("text/");
    if (!isSaid) {
      byte[] head = decoded(data.substring(0, Math.min(data.length(), HEAD)));
      if (head != null && isBinary(head)) {
        return null; // the rest of sounds, films and archives need not be decoded
      }
    }
    byte[] bytes = decoded(data);
    return bytes != null && (isSaid || (Utf8.isValid(bytes) && !isBinary(bytes)))
        ? new String(bytes, UTF_8)
        : null;
  }

  private static byte @Nullable [] decoded(String base64) {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean isBinary(byte[] bytes) {
    String all = new String(bytes, ISO_8859_1);
    return all.indexOf(0) >= 0 || all.startsWith("%PDF-");
  }

  /** The source as a URL, if necessary a data URL; null for an upload or a text. */
  public @Nullable String asUrl(String defaultType) {
    return data == null ? url : SCHEME + (type == null ? defaultType : type) + CODED + data;
  }

  /** The same as a JSON string. */
  public String quotedUrl() {
    return JsonWriter.quote(Objects.requireNonNull(asUrl("image/png")));
  }

  /**
   * The content of a message with a text, and images and files behind it: the text alone, if there
   * are none.
   *
   * @param textType of the format's parts of text
   * @param part a part of the format with an image or a file
   */
  public static String content(
      String textType, String text, List<Media> shown, Function<Media, String> part) {
    String quoted = JsonWriter.quote(text);
    return shown.isEmpty()
        ? quoted
        : Stream.concat(Stream.of(Part.textPart(textType, quoted)), shown.stream().map(part))
            .collect(Collectors.joining(",", "[", "]"));
  }

  /** Key for comparison: equal for the same source in any format. */
  public String key() {
    return url != null
        ? "url " + url
        : data != null ? "data " + data : fileId != null ? "file " + fileId : "text " + text;
  }
}
