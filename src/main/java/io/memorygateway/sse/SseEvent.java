package io.memorygateway.sse;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A view of one event of a stream, or of a piece of one: its raw bytes to pass on, and its name and
 * data, which are parsed on demand, once for all readers. Valid only during the call that passes
 * it; the splitter reuses it for the next event.
 */
public final class SseEvent {
  private static final byte[] EVENT = {'e', 'v', 'e', 'n', 't'};
  private static final byte[] DATA = {'d', 'a', 't', 'a'};

  /** Longest end of Chat, with blanks around it. */
  private static final int MAX_DONE = 16;

  private static final ParseOptions CHECK = ParseOptions.LENIENT.withLevels(0);

  /** JSON values of an event; parsing more would take a hundred times its length. */
  public static final int MAX_VALUES = 500_000;

  private static final ParseOptions WHOLE = ParseOptions.LENIENT.withMaxValues(MAX_VALUES);

  private byte[] bytes = {};
  private int offset;
  private int end;
  private boolean starts;
  private boolean ends;

  private boolean located;
  private @Nullable String name;
  private byte[] data = bytes;
  private int dataStart;
  private int dataEnd;
  private boolean parsed;
  private @Nullable JsonValue json;

  /** An event without any bytes, to be {@link #set}. */
  public SseEvent() {}

  public void set(
      byte[] newBytes, int newOffset, int newEnd, boolean startsEvent, boolean endsEvent) {
    bytes = newBytes;
    offset = newOffset;
    end = newEnd;
    starts = startsEvent;
    ends = endsEvent;
    located = false;
    release();
  }

  /**
   * Lets go of what was parsed, which may take many times its bytes: before anything is awaited.
   */
  public void release() {
    parsed = false;
    json = null;
  }

  /** The array that contains the raw bytes; not to be modified or retained. */
  public byte[] array() {
    return bytes;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return end - offset;
  }

  /** Whether these bytes are the first of their event; false for a later piece of a large one. */
  public boolean startsEvent() {
    return starts;
  }

  /** Whether these bytes are the last of their event, up to the blank line that ends it. */
  public boolean endsEvent() {
    return ends;
  }

  /**
   * The value of the last {@code event} line; null without one, and for {@code message}, which is
   * what browsers call an event without a name.
   */
  public @Nullable String name() {
    locate();
    return name;
  }

  /** A copy of the data: the {@code data} lines, joined by line feeds; empty without any. */
  public byte[] data() {
    locate();
    return Arrays.copyOfRange(data, dataStart, dataEnd);
  }

  /** Whether the data are {@code [DONE]}, which ends streams of Chat. */
  public boolean isDone() {
    locate();
    int length = dataEnd - dataStart;
    return length <= MAX_DONE
        && new String(data, dataStart, length, StandardCharsets.ISO_8859_1)
            .strip()
            .equals("[DONE]");
  }

  /** Whether the data are one whole JSON text, or {@code [DONE]}. */
  public boolean hasWholeData() {
    try {
      // A number may continue in bytes that were not received.
      return isDone() || !NonFinite.parse(data(), CHECK).is(JsonValue.Kind.NUMBER);
    } catch (MalformedJsonException e) {
      return false;
    }
  }

  /**
   * The data as tolerant clients read them: invalid UTF-8 is replaced, and Python's numbers are
   * null. Parsed for the first who asks, and kept for the others.
   *
   * @return null without data, and of such as are no JSON, or have too many values
   */
  public @Nullable JsonValue json() {
    if (!parsed) {
      parsed = true;
      json = dataStart() == dataEnd() || isDone() ? null : parse();
    }
    return json;
  }

  private @Nullable JsonValue parse() {
    try {
      return NonFinite.parse(Utf8.replaced(data()), WHOLE);
    } catch (MalformedJsonException e) {
      return null;
    }
  }

  /**
   * Reads the data as {@link Json#readObject} does, which holds nothing: of pieces, and where
   * little of few events is needed.
   */
  public boolean readData(Json.ValueReader reader) {
    locate();
    return Json.readObject(data, dataStart, dataEnd - dataStart, reader);
  }

  /** The array that contains the data, from {@link #dataStart()} to {@link #dataEnd()}. */
  public byte[] dataArray() {
    locate();
    return data;
  }

  public int dataStart() {
    locate();
    return dataStart;
  }

  public int dataEnd() {
    locate();
    return dataEnd;
  }

  private void locate() {
    if (located) {
      return;
    }
    located = true;
    name = null;
    data = bytes;
    dataStart = 0;
    dataEnd = 0;
    if (starts) {
      int line = offset + (startsWithByteOrderMark() ? 3 : 0);
      boolean dataSeen = false;
      while (line < end) {
        int lineEnd = Lines.end(bytes, line, end);
        int value = valueStart(line, lineEnd, DATA);
        if (value >= 0) {
          addData(value, lineEnd, dataSeen);
          dataSeen = true;
        } else {
          value = valueStart(line, lineEnd, EVENT);
          if (value >= 0) {
            String named = new String(bytes, value, lineEnd - value, StandardCharsets.UTF_8);
            name = named.isEmpty() || named.equals("message") ? null : named;
          }
        }
        // A CRLF counts as a line end and an empty line; empty lines have no meaning here.
        line = lineEnd + 1;
      }
    }
  }

  private boolean startsWithByteOrderMark() {
    return end - offset >= 3
        && bytes[offset] == (byte) 0xEF
        && bytes[offset + 1] == (byte) 0xBB
        && bytes[offset + 2] == (byte) 0xBF;
  }

  /** Start of the field's value in this line; -1 if the line is of another field. */
  private int valueStart(int line, int lineEnd, byte[] field) {
    int colon = line + field.length;
    if (colon > lineEnd || !Arrays.equals(bytes, line, colon, field, 0, field.length)) {
      return -1;
    }
    if (colon == lineEnd) {
      return lineEnd;
    }
    if (bytes[colon] != ':') {
      return -1;
    }
    return colon + 1 < lineEnd && bytes[colon + 1] == ' ' ? colon + 2 : colon + 1;
  }

  private void addData(int value, int valueEnd, boolean dataSeen) {
    if (!dataSeen) {
      dataStart = value;
      dataEnd = valueEnd;
      return;
    }
    if (data == bytes) {
      int before = dataEnd - dataStart;
      data = new byte[end - offset];
      System.arraycopy(bytes, dataStart, data, 0, before);
      dataStart = 0;
      dataEnd = before;
    }
    data[dataEnd++] = '\n';
    System.arraycopy(bytes, value, data, dataEnd, valueEnd - value);
    dataEnd += valueEnd - value;
  }
}
