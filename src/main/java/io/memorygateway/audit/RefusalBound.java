package io.memorygateway.audit;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bound on the refusals that the audit log records of one actor: a row locks the end of the chain
 * for all nodes and stays for good, so that whoever asks again and again would hinder operators.
 */
public final class RefusalBound {
  public static final int PER_MINUTE = 30;

  /** Longest word of a refused request that is recorded, in characters. */
  private static final int MAX_CHARACTERS = 255;

  private final LongSupplier nanoTime;
  private final long origin;
  private final Map<String, Integer> recorded = new HashMap<>();
  private long minute;

  /**
   * Creates a bound.
   *
   * @param nanoTime {@link System#nanoTime}
   */
  public RefusalBound(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.origin = nanoTime.getAsLong();
  }

  /** Whether one more refusal of an actor may be recorded in this minute. */
  public synchronized boolean allows(String actor) {
    long now = TimeUnit.NANOSECONDS.toMinutes(nanoTime.getAsLong() - origin);
    if (now != minute) {
      minute = now;
      recorded.clear();
    }
    return recorded.merge(actor, 1, Integer::sum) <= PER_MINUTE;
  }

  /** What was asked for, with long words cut. */
  public static Map<String, String> asked(Map<String, String> words) {
    Map<String, String> cut = new TreeMap<>();
    words.forEach((name, word) -> cut.put(name, AuditText.plain(word, MAX_CHARACTERS)));
    return cut;
  }
}
