package io.memorygateway.proxy.upstream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.io.Content;

/**
 * Buffer of a body that arrives in chunks. Bytes are copied twice: out of the chunk, and once when
 * joined.
 */
final class BodyBuffer {
  private static final int PIECE = 64 << 10;
  private static final byte[] NOTHING = {};

  private final List<byte[]> full = new ArrayList<>();
  private byte[] piece = NOTHING;
  private int inPiece;
  private int size;

  /** Adds a chunk, and releases it. */
  void take(Content.Chunk chunk) {
    ByteBuffer buffer = chunk.getByteBuffer();
    size += buffer.remaining();
    while (buffer.hasRemaining()) {
      if (inPiece == piece.length) {
        next(buffer.remaining());
      }
      int length = Math.min(buffer.remaining(), piece.length - inPiece);
      buffer.get(piece, inPiece, length);
      inPiece += length;
    }
    chunk.release();
  }

  /**
   * Starts the next array; the first is as large as its chunk, since small answers arrive in one.
   */
  private void next(int wanted) {
    if (piece.length > 0) {
      full.add(piece);
      piece = new byte[PIECE];
    } else {
      piece = new byte[wanted];
    }
    inPiece = 0;
  }

  int size() {
    return size;
  }

  /** Returns a copy of the first bytes, at most so many. */
  byte[] start(int most) {
    byte[] start = new byte[Math.min(most, size)];
    int at = 0;
    for (byte[] each : full) {
      int length = Math.min(each.length, start.length - at);
      System.arraycopy(each, 0, start, at, length);
      at += length;
    }
    System.arraycopy(piece, 0, start, at, start.length - at);
    return start;
  }

  /** Returns the whole body; to be called once, at the end. */
  byte[] bytes() {
    if (full.isEmpty() && inPiece == piece.length) {
      return piece;
    }
    byte[] bytes = new byte[size];
    int at = 0;
    for (byte[] each : full) {
      System.arraycopy(each, 0, bytes, at, each.length);
      at += each.length;
    }
    System.arraycopy(piece, 0, bytes, at, inPiece);
    full.clear();
    return bytes;
  }
}
