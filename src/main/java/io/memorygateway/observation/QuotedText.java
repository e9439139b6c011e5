package io.memorygateway.observation;

/** Text of others that is put between tags of the gateway, none of which it may end or begin. */
public final class QuotedText {
  private static final String LINE_BREAKS = "\n\r\u000b\f\u0085\u2028\u2029";

  private QuotedText() {}

  /** The text with an entity for the beginning of each tag of these names, however written. */
  public static String harmless(String text, String... names) {
    int open = text.indexOf('<');
    if (open < 0) {
      return text;
    }
    StringBuilder quoted = new StringBuilder();
    int from = 0;
    while (open >= 0) {
      if (isTag(text, open + 1, names)) {
        quoted.append(text, from, open).append("&lt;");
        from = open + 1;
      }
      open = text.indexOf('<', open + 1);
    }
    return quoted.append(text, from, text.length()).toString();
  }

  /** The text with an indent behind each of its line breaks, whichever Unicode has. */
  public static String indented(String text, String indent) {
    StringBuilder indented = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isFirstOfTwo = c == '\r' && text.startsWith("\n", i + 1);
      if (LINE_BREAKS.indexOf(c) < 0) {
        indented.append(c);
      } else if (!isFirstOfTwo) {
        indented.append('\n').append(indent);
      }
    }
    return indented.toString();
  }

  private static boolean isTag(String text, int start, String... names) {
    int at = afterBlanks(text, start);
    if (text.startsWith("/", at)) {
      at = afterBlanks(text, at + 1);
    }
    for (String name : names) {
      if (text.regionMatches(true, at, name, 0, name.length())) {
        return true;
      }
    }
    return false;
  }

  private static int afterBlanks(String text, int from) {
    int at = from;
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Whether a character is not seen: spaces, controls, and those that only format. */
  private static boolean isBlank(char c) {
    return Character.isWhitespace(c)
        || Character.isSpaceChar(c)
        || Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT;
  }
}
