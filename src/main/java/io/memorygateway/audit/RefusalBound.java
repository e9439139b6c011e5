package io.memorygateway.audit;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bound on the refusals that the audit log records of one actor: a row locks the end of the chain
 * for all nodes and stays for good, so that whoever asks again and again would hinder operators.
 */
public final class RefusalBound {
  public static final int PER_MINUTE = 30;

  private static final Logger LOGGER = LoggerFactory.getLogger(RefusalBound.class);

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

  /**
   * Records a refusal, unless there were many of the kind in this minute. A failure to do so is not
   * thrown.
   *
   * @param whose refusals are counted: the actor's, or all of those whom nobody knows
   */
  public void record(AuditLog log, String whose, Actor actor, String action, Map<String, ?> asked) {
    if (!allows(whose)) {
      return;
    }
    try {
      log.append(new AuditEntry(actor, action, "", AuditEntry.Outcome.REFUSED, null, asked));
    } catch (RuntimeException e) {
      LOGGER.warn("A refusal is missing in the audit log: {}", e.toString());
    }
  }

  /** Whether one more refusal may be recorded in this minute. */
  synchronized boolean allows(String actor) {
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
