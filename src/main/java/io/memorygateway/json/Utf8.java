package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Checks UTF-8 by RFC 3629; the JSON parser accepts overlong forms and surrogates. */
public final class Utf8 {
  private static final VarHandle EIGHT_BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  public static boolean isValid(byte[] bytes) {
    return isValid(bytes, 0, bytes.length);
  }

  static boolean isValid(byte[] bytes, int start, int end) {
    int at = start;
    while (at < end) {
      if (at + 8 <= end && ((long) EIGHT_BYTES.get(bytes, at) & HIGH_BITS) == 0) {
        at += 8;
      } else {
        int length = sequenceLength(bytes, at, end);
        if (length == 0) {
          return false;
        }
        at += length;
      }
    }
    return true;
  }

  /** Returns the bytes with invalid sequences replaced; the array itself if all are valid. */
  public static byte[] replaced(byte[] bytes) {
    return isValid(bytes) ? bytes : new String(bytes, UTF_8).getBytes(UTF_8);
  }

  /** Returns a copy with a question mark in place of each byte that is of no valid sequence. */
  static byte[] masked(byte[] bytes) {
    byte[] masked = bytes.clone();
    int at = 0;
    while (at < masked.length) {
      int length = sequenceLength(bytes, at, bytes.length);
      if (length == 0) {
        masked[at] = '?';
      }
      at += Math.max(1, length);
    }
    return masked;
  }

  /** Returns the bytes without a leading byte order mark; the array itself if there is none. */
  public static byte[] withoutByteOrderMark(byte[] bytes) {
    return hasByteOrderMark(bytes) ? Arrays.copyOfRange(bytes, 3, bytes.length) : bytes;
  }

  public static boolean hasByteOrderMark(byte[] bytes) {
    return bytes.length >= 3
        && bytes[0] == (byte) 0xEF
        && bytes[1] == (byte) 0xBB
        && bytes[2] == (byte) 0xBF;
  }

  /** The length of the valid sequence that starts here, or 0. */
  private static int sequenceLength(byte[] bytes, int at, int end) {
    int lead = bytes[at] & 0xFF;
    if (lead < 0x80) {
      return 1;
    }
    int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead < 0xC2 || lead > 0xF4 || at + length > end) {
      return 0;
    }
    // The second byte's range excludes overlong forms, surrogates and code points past U+10FFFF.
    int second = bytes[at + 1] & 0xFF;
    int lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    int highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (second < lowest || second > highest) {
      return 0;
    }
    for (int i = 2; i < length; i++) {
      if ((bytes[at + i] & 0xC0) != 0x80) {
        return 0;
      }
    }
    return length;
  }
}
