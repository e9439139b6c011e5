package io.memorygateway.json;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A replacement of the bytes from {@code start} to {@code end} (exclusive). */
public record Edit(int start, int end, String replacement) {

  public static Edit insert(int at, String text) {
    return new Edit(at, at, text);
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
    byte[][] replacements = new byte[edits.size()][];
    int length = bytes.length;
    for (int i = 0; i < replacements.length; i++) {
      Edit edit = edits.get(i);
      replacements[i] = edit.replacement.getBytes(StandardCharsets.UTF_8);
      length += replacements[i].length - (edit.end - edit.start);
    }
    byte[] result = new byte[length];
    int from = 0;
    int to = 0;
    for (int i = 0; i < replacements.length; i++) {
      Edit edit = edits.get(i);
      int unchanged = edit.start - from;
      System.arraycopy(bytes, from, result, to, unchanged);
      System.arraycopy(replacements[i], 0, result, to + unchanged, replacements[i].length);
      to += unchanged + replacements[i].length;
      from = edit.end;
    }
    System.arraycopy(bytes, from, result, to, bytes.length - from);
    return result;
  }
}
