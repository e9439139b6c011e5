package io.memorygateway.secret;

import java.util.Arrays;

/** A search for a sequence of bytes that skips most of the bytes it searches (Horspool). */
final class BytePattern {
  private final byte[] pattern;

  /** By byte, how far the search may jump if it is the last byte compared. */
  private final int[] jumps = new int[256];

  BytePattern(byte[] pattern) {
    this.pattern = pattern;
    Arrays.fill(jumps, pattern.length);
    for (int i = 0; i < pattern.length - 1; i++) {
      jumps[pattern[i] & 0xFF] = pattern.length - 1 - i;
    }
  }

  int length() {
    return pattern.length;
  }

  /** Index of the first occurrence; -1 without one. An empty pattern is never found. */
  int indexIn(byte[] bytes, int start, int end) {
    int length = pattern.length;
    if (length == 0) {
      return -1;
    }
    byte last = pattern[length - 1];
    int at = start + length - 1;
    while (at < end) {
      byte b = bytes[at];
      if (b == last && Arrays.equals(bytes, at - length + 1, at + 1, pattern, 0, length)) {
        return at - length + 1;
      }
      at += jumps[b & 0xFF];
    }
    return -1;
  }
}
