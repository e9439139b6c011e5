package io.memorygateway.operator;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Text in CSV (RFC 4180) that spreadsheets show as it is. Callers choose the names of models and
 * threads, so what would be evaluated as a formula gets an apostrophe before it: at the start of a
 * cell, and behind a semicolon, tab or end of line in it, where the spreadsheets of other countries
 * begin another cell. The console's table.js does the same.
 */
public final class CsvText {
  private static final String SEPARATORS = ",;\t\r\n";
  private static final String FORMULAS = "=+-@＝＋－＠";

  private CsvText() {}

  /** A line of cells, null being an empty one. */
  public static String line(List<?> cells) {
    return cells.stream().map(CsvText::cell).collect(Collectors.joining(",")) + "\r\n";
  }

  /** A cell, quoted if need be. */
  public static String cell(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    if (isNumber(text)) {
      return text;
    }
    String harmless = withoutFormulas(text);
    boolean plain =
        harmless.equals(text)
            && text.chars().noneMatch(c -> c == '"' || SEPARATORS.indexOf(c) >= 0);
    return plain ? text : '"' + harmless.replace("\"", "\"\"") + '"';
  }

  private static boolean isNumber(String text) {
    int whole = behindSign(text, 0);
    int end = behindDigits(text, whole);
    if (end == whole) {
      return false;
    }
    if (end < text.length() && text.charAt(end) == '.') {
      int fraction = end + 1;
      end = behindDigits(text, fraction);
      if (end == fraction) {
        return false;
      }
    }
    if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
      int exponent = behindSign(text, end + 1);
      end = behindDigits(text, exponent);
      if (end == exponent) {
        return false;
      }
    }
    return end == text.length();
  }

  private static int behindSign(String text, int at) {
    return at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+') ? at + 1 : at;
  }

  private static int behindDigits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  private static String withoutFormulas(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2);
    int start = 0; // of a cell in which only quotes and blanks were seen; else -1
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean separator = SEPARATORS.indexOf(c) >= 0;
      if ((start >= 0 && FORMULAS.indexOf(c) >= 0) || (i == 0 && separator)) {
        out.insert(start, '\'');
        start = -1;
      } else if (c != '"' && c != ' ') {
        start = -1;
      }
      out.append(c);
      if (separator) {
        start = out.length();
      }
    }
    return out.toString();
  }
}
