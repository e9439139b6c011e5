package io.memorygateway.format.translation;

import java.util.List;
import java.util.Locale;

/**
 * The numbers in an error of a call that does not fit into its model's context, 0 where it does not
 * tell which is which.
 *
 * @param window tokens of the context
 * @param input tokens of the prompt
 * @param output tokens that are asked for
 * @param most the largest of all its numbers
 */
public record TokenCounts(long window, long input, long output, long most) {
  /** Digits of a number of tokens: longer ones are ids and times. */
  private static final int MAX_DIGITS = 9;

  /** Words before the number of tokens that a model takes. */
  private static final List<String> LIMITS =
      List.of("maximum", "limit", "window", "size", "context length", "must be <=");

  /** Words behind the numbers that make up the prompt. */
  private static final List<String> INPUT =
      List.of("input", "prompt", "messages", "function", "tool");

  private static final List<String> OUTPUT = List.of("output", "completion", "max_new_tokens");

  /** Words directly before the number of tokens that are asked for. */
  private static final List<String> BEFORE_OUTPUT = List.of("+", "too large:", "generation length");

  /** A word behind numbers that are not of tokens. */
  private static final String CHARACTERS = "characters";

  /** Reads the numbers in words for people. */
  public static TokenCounts in(String words) {
    String message = words.toLowerCase(Locale.ROOT);
    long window = 0;
    long input = 0;
    long output = 0;
    long most = 0;
    boolean ofCharacters = false;
    int end = 0;
    int from = numberFrom(message, 0);
    while (from < message.length()) {
      int to = endOfNumber(message, from);
      int next = numberFrom(message, to);
      String before = message.substring(end, from).strip();
      String behind = message.substring(to, next);
      int stop = behind.indexOf('.');
      behind = (stop < 0 ? behind : behind.substring(0, stop)).strip();
      long number = number(message.substring(from, to).replace(",", ""));
      if (behind.contains(CHARACTERS)) {
        ofCharacters = true;
        number = 0;
      } else if (behind.equals("+")) {
        input = number;
      } else if (BEFORE_OUTPUT.stream().anyMatch(before::endsWith)) {
        output = number;
      } else if (before.endsWith(">") || (window == 0 && first(LIMITS, before) >= 0)) {
        window = number;
      } else if (first(OUTPUT, behind) >= 0
          && (first(INPUT, behind) < 0 || first(OUTPUT, behind) < first(INPUT, behind))) {
        output = number;
      } else if (first(INPUT, behind) >= 0 || before.endsWith("prompt is")) {
        input += number;
      }
      most = Math.max(most, number);
      end = to;
      from = next;
    }
    if (ofCharacters && input == 0 && 0 < output && output < window) {
      input = window - output + 1;
    }
    return new TokenCounts(window, input, output, most);
  }

  /**
   * Whether the prompt may be any longer: vLLM reads no more of it than is too much beside the
   * output that is asked for.
   */
  boolean areOfABeginning() {
    return output > 0 && input + output == window + 1;
  }

  /** The same of a prompt that comes to so much by another count. */
  TokenCounts withInput(long counted) {
    long known = Math.max(input, counted);
    return new TokenCounts(window, known, output, Math.max(most, known + output));
  }

  /** Whether they tell of more tokens than the window has. */
  public boolean exceedWindow() {
    return 0 < window && window < most;
  }

  /**
   * Whether a shorter prompt is not what helps: it fits, and the greater part is the output that is
   * asked for.
   */
  public boolean areOfOutput() {
    return 0 < input && input < output && input < window && window < input + output;
  }

  private static int first(List<String> words, String text) {
    return words.stream().mapToInt(text::indexOf).filter(at -> at >= 0).min().orElse(-1);
  }

  private static int numberFrom(String text, int from) {
    int at = from;
    while (at < text.length() && !isDigit(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int endOfNumber(String text, int from) {
    int at = from;
    while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == ',')) {
      at++;
    }
    return at;
  }

  private static long number(String digits) {
    return digits.length() > MAX_DIGITS ? 0 : Long.parseLong(digits);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
