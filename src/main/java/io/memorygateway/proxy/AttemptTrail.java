package io.memorygateway.proxy;

import io.memorygateway.http.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * What the attempts of one call came to, for the headers of its answer: names of targets and
 * statuses, never a text of an upstream.
 */
final class AttemptTrail {
  /** Header that names the target whose answer it is. */
  static final String TARGET = "X-Gateway-Target";

  /** Header that lists every attempt with its status. */
  static final String ATTEMPTS = "X-Gateway-Attempts";

  private static final int LONGEST_NAME = 128;

  private final StringBuilder attempts = new StringBuilder(48);
  private @Nullable String last;
  private int count;

  /** Adds an attempt that has got its status. */
  void add(Target target, int status) {
    String name = headerText(target.name());
    last = name;
    count++;
    if (count > 1) {
      attempts.append(", ");
    }
    attempts.append(name).append('=').append(status);
  }

  int count() {
    return count;
  }

  /** The target of the last attempt; null before there is one. */
  @Nullable String target() {
    return last;
  }

  /** As {@code openai/gpt-5-mini=429, vllm/qwen3=200}. */
  String attempts() {
    return attempts.toString();
  }

  /** Callers may name any model, and the separators of the header are no part of a name. */
  static String headerText(String name) {
    String printable = PrintableText.of(name, LONGEST_NAME);
    for (int i = 0; i < printable.length(); i++) {
      if (!isPlain(printable.charAt(i))) {
        return replaced(printable);
      }
    }
    return printable;
  }

  private static String replaced(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      plain.append(isPlain(text.charAt(i)) ? text.charAt(i) : '?');
    }
    return plain.toString();
  }

  private static boolean isPlain(char c) {
    return c > ' ' && c <= '~' && c != ',' && c != '=';
  }
}
