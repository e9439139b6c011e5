package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers that JSON does not have, although Python and servers made with it write and read them.
 */
public final class NonFinite {
  private static final List<byte[]> NAMES =
      List.of(
          "NaN".getBytes(US_ASCII), "Infinity".getBytes(US_ASCII), "-Infinity".getBytes(US_ASCII));

  private static final byte[] NULL = "null".getBytes(US_ASCII);

  private NonFinite() {}

  /** Reads a text that may have them, each as null, and invalid UTF-8, which is replaced. */
  public static JsonValue parse(byte[] json, ParseOptions options) throws MalformedJsonException {
    try {
      return JsonValue.parse(json, options);
    } catch (MalformedJsonException e) {
      byte[] finite = readable(json);
      if (finite == json) {
        throw e;
      }
      return JsonValue.parse(finite, options);
    }
  }

  /** Valid UTF-8 with null in place of NaN and Infinity; the same array if nothing is replaced. */
  public static byte[] readable(byte[] json) {
    return asNull(Utf8.replaced(json));
  }

  /** The text with null in place of each of them; the same array if it has none. */
  public static byte[] asNull(byte[] json) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + NULL.length);
    int copied = 0;
    for (int at = 0; at < json.length; at++) {
      if (json[at] == '"') {
        at = ValueCount.stringEnd(json, at);
      } else {
        int end = at + lengthAt(json, at);
        if (end > at) {
          out.write(json, copied, at - copied);
          out.write(NULL, 0, NULL.length);
          copied = end;
          at = end - 1;
        }
      }
    }
    if (copied == 0) {
      return json;
    }
    out.write(json, copied, json.length - copied);
    return out.toByteArray();
  }

  /**
   * A text of the same length that is read in place of one that is not JSON: what stands elsewhere
   * in it stands where it stood.
   */
  public static byte[] inPlace(byte[] json) {
    byte[] text = Utf8.masked(json);
    for (int at = 0; at < text.length; at++) {
      if (text[at] == '"') {
        at = ValueCount.stringEnd(text, at);
      } else {
        int length = lengthAt(text, at);
        if (length > 0) {
          Arrays.fill(text, at, at + length, (byte) ' ');
          text[at] = '0';
        }
      }
    }
    return text;
  }

  private static int lengthAt(byte[] json, int at) {
    for (byte[] name : NAMES) {
      int end = Math.min(at + name.length, json.length);
      if (json[at] == name[0] && Arrays.equals(json, at, end, name, 0, name.length)) {
        return name.length;
      }
    }
    return 0;
  }
}
