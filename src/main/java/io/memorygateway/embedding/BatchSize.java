package io.memorygateway.embedding;

import java.time.Duration;

/**
 * How many texts a call of the model has: half as many after one that was slow or late, so that
 * even a slow model gets on, and answers to searches in between; twice as many after a quick one.
 */
final class BatchSize {
  static final int MAX_TEXTS = 64;

  /** Texts of a batch that is not late: smaller ones make a model slow that is only far away. */
  private static final int MIN_SLOW_TEXTS = 8;

  private static final int MAX_CHARACTERS = 100_000;
  private static final Duration SLOW = Duration.ofSeconds(2);
  private static final Duration QUICK = Duration.ofMillis(500);

  private int texts = MAX_TEXTS;

  synchronized int texts() {
    return texts;
  }

  /** Characters of a batch, unless it is a single text. */
  synchronized int characters() {
    return MAX_CHARACTERS * texts / MAX_TEXTS;
  }

  /** A call was answered; one with a single text, as a probe has, tells nothing of larger ones. */
  synchronized void answered(int asked, Duration time) {
    if (asked > 1 && time.compareTo(SLOW) > 0) {
      texts = Math.min(texts, Math.max(MIN_SLOW_TEXTS, asked / 2));
    } else if (time.compareTo(QUICK) < 0 && asked >= texts) {
      texts = Math.min(MAX_TEXTS, 2 * texts);
    }
  }

  /** A call was not answered in time. */
  synchronized void late(int asked) {
    texts = asked == 1 ? texts : Math.min(texts, asked / 2);
  }
}
