package io.memorygateway.search;

import io.memorygateway.language.SmallWords;
import java.util.Arrays;

/** Counts the messages that contain the words of a query, to weigh these. */
final class WordCounts {
  /** Weight of words that say little by themselves: none would find "The Who" by nothing. */
  private static final double SMALL = 0.3;

  private final Query query;
  private final int[] alone;
  private final int[] together;
  private long messages;
  private long words;

  WordCounts(Query query) {
    this.query = query;
    this.alone = new int[query.size()];
    this.together = new int[query.size()];
  }

  /**
   * Adds a thread.
   *
   * @param has the words of each of its messages, a bit for each
   */
  void add(ThreadTerms thread, long[] has) {
    messages += thread.messages();
    words += thread.words();
    long before = 0;
    for (int i = 0; i < has.length; i++) {
      long after = i + 1 < has.length ? has[i + 1] : 0;
      count(has[i], alone);
      count(before | has[i] | after, together);
      before = has[i];
    }
  }

  private static void count(long has, int[] holders) {
    for (long left = has; left != 0; left &= left - 1) {
      holders[Long.numberOfTrailingZeros(left)]++;
    }
  }

  /** Whether no message contains a word. */
  boolean isUnknown(int word) {
    return alone[word] == 0;
  }

  /** Whether no message contains one of the words. */
  boolean hasUnknown() {
    return Arrays.stream(alone).anyMatch(holders -> holders == 0);
  }

  WordWeights weights() {
    double meanLength = Math.max(1, (double) words / Math.max(1, messages));
    return new WordWeights(
        weights(alone, messages),
        weights(together, messages),
        weights(alone, Math.max(WordWeights.FEW, messages)),
        messages,
        meanLength);
  }

  private double[] weights(int[] holders, long among) {
    double[] weights = new double[holders.length];
    for (int i = 0; i < weights.length; i++) {
      double rarity = Math.log(1 + (among - holders[i] + 0.5) / (holders[i] + 0.5));
      weights[i] = SmallWords.contains(query.word(i)) ? SMALL * rarity : rarity;
    }
    return weights;
  }
}
