package io.memorygateway.proxy.call;

import com.google.common.base.CharMatcher;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.proxy.route.Target;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes of the attempts of one call, for the headers of its response: names of targets and
 * statuses, never a text of an upstream.
 */
final class AttemptTrail {
  private static final int MAX_NAME_LENGTH = 128;
  private static final CharMatcher NOT_PLAIN =
      CharMatcher.inRange('!', '~').negate().or(CharMatcher.anyOf(",="));

  private final StringBuilder attempts = new StringBuilder(48);
  private @Nullable String last;
  private @Nullable String dropped;
  private int count;
  private int lastStart;

  /**
   * Adds an attempt whose status is known.
   *
   * @param leftOut what its translation has left out; null if nothing
   */
  void add(Target target, int status, @Nullable String leftOut) {
    dropped = leftOut;
    String name = headerText(target.name());
    last = name;
    count++;
    if (count > 1) {
      attempts.append(", ");
    }
    lastStart = attempts.length();
    attempts.append(name).append('=').append(status);
  }

  /** Gives the last attempt another status. */
  void revise(int status) {
    attempts.setLength(lastStart);
    attempts.append(last).append('=').append(status);
  }

  /** The target of the last attempt; null before the first one. */
  @Nullable String target() {
    return last;
  }

  /** What the last attempt's translation has left out; null if nothing. */
  @Nullable String dropped() {
    return dropped;
  }

  /** The value of the header, for example {@code openai/gpt-5-mini=429, vllm/qwen3=200}. */
  String attempts() {
    return attempts.toString();
  }

  /**
   * The name with a question mark for each blank, separator or non-ASCII character: callers may
   * name any model.
   */
  static String headerText(String name) {
    return NOT_PLAIN.replaceFrom(PrintableText.of(name, MAX_NAME_LENGTH), '?');
  }
}
