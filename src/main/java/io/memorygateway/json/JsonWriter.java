package io.memorygateway.json;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A writer of JSON as bytes, into which raw texts are copied unchanged. */
public final class JsonWriter {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes;
  private int length;

  public JsonWriter(int expectedLength) {
    bytes = new byte[expectedLength];
  }

  /** Returns a string literal with these characters. */
  public static String quote(String text) {
    return new JsonWriter(text.length() + 16).string(text).toString();
  }

  /** JSON in one line, as the data of an event are: what a provider sent may have several. */
  public static String inOneLine(String json) {
    return json.replace('\n', ' ').replace('\r', ' ');
  }

  /** Appends punctuation and names: ASCII, unchanged. */
  public JsonWriter ascii(String syntax) {
    return ascii(syntax, 0, syntax.length());
  }

  @SuppressWarnings("deprecation") // String.getBytes(int, int, byte[], int) copies ASCII at once
  private JsonWriter ascii(String text, int from, int to) {
    reserve(to - from);
    text.getBytes(from, to, bytes, length);
    length += to - from;
    return this;
  }

  /** Appends a JSON text, unchanged. */
  public JsonWriter raw(byte[] json) {
    return raw(json, 0, json.length);
  }

  /** Appends a range of bytes, unchanged. */
  public JsonWriter raw(byte[] from, int offset, int size) {
    reserve(size);
    System.arraycopy(from, offset, bytes, length, size);
    length += size;
    return this;
  }

  public JsonWriter raw(JsonValue value) {
    reserve(value.length());
    value.copyTo(bytes, length);
    length += value.length();
    return this;
  }

  /** Appends all that another writer has written. */
  public JsonWriter raw(JsonWriter other) {
    reserve(other.length);
    System.arraycopy(other.bytes, 0, bytes, length, other.length);
    length += other.length;
    return this;
  }

  /** Appends the comma before an element of an array, unless the element is the first one. */
  public JsonWriter element() {
    return length == 0 || bytes[length - 1] == '[' ? this : ascii(",");
  }

  /** Appends a JSON text, unchanged. */
  public JsonWriter raw(String json) {
    return raw(json.getBytes(StandardCharsets.UTF_8));
  }

  /** Appends a JSON text, unchanged, or {@code null}. */
  public JsonWriter rawOrNull(@Nullable String json) {
    return json == null ? ascii("null") : raw(json);
  }

  /**
   * Appends a string literal, or {@code null}. Half a surrogate pair, which UTF-8 cannot hold, is
   * escaped.
   */
  public JsonWriter string(@Nullable String value) {
    if (value == null) {
      return ascii("null");
    }
    ascii("\"");
    int from = 0;
    for (int i = 0; i < value.length(); i++) {
      if (!isPlain(value.charAt(i))) {
        if (from == 0) {
          reserve(i + sizeFrom(value, i));
        }
        ascii(value, from, i);
        write(value, i, sizeAt(value, i));
        from = i + 1;
      }
    }
    return ascii(value, from, value.length()).ascii("\"");
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
  }

  private static int sizeFrom(String value, int from) {
    int size = 0;
    for (int i = from; i < value.length(); i++) {
      size += isPlain(value.charAt(i)) ? 1 : sizeAt(value, i);
    }
    return size;
  }

  /** Bytes of one char within a string literal; each half of a surrogate pair has two of four. */
  private static int sizeAt(String value, int i) {
    char c = value.charAt(i);
    if (c < 0x80) {
      return isPlain(c) ? 1 : c < ' ' && shortEscape(c) == 0 ? 6 : 2;
    }
    if (!Character.isSurrogate(c)) {
      return c < 0x800 ? 2 : 3;
    }
    int other = Character.isHighSurrogate(c) ? i + 1 : i - 1;
    boolean paired =
        other >= 0
            && other < value.length()
            && Character.isSurrogatePair(
                value.charAt(Math.min(i, other)), value.charAt(Math.max(i, other)));
    return paired ? 2 : 6;
  }

  private void write(String value, int i, int size) {
    char c = value.charAt(i);
    if (size == 6) {
      ascii("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        put(HEX[(c >> shift) & 0xF]);
      }
    } else if (c < 0x80) {
      put('\\');
      put(c < ' ' ? shortEscape(c) : c);
    } else if (Character.isHighSurrogate(c)) {
      int point = Character.toCodePoint(c, value.charAt(i + 1));
      put(0xF0 | (point >> 18));
      put(0x80 | ((point >> 12) & 0x3F));
    } else if (Character.isLowSurrogate(c)) {
      int point = Character.toCodePoint(value.charAt(i - 1), c);
      put(0x80 | ((point >> 6) & 0x3F));
      put(0x80 | (point & 0x3F));
    } else if (size == 2) {
      put(0xC0 | (c >> 6));
      put(0x80 | (c & 0x3F));
    } else {
      put(0xE0 | (c >> 12));
      put(0x80 | ((c >> 6) & 0x3F));
      put(0x80 | (c & 0x3F));
    }
  }

  private void put(int b) {
    bytes[length++] = (byte) b;
  }

  /** The letter that stands for a control character behind a backslash; 0 if there is none. */
  private static char shortEscape(char control) {
    return switch (control) {
      case '\n' -> 'n';
      case '\t' -> 't';
      case '\r' -> 'r';
      case '\b' -> 'b';
      case '\f' -> 'f';
      default -> 0;
    };
  }

  public JsonWriter number(long value) {
    return ascii(Long.toString(value));
  }

  public JsonWriter numberOrNull(@Nullable Long value) {
    return value == null ? ascii("null") : number(value);
  }

  public JsonWriter bool(boolean value) {
    return ascii(value ? "true" : "false");
  }

  /** Appends a time in the format of the API, or {@code null}. */
  public JsonWriter time(@Nullable Instant value) {
    return value == null ? ascii("null") : ascii("\"").ascii(Timestamps.format(value)).ascii("\"");
  }

  /** Bytes written so far. */
  public int length() {
    return length;
  }

  /** Removes everything after the first {@code newLength} bytes. */
  public void truncate(int newLength) {
    length = Math.min(length, newLength);
  }

  /** The bytes written so far, and unused ones behind them; not to be retained. */
  public byte[] buffer() {
    return bytes;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }
}
