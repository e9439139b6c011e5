package io.memorygateway.json;

/** What strings may hold. */
public final class Characters {
  private Characters() {}

  /** Whether a string has neither the character NUL nor half a surrogate pair. */
  public static boolean areStorable(String string) {
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == 0) {
        return false;
      }
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == string.length()
            || !Character.isLowSurrogate(string.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }
}
