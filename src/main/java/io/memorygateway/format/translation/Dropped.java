package io.memorygateway.format.translation;

import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The names of what a translation has left out, in the words of the called format: {@code
 * thinking}, {@code tools.web_search}. Never contents.
 */
public final class Dropped {
  /** Longest name that is said: names of unknown members are the caller's. */
  private static final int MAX_NAME = 64;

  /** The most names that are said. */
  private static final int MAX_NAMES = 32;

  private final TreeSet<String> names = new TreeSet<>();

  public void add(String name) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < Math.min(name.length(), MAX_NAME); i++) {
      char c = name.charAt(i);
      boolean token = c > ' ' && c < 0x7F && c != ',';
      plain.append(token ? c : '_');
    }
    if (!plain.isEmpty()) {
      names.add(plain.toString());
    }
    if (names.size() > MAX_NAMES) {
      names.pollLast();
    }
  }

  /** Each name once, sorted. */
  public Collection<String> names() {
    return names;
  }

  /** The value of {@code X-Gateway-Dropped}; null if nothing was left out. */
  public @Nullable String header() {
    return names.isEmpty() ? null : String.join(", ", names);
  }
}
