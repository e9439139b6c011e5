package io.memorygateway.proxy.route;

/** Patterns of names, in which {@code *} stands for any characters. */
public final class Globs {
  private Globs() {}

  /** Whether a name is of a pattern; in time of the product of their lengths at most. */
  public static boolean matches(String pattern, String name) {
    int at = 0;
    int in = 0;
    int star = -1;
    int retry = 0;
    while (at < name.length()) {
      if (in < pattern.length() && pattern.charAt(in) == '*') {
        star = in++;
        retry = at;
      } else if (in < pattern.length() && pattern.charAt(in) == name.charAt(at)) {
        in++;
        at++;
      } else if (star >= 0) {
        in = star + 1;
        at = ++retry;
      } else {
        return false;
      }
    }
    while (in < pattern.length() && pattern.charAt(in) == '*') {
      in++;
    }
    return in == pattern.length();
  }

  /** Whether a pattern is of any name that begins so and goes on. */
  public static boolean matchesAny(String pattern, String begin) {
    int star = pattern.indexOf('*');
    return star < 0
        ? pattern.length() > begin.length() && pattern.startsWith(begin)
        : begin.regionMatches(0, pattern, 0, Math.min(star, begin.length()));
  }
}
