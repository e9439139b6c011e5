package io.memorygateway.proxy.call;

import io.memorygateway.sse.SseEvent;
import java.io.ByteArrayOutputStream;

/**
 * The beginning of a streamed answer and the length of all of it, by which its tokens are counted
 * if it ends without saying them. Costs a copy of some kilobytes. For one thread.
 */
final class AnswerSample {
  private static final int MAX_BYTES = 32 << 10;

  private final ByteArrayOutputStream begin = new ByteArrayOutputStream(0);
  private boolean full;
  private long length;

  /** Takes the next event, whole or in pieces. */
  void accept(SseEvent event) {
    if (event.startsEvent() && event.array()[event.offset()] == ':') {
      return;
    }
    length += event.length();
    full |= begin.size() + event.length() > MAX_BYTES;
    if (!full) {
      begin.write(event.array(), event.offset(), event.length());
    }
  }

  byte[] begin() {
    return begin.toByteArray();
  }

  long length() {
    return length;
  }
}
