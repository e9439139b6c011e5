package io.memorygateway.format.messages;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;

/**
 * The arguments of one streamed call as they are shown: piece by piece as long as they are the
 * beginning of a JSON object, which is all that clients can read. What a model writes otherwise is
 * kept as text in the object's member {@code arguments}, as in {@link CallArguments}.
 */
final class ShownArguments {
  private static final String SPACE = " \t\r\n";
  private static final String LITERAL = "+-.0123456789abcdefghijklmnopqrstuvwxyzE";
  private static final String ESCAPES = "\"\\/bfnrt";

  /** What is missing of an escape behind its backslash. */
  private static final int ESCAPED = 5;

  /** What may come next, outside of strings and literals. */
  private enum Next {
    OBJECT,
    NAME_OR_END,
    NAME,
    COLON,
    VALUE_OR_END,
    VALUE,
    COMMA_OR_END,
    NOTHING
  }

  private final StringBuilder written = new StringBuilder();

  /** The objects and arrays that are open. */
  private final StringBuilder open = new StringBuilder();

  private Next next = Next.OBJECT;
  private boolean inString;
  private boolean ofName;

  /** Hexadecimal digits of an escape that are missing, or {@link #ESCAPED}. */
  private int escape;

  /** Where a number or a word begins, which is shown once it is whole; negative without one. */
  private int literal = -1;

  private int read;
  private int shown;
  private boolean broken;

  /** Takes more of the arguments; returns what is to be shown now, often all of it. */
  String add(String more) {
    written.append(more);
    while (!broken && read < written.length()) {
      broken = !take(written.charAt(read));
      read += broken ? 0 : 1;
    }
    int from = shown;
    shown = literal < 0 ? read : literal;
    return written.substring(from, shown);
  }

  /**
   * Ends the arguments; returns what is to be shown besides.
   *
   * @param cut whether the answer was cut off here, and the arguments with it
   */
  String end(boolean cut) {
    if (next == Next.OBJECT) {
      String all = written.toString();
      return all.isBlank() ? "" : CallArguments.object(all);
    }
    if (next == Next.NOTHING || (cut && !broken)) {
      return "";
    }
    StringBuilder rest = new StringBuilder();
    boolean inRoot = open.length() == 1 && !inString;
    if (!inRoot || (next != Next.NAME && next != Next.NAME_OR_END)) {
      if (inString) {
        rest.append(escape == ESCAPED ? "\\" : "0".repeat(escape)).append('"');
      } else if (next == Next.NAME) {
        rest.append("\"\"");
      }
      if (inString ? ofName : next == Next.NAME || next == Next.COLON) {
        rest.append(":null");
      } else if (!inString && next == Next.VALUE) {
        rest.append("null");
      }
      for (int depth = open.length() - 1; depth > 0; depth--) {
        rest.append(open.charAt(depth) == '{' ? '}' : ']');
      }
      rest.append(',');
    }
    return rest + "\"arguments\":" + JsonWriter.quote(written.toString()) + "}";
  }

  /** Takes a character; returns whether one can stand here. */
  private boolean take(char c) {
    if (inString) {
      return takeInString(c);
    }
    if (literal >= 0) {
      if (LITERAL.indexOf(c) >= 0) {
        return true;
      }
      if (!JsonValue.isValid(written.substring(literal, read))) {
        return false;
      }
      literal = -1;
      next = Next.COMMA_OR_END;
    }
    return SPACE.indexOf(c) >= 0 || takeOutside(c);
  }

  private boolean takeInString(char c) {
    if (escape > 0) {
      boolean fits =
          escape == ESCAPED
              ? c == 'u' || ESCAPES.indexOf(c) >= 0
              : Characters.hexDigits(String.valueOf(c), 0) == 1;
      if (fits) {
        escape = escape == ESCAPED && c != 'u' ? 0 : escape - 1;
      }
      return fits;
    } else if (c == '\\') {
      escape = ESCAPED;
    } else if (c == '"') {
      inString = false;
      next = ofName ? Next.COLON : Next.COMMA_OR_END;
    }
    return c >= ' ';
  }

  private boolean takeOutside(char c) {
    return switch (next) {
      case OBJECT -> c == '{' && push(c);
      case NAME_OR_END -> c == '"' ? string(true) : c == '}' && pop();
      case NAME -> c == '"' && string(true);
      case COLON -> c == ':' && next(Next.VALUE);
      case VALUE_OR_END -> c == ']' ? pop() : value(c);
      case VALUE -> value(c);
      case COMMA_OR_END -> {
        boolean inObject = open.charAt(open.length() - 1) == '{';
        yield c == ','
            ? next(inObject ? Next.NAME : Next.VALUE)
            : c == (inObject ? '}' : ']') && pop();
      }
      case NOTHING -> false;
    };
  }

  private boolean next(Next comes) {
    next = comes;
    return true;
  }

  private boolean value(char c) {
    if (c == '{' || c == '[') {
      return push(c);
    } else if (c == '"') {
      return string(false);
    }
    literal = LITERAL.indexOf(c) >= 0 ? read : -1;
    return literal >= 0;
  }

  private boolean string(boolean name) {
    inString = true;
    ofName = name;
    return true;
  }

  private boolean push(char c) {
    open.append(c);
    return next(c == '{' ? Next.NAME_OR_END : Next.VALUE_OR_END);
  }

  private boolean pop() {
    open.setLength(open.length() - 1);
    return next(open.isEmpty() ? Next.NOTHING : Next.COMMA_OR_END);
  }
}
