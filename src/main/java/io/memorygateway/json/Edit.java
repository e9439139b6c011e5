package io.memorygateway.json;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A replacement of the bytes from {@code start} to {@code end} (exclusive). */
public final class Edit {
  private final int start;
  private final int end;
  private final byte[] replacement;
  private final int length;

  public Edit(int start, int end, String replacement) {
    this.start = start;
    this.end = end;
    this.replacement = replacement.getBytes(StandardCharsets.UTF_8);
    this.length = this.replacement.length;
  }

  /**
   * An edit whose replacement is all that has been written.
   *
   * @param replacement not to be written to any more
   */
  public Edit(int start, int end, JsonWriter replacement) {
    this.start = start;
    this.end = end;
    this.replacement = replacement.buffer();
    this.length = replacement.length();
  }

  public static Edit insert(int at, String text) {
    return new Edit(at, at, text);
  }

  public int start() {
    return start;
  }

  public int end() {
    return end;
  }

  /**
   * Applies all edits in one copy.
   *
   * @param edits in order of their offsets, without overlap
   * @return the array itself when there is nothing to do
   */
  public static byte[] apply(byte[] bytes, List<Edit> edits) {
    if (edits.isEmpty()) {
      return bytes;
    }
    int length = bytes.length;
    for (Edit edit : edits) {
      length += edit.length - (edit.end - edit.start);
    }
    byte[] result = new byte[length];
    int from = 0;
    int to = 0;
    for (Edit edit : edits) {
      int unchanged = edit.start - from;
      System.arraycopy(bytes, from, result, to, unchanged);
      System.arraycopy(edit.replacement, 0, result, to + unchanged, edit.length);
      to += unchanged + edit.length;
      from = edit.end;
    }
    System.arraycopy(bytes, from, result, to, bytes.length - from);
    return result;
  }
}
