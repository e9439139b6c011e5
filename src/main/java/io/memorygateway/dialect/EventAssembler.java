package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.Utf8;
import io.memorygateway.sse.SseEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Joins the pieces of large events, parses the data, and keeps the bound. */
abstract class EventAssembler implements AnswerAssembler {
  private final int maxBytes;
  private long collected;
  private boolean overflowed;
  private final ByteArrayOutputStream pieces = new ByteArrayOutputStream(0);
  private boolean joining;

  EventAssembler(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Takes the data of one event. */
  abstract void read(String type, JsonValue data);

  @Override
  public final void accept(SseEvent event) {
    SseEvent whole = overflowed ? null : whole(event);
    if (whole != null) {
      try {
        String name = whole.name();
        JsonValue data = parse(whole.data());
        read(name == null ? data.text("type") : name, data);
      } catch (IOException e) {
        // A comment, an end marker, or nonsense: nothing is said in it.
      }
    }
  }

  /** Parses data; invalid UTF-8 is replaced, as clients do that go on. */
  private static JsonValue parse(byte[] data) throws IOException {
    return JsonValue.parse(Utf8.isValid(data) ? data : new String(data, UTF_8).getBytes(UTF_8));
  }

  @Override
  public final boolean overflowed() {
    return overflowed;
  }

  /** Adds to what is held, while it fits. */
  final void append(StringBuilder to, String text) {
    if (fits(text)) {
      to.append(text);
    }
  }

  final boolean fits(String text) {
    collected += text.length();
    overflowed |= collected > maxBytes;
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
    if ((long) pieces.size() + event.length() > maxBytes) {
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
    byte[] joined = pieces.toByteArray();
    pieces.reset();
    SseEvent whole = new SseEvent();
    whole.set(joined, 0, joined.length, true, true);
    return whole;
  }
}
