package io.memorygateway.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A JSON text that comes in pieces: tells the strings in it, a long one in parts, and holds some
 * kilobytes however long it is. What is no JSON has strings, too. For one thread.
 */
public final class JsonPieces {
  /** Longest part of a string, and longest name. */
  private static final int MAX_PART = 4 << 10;

  /** Longest string that is kept of a head, and longest number. */
  private static final int MAX_KEPT = 128;

  private static final int MAX_DIGITS = 15;

  /** Levels of objects of a head: of an event, its response, the usage and what that has. */
  private static final int LEVELS = 4;

  /** Most values and objects of a head. */
  private static final int MAX_MEMBERS = 256;

  /** Arrays and objects that are open; no reader takes as many. */
  private static final int MAX_OPEN = 4 << 10;

  private final BiConsumer<String, String> strings;
  private final ByteArrayOutputStream part = new ByteArrayOutputStream();

  /** What closes the arrays and objects that are open, the innermost last. */
  private final StringBuilder open = new StringBuilder();

  /** An object: its short values, as JSON, and the objects among its members. */
  private static final class Kept {
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, Kept> objects = new LinkedHashMap<>();

    JsonObject json() {
      JsonObject all = new JsonObject();
      values.forEach(all::raw);
      objects.forEach(
          (name, object) -> {
            String json = object.json().toString();
            all.raw(name, json.equals("{}") ? null : json);
          });
      return all;
    }
  }

  private final Kept head = new Kept();

  /** The objects that are open, from the outermost one on; null for an array and all in it. */
  private final @Nullable Kept[] path = new Kept[LEVELS];

  private int members;

  private final StringBuilder number = new StringBuilder();
  private String member = "";
  private boolean inString;

  /** Whether some of the string has been told. */
  private boolean isTold;

  private boolean isName;

  /** Hexadecimal digits of an escape that are to come; -1 after a backslash. */
  private int escape;

  /** Bytes of a character that are to come. */
  private int due;

  /** The last byte outside of strings that is no white space. */
  private byte last;

  /** Index in the bytes that were fed last up to which they may be part of a whole text. */
  private int cut;

  /** What makes them one there. */
  private String closing = "";

  /**
   * A text of which nothing has come.
   *
   * @param strings gets the name of the member that has a string, or has the array with it, and the
   *     string or the next part of it
   */
  public JsonPieces(BiConsumer<String, String> strings) {
    this.strings = strings;
  }

  public void feed(byte[] bytes, int offset, int length) {
    int end = offset + length;
    cut = end;
    closing = "";
    for (int at = offset; at < end; at++) {
      byte b = bytes[at];
      if (inString && !isName && cut == end) {
        cut = at;
        closing = closing();
      }
      if (!inString) {
        structure(b);
      } else if (b == '"' && escape == 0) {
        close();
      } else {
        int plain = escape == 0 ? plainEnd(bytes, at, end) : at;
        if (plain > at + 1) {
          part.write(bytes, at, plain - 1 - at);
          at = plain - 1;
          b = bytes[at];
        }
        escape = escape == 0 ? (b == '\\' ? -1 : 0) : escape > 0 ? escape - 1 : b == 'u' ? 4 : 0;
        int ones = Integer.numberOfLeadingZeros(~(b << 24));
        due = Math.max(0, ones == 1 ? due - 1 : ones - 1);
        part.write(b);
        // Of what is no UTF-8, characters may never end.
        if (part.size() >= MAX_PART && escape == 0 && (due == 0 || part.size() > MAX_PART + 8)) {
          due = 0;
          String unused = tell();
        }
      }
    }
  }

  /** The end of the bytes from here on that stand for themselves, and of which a part has room. */
  private int plainEnd(byte[] bytes, int from, int end) {
    int last = Math.min(end, from + MAX_PART - part.size());
    int at = from;
    while (at < last && bytes[at] > 0 && bytes[at] != '"' && bytes[at] != '\\') {
      at++;
    }
    return at;
  }

  /** Tells what has come of a string that goes on, if its member is one of these. */
  public void flush(Set<String> members) {
    if (inString && !isName && escape == 0 && due == 0 && members.contains(member)) {
      String unused = tell();
    }
  }

  private void structure(byte b) {
    int innermost = open.length() - 1;
    if (b >= '0'
        && b <= '9'
        && number.length() < MAX_DIGITS
        && (!number.isEmpty() || last == ':')) {
      number.append((char) b);
    } else if (!number.isEmpty()) {
      if (b == ',' || b == '}' || b <= ' ') {
        keep(number.toString());
      }
      number.setLength(0);
    }
    switch (b) {
      case '"' -> {
        inString = true;
        isTold = false;
        isName = (last == '{' || last == ',') && innermost >= 0 && open.charAt(innermost) == '}';
      }
      case '{', '[' -> {
        if (innermost + 1 < LEVELS) {
          path[innermost + 1] = b == '[' ? null : innermost < 0 ? head : object(path[innermost]);
        }
        if (innermost < MAX_OPEN) {
          open.append(b == '{' ? '}' : ']');
        }
      }
      case '}', ']' -> open.setLength(Math.max(0, innermost));
      default -> {}
    }
    last = b > ' ' ? b : last;
  }

  private void close() {
    inString = false;
    due = 0;
    if (isName) {
      member = taken();
    } else {
      boolean isShort = !isTold && part.size() <= MAX_KEPT;
      String text = tell();
      if (isShort) {
        keep(JsonWriter.quote(text));
      }
    }
  }

  private @Nullable Kept object(@Nullable Kept holder) {
    return holder == null || members++ >= MAX_MEMBERS
        ? null
        : holder.objects.computeIfAbsent(member, name -> new Kept());
  }

  private void keep(String json) {
    int innermost = open.length() - 1;
    Kept object = innermost < 0 || innermost >= LEVELS ? null : path[innermost];
    if (object != null && members++ < MAX_MEMBERS) {
      object.values.putIfAbsent(member, json);
    }
  }

  /**
   * An object of what has come of the members of the text, and of the objects among them: short
   * strings and whole numbers.
   */
  public JsonValue head() {
    return JsonValue.of(head.json().toString());
  }

  private String tell() {
    String text = taken();
    isTold = true;
    if (!isName && !text.isEmpty()) {
      strings.accept(member, text);
    }
    return text;
  }

  private String taken() {
    String quoted = "\"" + part.toString(StandardCharsets.UTF_8) + "\"";
    part.reset();
    return JsonValue.of(quoted).text();
  }

  /** What closes a text that breaks off within a string. */
  private String closing() {
    String character = "\u00bf".repeat(due);
    if (due > 0) {
      byte[] begin = part.toByteArray();
      byte lead = begin[begin.length - 1];
      // Of what these begin, only the lower half are characters.
      boolean isLow = lead == (byte) 0xED || lead == (byte) 0xF4;
      character = isLow ? "\u0080" + character.substring(1) : character;
    }
    String escaped = escape < 0 ? "n" : "0".repeat(escape);
    return character + escaped + '"' + new StringBuilder(open).reverse();
  }

  /**
   * What makes the text whole in the place of the bytes that were fed last: as much of them as
   * comes before the first string that is a value, and what closes that.
   *
   * @param bytes in which they still are
   * @param offset at which they begin
   */
  public byte[] end(byte[] bytes, int offset) {
    byte[] closed = closing.getBytes(StandardCharsets.ISO_8859_1);
    byte[] end = Arrays.copyOfRange(bytes, offset, cut + closed.length);
    System.arraycopy(closed, 0, end, cut - offset, closed.length);
    return end;
  }
}
