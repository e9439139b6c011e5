package io.memorygateway.proxy.count;

import io.memorygateway.format.content.Media;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Tokens that an image counts by its size, as the makers of the formats document it. */
final class ImageTokens {
  /** Tokens of an image whose size is not known, and the most that one counts in Messages. */
  static final int UNKNOWN = 1600;

  private static final int MESSAGES_PIXELS_PER_TOKEN = 750;
  private static final double MESSAGES_LONG_SIDE = 1568;
  private static final int OPENAI_BASE = 85;
  private static final int OPENAI_TILE = 170;
  private static final int TILE = 512;
  private static final int LONG_SIDE = 2048;
  private static final int SHORT_SIDE = 768;

  /** Side of a square for which newer models count a token, or a few. */
  private static final int PATCH = 32;

  /** The most tokens of such a square, of GPT-4.1 nano. */
  private static final double MOST_OF_PATCH = 2.46;

  /** The most of an image: Anthropic's models of high resolution count up to 4,784. */
  private static final int MOST = 4800;

  /** The same in detail {@code original}: 10,000 squares of 1.2 tokens. */
  private static final int MOST_ORIGINAL = 12_000;

  /** The same in detail {@code low}, of models that know it: 256 squares. */
  private static final int MOST_LOW = 308;

  /** Characters of an image's base64 text in which its size is looked for. */
  private static final int MAX_HEAD = 256 << 10;

  private ImageTokens() {}

  /** Width and height in pixels. */
  record Size(int width, int height) {}

  /**
   * Tokens of an image of a call.
   *
   * @param inTiles whether its format says the detail of an image and counts its tiles; else pixels
   * @param detail in which it is to be seen; null for all
   * @param most whether to count the most that a model of today counts for it
   */
  static int of(Media media, @Nullable String detail, boolean inTiles, boolean most) {
    if (inTiles && "low".equals(detail)) {
      return most ? MOST_LOW : OPENAI_BASE;
    }
    String data = media.data();
    Size size = data == null ? null : sizeOf(data);
    int bound = "original".equals(detail) ? MOST_ORIGINAL : MOST;
    if (size == null) {
      return most ? bound : UNKNOWN;
    }
    int counted = inTiles ? ofOpenAi(size) : ofMessages(size);
    return most ? Math.max(counted, (int) Math.min(ofPatches(size), bound)) : counted;
  }

  private static double ofPatches(Size size) {
    double width = Math.ceil((double) size.width / PATCH);
    double height = Math.ceil((double) size.height / PATCH);
    return Math.ceil(width * height * MOST_OF_PATCH);
  }

  private static int ofMessages(Size size) {
    double scale = Math.min(1, MESSAGES_LONG_SIDE / Math.max(size.width, size.height));
    double tokens = scale * size.width * scale * size.height / MESSAGES_PIXELS_PER_TOKEN;
    return (int) Math.max(1, Math.min(tokens, UNKNOWN));
  }

  private static int ofOpenAi(Size size) {
    double width = size.width;
    double height = size.height;
    double scale = Math.min(1, LONG_SIDE / Math.max(width, height));
    scale *= Math.min(1, SHORT_SIDE / (Math.min(width, height) * scale));
    long tiles = (long) (Math.ceil(width * scale / TILE) * Math.ceil(height * scale / TILE));
    return (int) (OPENAI_BASE + OPENAI_TILE * Math.max(1, tiles));
  }

  /** The size that the head of an image says: PNG, GIF, JPEG, WebP; null if it cannot be read. */
  static @Nullable Size sizeOf(String base64) {
    String head = base64.substring(0, Math.min(base64.length(), MAX_HEAD) / 4 * 4);
    byte[] bytes;
    try {
      bytes = Base64.getMimeDecoder().decode(head);
    } catch (IllegalArgumentException e) {
      return null;
    }
    Size size = null;
    if (at(bytes, 0, 0x89, 'P', 'N', 'G') && bytes.length >= 24) {
      size = new Size(big(bytes, 16, 4), big(bytes, 20, 4));
    } else if (at(bytes, 0, 'G', 'I', 'F', '8') && bytes.length >= 10) {
      size = new Size(little(bytes, 6, 2), little(bytes, 8, 2));
    } else if (at(bytes, 0, 'R', 'I', 'F', 'F') && at(bytes, 8, 'W', 'E', 'B', 'P')) {
      size = ofWebP(bytes);
    } else if (at(bytes, 0, 0xFF, 0xD8)) {
      size = ofJpeg(bytes);
    }
    return size == null || size.width <= 0 || size.height <= 0 ? null : size;
  }

  private static @Nullable Size ofWebP(byte[] bytes) {
    if (bytes.length < 30) {
      return null;
    }
    if (at(bytes, 12, 'V', 'P', '8', 'X')) {
      return new Size(little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1);
    }
    if (at(bytes, 12, 'V', 'P', '8', 'L')) {
      int bits = little(bytes, 21, 4);
      return new Size((bits & 0x3FFF) + 1, ((bits >>> 14) & 0x3FFF) + 1);
    }
    return new Size(little(bytes, 26, 2) & 0x3FFF, little(bytes, 28, 2) & 0x3FFF);
  }

  private static @Nullable Size ofJpeg(byte[] bytes) {
    int at = 2;
    while (at + 9 < bytes.length && (bytes[at] & 0xFF) == 0xFF) {
      int marker = bytes[at + 1] & 0xFF;
      boolean frame =
          marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
      if (frame) {
        return new Size(big(bytes, at + 7, 2), big(bytes, at + 5, 2));
      }
      at += 2 + Math.max(2, big(bytes, at + 2, 2));
    }
    return null;
  }

  private static boolean at(byte[] bytes, int from, int... expected) {
    for (int i = 0; i < expected.length; i++) {
      if (from + i >= bytes.length || (bytes[from + i] & 0xFF) != expected[i]) {
        return false;
      }
    }
    return true;
  }

  private static int big(byte[] bytes, int from, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      value = (value << 8) | (bytes[from + i] & 0xFF);
    }
    return value;
  }

  private static int little(byte[] bytes, int from, int count) {
    int value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = (value << 8) | (bytes[from + i] & 0xFF);
    }
    return value;
  }
}
