package io.memorygateway.observation;

import java.util.Locale;
import java.util.Set;

/** The threads whose messages are quoted in a turn: its own, or all of its resource. */
public enum RecallScope {
  THREAD,
  RESOURCE;

  /** The names that configuration, the API and the database know. */
  public static final Set<String> NAMES = Set.of("thread", "resource");

  static RecallScope of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
