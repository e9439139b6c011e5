package io.memorygateway.sse;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Finds where lines of a stream end. */
final class Lines {
  private static final VarHandle EIGHT_BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Lines() {}

  /** The first place of a line feed or a carriage return; the end if there is none. */
  static int end(byte[] bytes, int from, int end) {
    int at = from;
    while (at + 8 <= end) {
      long eight = (long) EIGHT_BYTES.get(bytes, at);
      if ((zeros(eight ^ '\n' * ONES) | zeros(eight ^ '\r' * ONES)) != 0) {
        break;
      }
      at += 8;
    }
    while (at < end && bytes[at] != '\n' && bytes[at] != '\r') {
      at++;
    }
    return at;
  }

  /** Not zero if one of eight bytes is. */
  private static long zeros(long eight) {
    return (eight - ONES) & ~eight & HIGH_BITS;
  }
}
