package io.memorygateway.ops;

/** Texts of a configuration, as they stand in a line for the operator. */
public final class OneLine {
  private OneLine() {}

  /** The text with its control characters and ends of lines written as escapes. */
  public static String of(String text) {
    if (text.chars().noneMatch(OneLine::isEscaped)) {
      return text;
    }
    StringBuilder line = new StringBuilder(text.length() + 16);
    text.chars()
        .forEach(
            c -> {
              switch (c) {
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default ->
                    line.append(isEscaped(c) ? "\\u%04x".formatted(c) : String.valueOf((char) c));
              }
            });
    return line.toString();
  }

  private static boolean isEscaped(int c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }
}
