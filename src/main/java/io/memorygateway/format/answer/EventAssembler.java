package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.ValueCount;
import io.memorygateway.sse.SseEvent;
import java.io.ByteArrayOutputStream;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Base of the assemblers: joins the pieces of large events, and enforces the bound. */
public abstract class EventAssembler implements AnswerAssembler {
  /** Bytes that are held without asking for heap: most answers are not longer. */
  private static final long UNRESERVED_BYTES = 16 << 10;

  /** Bytes of heap that are asked for at a time. */
  private static final long RESERVATION_STEP = 64 << 10;

  /** Bytes of an event whose values are not counted. */
  private static final int UNCOUNTED_EVENT_BYTES = 16 << 10;

  /** Bytes of heap for a value that is held, and for its name, as {@link #heap} counts them. */
  private static final long VALUE_BYTES = 50;

  /** Values of which no heap is counted: most answers have fewer. */
  private static final long UNCOUNTED_VALUES = 64;

  /** Bytes in which the beginning of an object is looked for. */
  private static final int MAX_BLANKS = 64;

  private final int maxBytes;
  private final LongPredicate heap;
  private long reserved = UNRESERVED_BYTES;
  private long collected;
  private long values;
  private boolean overflowed;
  private boolean unreadable;
  private final ByteArrayOutputStream pieces = new ByteArrayOutputStream(0);
  private boolean joining;

  public EventAssembler(int maxBytes, LongPredicate heap) {
    this.heap = heap;
    this.maxBytes = maxBytes;
  }

  protected abstract void read(String type, JsonValue data);

  @Override
  public final void accept(SseEvent event) {
    SseEvent whole = overflowed ? null : whole(event);
    if (whole != null && whole.dataStart() < whole.dataEnd() && canBeParsed(whole)) {
      String name = whole.name();
      JsonValue data = whole.json();
      if (data != null) {
        read(name == null ? data.text("type") : name, data);
      }
      unreadable |= data == null && beginsObject(whole);
    }
  }

  /** Whether what cannot be read is no comment or end marker, which have no content. */
  private static boolean beginsObject(SseEvent event) {
    int length = Math.min(event.dataEnd() - event.dataStart(), MAX_BLANKS);
    return new String(event.dataArray(), event.dataStart(), length, US_ASCII)
        .stripLeading()
        .startsWith("{");
  }

  @Override
  public boolean unreadable() {
    return unreadable;
  }

  @Override
  public final boolean overflowed() {
    return overflowed;
  }

  /** Gives the answer up: it is not one that can be held, or that a model writes. */
  protected final void overflow() {
    overflowed = true;
  }

  /** Whether more can be held of the answer, as {@link Merged.Room} has it. */
  protected final boolean takes(long moreCharacters, long moreValues) {
    collected += moreCharacters;
    values += moreValues;
    overflowed |= collected > maxBytes || values > SseEvent.MAX_VALUES || !reserve(held());
    return !overflowed;
  }

  private long held() {
    return collected + VALUE_BYTES * Math.max(0, values - UNCOUNTED_VALUES);
  }

  private boolean reserve(long bytes) {
    if (bytes <= reserved) {
      return true;
    }
    long more = Math.max(RESERVATION_STEP, bytes - reserved);
    reserved += more;
    return heap.test(more);
  }

  private boolean canBeParsed(SseEvent event) {
    if (event.length() > UNCOUNTED_EVENT_BYTES) {
      byte[] data = event.data();
      overflowed |=
          ValueCount.of(data) > SseEvent.MAX_VALUES
              || !reserve(held() + ValueCount.heapOf(data) / 4);
    }
    return !overflowed;
  }

  private @Nullable SseEvent whole(SseEvent event) {
    if (event.startsEvent() && event.endsEvent()) {
      return event;
    }
    if (event.startsEvent()) {
      pieces.reset();
      joining = true;
    }
    if (!joining) {
      return null;
    }
    long joined = (long) pieces.size() + event.length();
    if (joined > maxBytes || !reserve(held() + joined)) {
      overflowed = true;
      joining = false;
      pieces.reset();
      return null;
    }
    pieces.write(event.array(), event.offset(), event.length());
    if (!event.endsEvent()) {
      return null;
    }
    joining = false;
    byte[] bytes = pieces.toByteArray();
    pieces.reset();
    SseEvent whole = new SseEvent();
    whole.set(bytes, 0, bytes.length, true, true);
    return whole;
  }
}
