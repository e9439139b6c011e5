package io.memorygateway.sse;

import java.io.IOException;
import java.util.Arrays;

/**
 * Cuts a stream of server-sent events, which arrives in arbitrary chunks, into events, byte for
 * byte: all that is handed out, one after the other, equals the input. An event goes out as soon as
 * the blank line that ends it is complete, be its lines ended by LF, CR or CRLF; a line feed that
 * turns out to belong to the last carriage return follows as a piece of its own. Events that lie
 * whole in a chunk are not copied.
 *
 * <p>An event that is not complete is held back, up to a bound; a larger one is passed on in pieces
 * as it comes. For one stream and one thread at a time.
 */
public final class SseSplitter {

  /** Takes what the splitter hands out. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes the next event, or the next piece of a large one.
     *
     * @param event valid during this call only
     */
    void event(SseEvent event) throws IOException;
  }

  private final int maxHeld;
  private final SseEvent view = new SseEvent();
  private byte[] held = {};
  private int heldLength;

  /** Part of the current event has been handed out already. */
  private boolean inEvent;

  private boolean lineEmpty = true;
  private boolean afterCarriageReturn;

  /**
   * A splitter at the start of a stream.
   *
   * @param maxHeld bytes of an incomplete event that are held back at most
   */
  public SseSplitter(int maxHeld) {
    this.maxHeld = maxHeld;
  }

  /**
   * Takes the next chunk and hands out the events that it completes.
   *
   * @throws IOException only what the sink throws
   */
  public void feed(byte[] chunk, int offset, int length, Sink sink) throws IOException {
    int end = offset + length;
    int start = offset;
    int at = offset;
    while (at < end) {
      byte b = chunk[at++];
      if (b != '\n' && b != '\r') {
        lineEmpty = false;
        afterCarriageReturn = false;
        at = skipText(chunk, at, end);
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
          handOut(chunk, start, at, true, sink);
          start = at;
        }
        lineEmpty = true;
      }
    }
    if (start < end) {
      holdBack(chunk, start, end, sink);
    }
  }

  /**
   * Ends an input that the upstream closed properly: what is still held back, an event without its
   * blank line, is handed out. Whether it is worth passing on is up to the sink. Not called when
   * the upstream died; what is held is then dropped.
   *
   * @throws IOException only what the sink throws
   */
  public void finish(Sink sink) throws IOException {
    if (heldLength > 0) {
      view.set(held, 0, heldLength, true, false);
      heldLength = 0;
      sink.event(view);
    }
  }

  /** Whether the beginning of an event has been handed out and its end has not. */
  public boolean inEvent() {
    return inEvent;
  }

  private static int skipText(byte[] chunk, int from, int end) {
    int at = from;
    while (at < end && chunk[at] != '\n' && chunk[at] != '\r') {
      at++;
    }
    return at;
  }

  /** Hands out what is held and these bytes as one. */
  private void handOut(byte[] chunk, int start, int end, boolean endsEvent, Sink sink)
      throws IOException {
    boolean startsEvent = !inEvent;
    inEvent = !endsEvent;
    if (heldLength == 0) {
      view.set(chunk, start, end, startsEvent, endsEvent);
    } else {
      hold(chunk, start, end);
      view.set(held, 0, heldLength, startsEvent, endsEvent);
      heldLength = 0;
    }
    sink.event(view);
  }

  private void holdBack(byte[] chunk, int start, int end, Sink sink) throws IOException {
    if (inEvent || heldLength + end - start > maxHeld) {
      handOut(chunk, start, end, false, sink);
    } else {
      hold(chunk, start, end);
    }
  }

  private void hold(byte[] chunk, int start, int end) {
    int needed = heldLength + end - start;
    if (needed > held.length) {
      held = Arrays.copyOf(held, Math.max(needed, Math.min(2 * held.length, maxHeld)));
    }
    System.arraycopy(chunk, start, held, heldLength, end - start);
    heldLength = needed;
  }
}
