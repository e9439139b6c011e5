package io.memorygateway.secret;

import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Masks a secret in the events of a stream. Of an event in pieces, the end of each piece is held
 * until the next one, because the secret may span both. If a secret is split over several deltas,
 * at most half of it gets out, and no more than {@value #MOST_SPREAD} bytes: events are never
 * delayed, so a delta that ends with more is masked at once, and so is its continuation. Events of
 * other texts (choices, calls of tools) and events without text may stand between.
 */
public final class SecretFilter implements EventSplitter.Sink {
  /** Most texts of a stream that are told apart; OpenAI allows 128 choices. */
  private static final int MAX_TEXTS = 256;

  /**
   * A little more than the beginnings that keys of a provider share, which may stand in any text.
   */
  static final int MOST_SPREAD = 16;

  private final SecretBytes secret;
  private final EventSplitter.Sink next;
  private final SseEvent view = new SseEvent();
  private byte[] held = {};

  /**
   * By the text that an event continues: with how many bytes of the secret a string of its last
   * event ended.
   */
  private final Map<Integer, BitSet> begun = new LinkedHashMap<>();

  /** The numbers of all texts together. */
  private final BitSet begunBefore = new BitSet();

  /** The same for the current event. */
  private final BitSet begunHere = new BitSet();

  /** The current event up to {@link #copied}, with what is masked of it. */
  private final ByteArrayOutputStream parts = new ByteArrayOutputStream(0);

  private int copied;

  /** Whether no piece of the current event has been passed on yet. */
  private boolean unstarted;

  /**
   * A filter of one stream.
   *
   * @param next receives the events
   */
  public SecretFilter(SecretBytes secret, EventSplitter.Sink next) {
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
    if (secret == SecretBytes.NONE) {
      return event;
    }
    byte @Nullable [] masked =
        secret.mask(event.array(), event.offset(), event.offset() + event.length());
    SseEvent known = replaced(event, masked);
    return replaced(
        known, maskSpread(known.array(), known.offset(), known.offset() + known.length()));
  }

  /** The event with other bytes, unless they are null. */
  private SseEvent replaced(SseEvent event, byte @Nullable [] bytes) {
    if (bytes == null) {
      return event;
    }
    view.set(bytes, 0, bytes.length, event.startsEvent(), event.endsEvent());
    return view;
  }

  /**
   * Masks the parts of a secret that the strings of an event end with, or with which they continue
   * one of the event before. Events without strings (comments) are passed over.
   *
   * @return null if nothing was masked
   */
  private byte @Nullable [] maskSpread(byte[] bytes, int start, int end) {
    parts.reset();
    copied = start;
    begunHere.clear();
    begunBefore.clear();
    begun.values().forEach(begunBefore::or);
    for (int at = start; at < end; at++) {
      if (bytes[at] != '"') {
        continue;
      }
      at = mask(bytes, at + 1, continuationEnd(bytes, at + 1, end));
      at = skipOthers(bytes, at, end);
      while (at < end && bytes[at] != '"') {
        int to = maskedEnd(bytes, at, end, 0);
        if (to > at) {
          at = mask(bytes, at, to);
        } else {
          at += bytes[at] == '\\' ? 2 : 1;
        }
        at = skipOthers(bytes, at, end);
      }
    }
    if (!begun.isEmpty() || !begunHere.isEmpty()) {
      remember(TextPlace.of(bytes, start, end));
    }
    if (copied == start) {
      return null;
    }
    parts.write(bytes, copied, end - copied);
    return parts.toByteArray();
  }

  /** Notes what the strings of an event ended with; an event without text only adds to it. */
  private void remember(TextPlace place) {
    BitSet known = begun.get(place.id());
    if (known != null) {
      if (place.isText()) {
        known.clear();
      }
      known.or(begunHere);
      if (known.isEmpty()) {
        begun.remove(place.id());
      }
    } else if (!begunHere.isEmpty()) {
      begun.put(place.id(), BitSet.valueOf(begunHere.toLongArray()));
      if (begun.size() > MAX_TEXTS) {
        begun.remove(begun.keySet().iterator().next());
      }
    }
  }

  /** Skips bytes that neither end a string nor can begin the secret. */
  private int skipOthers(byte[] bytes, int start, int end) {
    int at = start;
    while (at < end && bytes[at] != '"' && !secret.mayBeginWith(bytes[at])) {
      at++;
    }
    return at;
  }

  /** Masks a part of the bytes, if it is not empty; returns its end. */
  private int mask(byte[] bytes, int from, int to) {
    if (to > from) {
      parts.write(bytes, copied, from - copied);
      parts.writeBytes(SecretBytes.MASK);
      copied = to;
    }
    return to;
  }

  /** End of what is to be masked at the beginning of a string; its start if nothing is. */
  private int continuationEnd(byte[] bytes, int start, int end) {
    int most = begunBefore.length() - 1;
    for (int count = most; count > 0; count = begunBefore.previousSetBit(count - 1)) {
      int to = maskedEnd(bytes, start, end, count);
      if (to > start) {
        return to;
      }
    }
    return start;
  }

  /**
   * End of a part of the secret that is to be masked, because it completes it, or ends its string
   * with most of it; the start if there is none. Notes a part that ends its string, unless that is
   * the name of a member.
   *
   * @param count bytes of the secret that were sent before it
   */
  private int maskedEnd(byte[] bytes, int start, int end, int count) {
    int at = start;
    for (int index = count; index < secret.length(); index++) {
      if (at < end && bytes[at] == '"') {
        if (index > count && !TextPlace.isName(bytes, at, end)) {
          begunHere.set(index);
        }
        return index > Math.min(secret.length() / 2, MOST_SPREAD) ? at : start;
      }
      int length = secret.encodedLength(bytes, at, end, index);
      if (length == 0) {
        return start;
      }
      at += length;
    }
    return at;
  }
}
