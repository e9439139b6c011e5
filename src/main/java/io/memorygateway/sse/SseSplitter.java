package io.memorygateway.sse;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Splits a stream of server-sent events, received in arbitrary chunks, into events, byte for byte:
 * the concatenation of all events equals the input. An event is passed on as soon as the blank line
 * that ends it is complete, whether lines end with LF, CR or CRLF; a line feed that turns out to
 * belong to the last carriage return follows as a separate piece. Events that are whole in a chunk
 * are not copied.
 *
 * <p>An incomplete event is held, up to a bound and as long as there is heap; a larger one is
 * passed on in pieces as it is received. For one stream and one thread at a time.
 */
public final class SseSplitter implements EventSplitter {
  /** Bytes that are held without asking for heap. */
  private static final int UNRESERVED = 64 << 10;

  private final int maxHeld;
  private final LongPredicate heap;
  private final SseEvent view = new SseEvent();
  private byte[] held = {};
  private int heldLength;

  /** Whether part of the current event has been passed on already. */
  private boolean inEvent;

  private boolean lineEmpty = true;
  private boolean afterCarriageReturn;

  /**
   * A splitter at the start of a stream.
   *
   * @param maxHeld bytes of an incomplete event that are held at most
   */
  public SseSplitter(int maxHeld) {
    this(maxHeld, more -> true);
  }

  /**
   * A splitter at the start of a stream.
   *
   * @param maxHeld bytes of an incomplete event that are held at most
   * @param heap whether there is heap for so many bytes more until the stream has ended
   */
  public SseSplitter(int maxHeld, LongPredicate heap) {
    this.maxHeld = maxHeld;
    this.heap = heap;
  }

  @Override
  public void feed(byte[] chunk, int offset, int length, Sink sink) throws IOException {
    int end = offset + length;
    int start = offset;
    int at = offset;
    while (at < end) {
      byte b = chunk[at++];
      if (b != '\n' && b != '\r') {
        lineEmpty = false;
        afterCarriageReturn = false;
        at = Lines.end(chunk, at, end);
      } else if (b == '\n' && afterCarriageReturn) {
        afterCarriageReturn = false;
        if (at - 1 == start && heldLength == 0 && !inEvent) {
          view.set(chunk, start, at, false, true);
          start = at;
          sink.event(view);
        }
      } else {
        afterCarriageReturn = b == '\r';
        if (lineEmpty) {
          if (b == '\r' && at < end && chunk[at] == '\n') {
            at++;
            afterCarriageReturn = false;
          }
          emit(chunk, start, at, true, sink);
          start = at;
        }
        lineEmpty = true;
      }
    }
    if (start < end) {
      holdBack(chunk, start, end, sink);
    }
  }

  @Override
  public void finish(Sink sink) throws IOException {
    if (heldLength > 0) {
      view.set(held, 0, heldLength, true, false);
      heldLength = 0;
      sink.event(view);
    }
  }

  @Override
  public boolean inEvent() {
    return inEvent;
  }

  /** Passes on what is held and these bytes, as one piece if there is heap for it. */
  private void emit(byte[] chunk, int start, int end, boolean endsEvent, Sink sink)
      throws IOException {
    if (heldLength > 0 && hold(chunk, start, end)) {
      pass(held, 0, heldLength, endsEvent, sink);
    } else {
      passInPieces(chunk, start, end, endsEvent, sink);
    }
  }

  private void passInPieces(byte[] chunk, int start, int end, boolean endsEvent, Sink sink)
      throws IOException {
    if (heldLength > 0) {
      pass(held, 0, heldLength, false, sink);
    }
    pass(chunk, start, end, endsEvent, sink);
  }

  private void pass(byte[] bytes, int start, int end, boolean endsEvent, Sink sink)
      throws IOException {
    view.set(bytes, start, end, !inEvent, endsEvent);
    inEvent = !endsEvent;
    heldLength = 0;
    sink.event(view);
  }

  private void holdBack(byte[] chunk, int start, int end, Sink sink) throws IOException {
    if (inEvent || heldLength + end - start > maxHeld) {
      emit(chunk, start, end, false, sink);
    } else if (!hold(chunk, start, end)) {
      passInPieces(chunk, start, end, false, sink);
    }
  }

  /** Holds these bytes, too; false if there is no heap for them. */
  private boolean hold(byte[] chunk, int start, int end) {
    int needed = heldLength + end - start;
    if (needed > held.length) {
      int length = Math.max(needed, Math.min(2 * held.length, maxHeld));
      if (length > UNRESERVED && !heap.test(length - Math.max(held.length, UNRESERVED))) {
        return false;
      }
      held = Arrays.copyOf(held, length);
    }
    System.arraycopy(chunk, start, held, heldLength, end - start);
    heldLength = needed;
    return true;
  }
}
