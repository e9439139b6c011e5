package io.memorygateway.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/**
 * A JSON text that comes in pieces: tells the strings in it, a long one in parts, and holds some
 * kilobytes however long it is. What is no JSON has strings, too. For one thread.
 */
public final class JsonPieces {
  /** Longest part of a string, and longest name. */
  private static final int MAX_PART = 4 << 10;

  /** Arrays and objects that are open; no reader takes as many. */
  private static final int MAX_OPEN = 4 << 10;

  private final BiConsumer<String, String> strings;
  private final ByteArrayOutputStream part = new ByteArrayOutputStream();

  /** What closes the arrays and objects that are open, the innermost last. */
  private final StringBuilder open = new StringBuilder();

  private String member = "";
  private boolean inString;
  private boolean isName;

  /** Hexadecimal digits of an escape that are to come; -1 after a backslash. */
  private int escape;

  /** The last byte outside of strings that is no white space. */
  private byte last;

  /**
   * A text of which nothing has come.
   *
   * @param strings gets the name of the member that has a string, or has the array with it, and the
   *     string or the next part of it
   */
  public JsonPieces(BiConsumer<String, String> strings) {
    this.strings = strings;
  }

  /** Takes the next bytes. */
  public void feed(byte[] bytes, int offset, int length) {
    for (int at = offset; at < offset + length; at++) {
      byte b = bytes[at];
      if (!inString) {
        structure(b);
      } else if (b == '"' && escape == 0) {
        end();
      } else {
        escape = escape == 0 ? (b == '\\' ? -1 : 0) : escape > 0 ? escape - 1 : b == 'u' ? 4 : 0;
        part.write(b);
        if (part.size() >= MAX_PART && escape == 0) {
          tell();
        }
      }
    }
  }

  private void structure(byte b) {
    int innermost = open.length() - 1;
    switch (b) {
      case '"' -> {
        inString = true;
        isName = (last == '{' || last == ',') && innermost >= 0 && open.charAt(innermost) == '}';
      }
      case '{', '[' -> {
        if (innermost < MAX_OPEN) {
          open.append(b == '{' ? '}' : ']');
        }
      }
      case '}', ']' -> open.setLength(Math.max(0, innermost));
      default -> {}
    }
    last = b > ' ' ? b : last;
  }

  private void end() {
    inString = false;
    if (isName) {
      member = taken();
    } else {
      tell();
    }
  }

  private void tell() {
    String text = taken();
    if (!isName && !text.isEmpty()) {
      strings.accept(member, text);
    }
  }

  private String taken() {
    String quoted = "\"" + part.toString(StandardCharsets.UTF_8) + "\"";
    part.reset();
    return JsonValue.of(quoted).text();
  }

  /** What makes the pieces so far a whole text, if they end in a string that is a value. */
  public String rest() {
    if (!inString) {
      return "";
    }
    String escaped = escape < 0 ? "n" : "0".repeat(escape);
    return escaped + '"' + new StringBuilder(open).reverse();
  }
}
