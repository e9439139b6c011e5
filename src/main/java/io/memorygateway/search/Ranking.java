package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Ranks messages by BM25. A message is scored together with its neighbours, because an answer
 * seldom repeats the words of its question.
 */
final class Ranking {
  private static final double K1 = 1.2;
  private static final double B = 0.75;

  /** Weight of a word in the message before or after. */
  static final double NEIGHBOUR = 0.5;

  /**
   * Words of a query that a message can be expected to contain; a long query is seldom matched as a
   * whole.
   */
  private static final int EXPECTED_WORDS = 6;

  private Ranking() {}

  /**
   * A message that was found.
   *
   * @param thread its thread's index among those that were searched
   * @param message its index in the thread
   */
  record Ranked(int thread, int message, long seq, double score) {
    /** Best first; of equal scores, the newer one first. */
    static final Comparator<Ranked> BEST_FIRST =
        Comparator.comparingDouble(Ranked::score)
            .thenComparingLong(Ranked::seq)
            .thenComparingInt(Ranked::thread)
            .reversed();

    Ranked withScore(double newScore) {
      return new Ranked(thread, message, seq, newScore);
    }
  }

  /** Which messages may be hits. */
  interface Filter {
    boolean admits(byte role, long time, long seq);
  }

  /** The best messages of some threads, best first. */
  static List<Ranked> best(List<ThreadTerms> threads, Query query, Filter filter, int limit) {
    return best(threads, query, filter, limit, 0);
  }

  /**
   * The best messages of some threads, best first; none if even the best one does not fit well.
   *
   * @param minFit share that the best score must have of the score of a message which contains the
   *     rarest words of the query again and again
   */
  static List<Ranked> best(
      List<ThreadTerms> threads, Query query, Filter filter, int limit, double minFit) {
    if (query.size() == 0 || limit == 0) {
      return List.of();
    }
    int[] holders = new int[query.size()];
    long messages = 0;
    double words = 0;
    MatchWindows windows = new MatchWindows(query.size());
    for (ThreadTerms thread : threads) {
      messages += thread.messages();
      words += (1 + 2 * NEIGHBOUR) * thread.words();
      thread.scan(
          query,
          NEIGHBOUR,
          (segment, position, message, counts, length) -> {
            windows.add(segment, position, message, counts, length);
            for (int i = 0; i < counts.length; i++) {
              holders[i] += counts[i] > 0 ? 1 : 0;
            }
          });
      windows.endOfThread();
    }
    double average = Math.max(1, words / Math.max(1, messages));
    double[] weights = new double[holders.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = Math.log(1 + (messages - holders[i] + 0.5) / (holders[i] + 0.5));
    }
    PriorityQueue<Ranked> best = new PriorityQueue<>(Ranked.BEST_FIRST.reversed());
    for (int i = 0; i < threads.size(); i++) {
      int thread = i;
      ThreadTerms.WindowReceiver scorer =
          (segment, position, message, counts, length) -> {
            long seq = segment.seqs()[position];
            if (!filter.admits(segment.roles()[position], segment.times()[position], seq)) {
              return;
            }
            double score = score(counts, weights, length / average);
            Ranked worst = best.size() < limit ? null : best.peek();
            if (worst == null || score >= worst.score()) {
              keep(best, worst, new Ranked(thread, message, seq, score));
            }
          };
      if (windows.hasAll()) {
        windows.replay(thread, scorer);
      } else {
        threads.get(i).scan(query, NEIGHBOUR, scorer);
      }
    }
    List<Ranked> hits = new ArrayList<>(best);
    hits.sort(Ranked.BEST_FIRST);
    boolean fits = !hits.isEmpty() && hits.get(0).score() >= minFit * expected(weights);
    return fits ? hits : List.of();
  }

  private static double expected(double[] weights) {
    double[] sorted = weights.clone();
    Arrays.sort(sorted);
    double sum = 0;
    for (int i = Math.max(0, sorted.length - EXPECTED_WORDS); i < sorted.length; i++) {
      sum += sorted[i];
    }
    return (K1 + 1) * sum;
  }

  static void keep(PriorityQueue<Ranked> best, @Nullable Ranked worst, Ranked hit) {
    if (worst == null) {
      best.add(hit);
    } else if (Ranked.BEST_FIRST.compare(hit, worst) < 0) {
      best.remove();
      best.add(hit);
    }
  }

  private static double score(double[] counts, double[] weights, double length) {
    double norm = K1 * (1 - B + B * length);
    double score = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        score += weights[i] * counts[i] * (K1 + 1) / (counts[i] + norm);
      }
    }
    return score;
  }
}
