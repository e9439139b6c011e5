package io.memorygateway.format.answer;

import java.util.List;
import java.util.Locale;

/** Reader of refusals of an output limit that is above what the model has. */
public final class RefusedLimit {
  /** What providers call the limit. */
  private static final List<String> NAMES =
      List.of(
          "max_tokens",
          "max tokens",
          "max_completion_tokens",
          "max_output_tokens",
          "maxoutputtokens",
          "max_new_tokens",
          "maximum tokens",
          "output tokens",
          "completion tokens");

  /** Words by which they tell what it may be at most. */
  private static final List<String> BOUNDS =
      List.of(
          "at most",
          "<=",
          "less than or equal to",
          "lower than",
          "cannot be greater than",
          "range",
          "maximum allowed",
          "model limit of");

  private static final String EXCLUSIVE = " (exclusive)";

  /** The least that a model has; smaller numbers are codes and the like. */
  private static final long LEAST = 1024;

  /** What else the number may depend on, so that it says nothing of another call. */
  private static final List<String> OF_CALL = List.of("input", "prompt");

  /** Of numbers that are a billion and more, none is a limit. */
  private static final int MAX_DIGITS = 9;

  private RefusedLimit() {}

  /**
   * Whether words of an error, in lower case, are of such a refusal. Of a limit that counts for
   * whole answers alone ("must be streamed") they are not.
   */
  static boolean isIn(String text) {
    return NAMES.stream().anyMatch(text::contains)
        && BOUNDS.stream().anyMatch(text::contains)
        && !text.contains("stream");
  }

  /**
   * What the limit may be at most: the largest number below it that is no part of a name.
   *
   * @param words of the refusal
   * @param asked the limit that is refused
   * @return 0 if they do not tell
   */
  public static long most(String words, long asked) {
    String text = words.toLowerCase(Locale.ROOT);
    if (OF_CALL.stream().anyMatch(text::contains)) {
      return 0;
    }
    long most = 0;
    int at = 0;
    while (at < text.length()) {
      int end = endOfNumber(text, at);
      if (end == at) {
        at++;
        continue;
      }
      if (end - at <= MAX_DIGITS && !isOfName(text, at - 1) && !isOfName(text, end)) {
        long number = Long.parseLong(text.substring(at, end).replace(",", ""));
        number -= text.startsWith(EXCLUSIVE, end) ? 1 : 0;
        most = LEAST <= number && number < asked ? Math.max(most, number) : most;
      }
      at = end;
    }
    return most;
  }

  /** Where the digits from an index on end, with commas before three of them. */
  private static int endOfNumber(String text, int from) {
    int at = digits(text, from);
    while (at > from && at < text.length() && text.charAt(at) == ',') {
      int next = digits(text, at + 1);
      if (next != at + 4) {
        break;
      }
      at = next;
    }
    return at;
  }

  private static int digits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  private static boolean isOfName(String text, int at) {
    if (at < 0 || at >= text.length()) {
      return false;
    }
    char c = text.charAt(at);
    return c == '_' || c == '-' || Character.isLetterOrDigit(c);
  }
}
