package io.memorygateway.dialect;

import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Masks a secret in the events of a stream. Of an event in pieces, the end of each piece is held
 * until the next one, because the secret may span both.
 */
public final class SecretFilter implements SseSplitter.Sink {
  private final SecretBytes secret;
  private final SseSplitter.Sink next;
  private final SseEvent view = new SseEvent();
  private byte[] held = {};

  /** Whether no piece of the current event has been passed on yet. */
  private boolean unstarted;

  /**
   * A filter of one stream.
   *
   * @param next receives the events
   */
  public SecretFilter(SecretBytes secret, SseSplitter.Sink next) {
    this.secret = secret;
    this.next = next;
  }

  @Override
  public void event(SseEvent event) throws IOException {
    boolean inOnePiece = event.startsEvent() && event.endsEvent();
    if (inOnePiece || secret == SecretBytes.NONE) {
      next.event(whole(event));
      return;
    }
    if (event.startsEvent()) {
      held = new byte[0];
      unstarted = true;
    }
    byte[] all = Arrays.copyOf(held, held.length + event.length());
    System.arraycopy(event.array(), event.offset(), all, held.length, event.length());
    byte[] masked = secret.mask(all);
    int ready =
        event.endsEvent() ? masked.length : Math.max(0, masked.length - secret.maxEscapeLength());
    held = Arrays.copyOfRange(masked, ready, masked.length);
    if (ready > 0) {
      view.set(masked, 0, ready, unstarted, event.endsEvent());
      unstarted = false;
      next.event(view);
    }
  }

  /** Masks an event that was received whole; the same event if it does not contain the secret. */
  public SseEvent whole(SseEvent event) {
    byte @Nullable [] masked =
        secret.mask(event.array(), event.offset(), event.offset() + event.length());
    if (masked == null) {
      return event;
    }
    view.set(masked, 0, masked.length, event.startsEvent(), event.endsEvent());
    return view;
  }
}
