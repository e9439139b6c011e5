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
  private final int[] counted;
  private int last;
  private long messages;
  private long words;

  WordCounts(Query query) {
    this.query = query;
    this.alone = new int[query.size()];
    this.together = new int[query.size()];
    this.counted = new int[query.size()];
  }

  /** Starts a thread: messages added next are of it. */
  void startThread(ThreadTerms thread) {
    Arrays.fill(counted, -1);
    last = thread.messages() - 1;
    messages += thread.messages();
    words += thread.words();
  }

  /**
   * Adds a message that matches, in the order of the thread.
   *
   * @param message its index in the thread
   */
  void add(int message, int[] counts) {
    int after = Math.min(last, message + 1);
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        alone[i]++;
        together[i] += after - Math.max(counted[i], message - 2);
        counted[i] = after;
      }
    }
  }

  /** Whether no message contains a word. */
  boolean isUnknown(int word) {
    return alone[word] == 0;
  }

  WordWeights weights() {
    double meanLength = Math.max(1, (double) words / Math.max(1, messages));
    return new WordWeights(weights(alone), weights(together), messages, meanLength);
  }

  private double[] weights(int[] holders) {
    double[] weights = new double[holders.length];
    for (int i = 0; i < weights.length; i++) {
      double rarity = Math.log(1 + (messages - holders[i] + 0.5) / (holders[i] + 0.5));
      weights[i] = SmallWords.contains(query.word(i)) ? SMALL * rarity : rarity;
    }
    return weights;
  }
}
