package io.memorygateway.format.translation;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.json.Sha256;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
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

  /** What a caller cannot ask, by the hash of what tells it from others, with what it is told. */
  private final Map<String, String> refused = new LinkedHashMap<>();

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

  /**
   * Notes that a caller is refused what was left out; nobody is where only its thread has that.
   *
   * @param key the same for the same part in each body
   */
  public void refuse(String key, String why) {
    refused.putIfAbsent(Sha256.hex(key), why);
  }

  boolean refusesAny() {
    return !refused.isEmpty();
  }

  /**
   * Refuses what the caller itself sends.
   *
   * @param sent of the body as it was received
   */
  void refuseAllOf(Dropped sent) throws MalformedBodyException {
    for (Map.Entry<String, String> each : refused.entrySet()) {
      if (sent.refused.containsKey(each.getKey())) {
        throw new MalformedBodyException(each.getValue());
      }
    }
    refused.clear(); // What was left out is named, and held until the answer has come.
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
