package io.memorygateway.proxy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;

/** The bytes of a body that comes in chunks. */
final class GatheredBody {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);

  /** Adds a chunk, and releases it. */
  void take(Content.Chunk chunk) {
    ByteBuffer buffer = chunk.getByteBuffer();
    if (buffer.hasArray()) {
      bytes.write(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    } else {
      byte[] copy = new byte[buffer.remaining()];
      buffer.get(copy);
      bytes.writeBytes(copy);
    }
    chunk.release();
  }

  int size() {
    return bytes.size();
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }
}
