package io.memorygateway.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.memorygateway.http.Timestamps;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes JSON as bytes, with texts of clients copied in as they are. */
public final class JsonOut {
  private static final JsonStringEncoder ENCODER = JsonStringEncoder.getInstance();

  private byte[] bytes;
  private int length;

  public JsonOut(int expectedLength) {
    bytes = new byte[expectedLength];
  }

  /** Punctuation and names: ASCII, copied as it is. */
  @SuppressWarnings("deprecation") // String.getBytes(int, int, byte[], int) copies ASCII at once
  public JsonOut ascii(String syntax) {
    int size = syntax.length();
    reserve(size);
    syntax.getBytes(0, size, bytes, length);
    length += size;
    return this;
  }

  /** A JSON text, copied as it is. */
  public JsonOut raw(byte[] json) {
    reserve(json.length);
    System.arraycopy(json, 0, bytes, length, json.length);
    length += json.length;
    return this;
  }

  /** A JSON text, copied as it is. */
  public JsonOut raw(String json) {
    return raw(json.getBytes(StandardCharsets.UTF_8));
  }

  /** A JSON text, copied as it is, or {@code null}. */
  public JsonOut rawOrNull(@Nullable String json) {
    return json == null ? ascii("null") : raw(json);
  }

  /** A string literal, or {@code null}. */
  public JsonOut string(@Nullable String value) {
    return value == null ? ascii("null") : ascii("\"").raw(ENCODER.quoteAsUTF8(value)).ascii("\"");
  }

  public JsonOut number(long value) {
    return ascii(Long.toString(value));
  }

  public JsonOut numberOrNull(@Nullable Long value) {
    return value == null ? ascii("null") : number(value);
  }

  public JsonOut bool(boolean value) {
    return ascii(value ? "true" : "false");
  }

  /** A time as the API writes it, or {@code null}. */
  public JsonOut time(@Nullable Instant value) {
    return value == null ? ascii("null") : ascii("\"").ascii(Timestamps.format(value)).ascii("\"");
  }

  /** Bytes written so far. */
  public int length() {
    return length;
  }

  /** Takes back what was written after there were so many bytes. */
  public void truncate(int newLength) {
    length = Math.min(length, newLength);
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
