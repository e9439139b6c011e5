package io.memorygateway.search;

import java.util.ArrayList;
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

  /** What a word counts that stands in the message before or after. */
  static final double NEIGHBOUR = 0.5;

  private Ranking() {}

  /**
   * A message that was found.
   *
   * @param thread its thread's index among those that were searched
   * @param message its index in the thread
   */
  record Ranked(int thread, int message, long seq, double score) {
    /** Best first; of equals the newer one. */
    static final Comparator<Ranked> BEST_FIRST =
        Comparator.comparingDouble(Ranked::score)
            .thenComparingLong(Ranked::seq)
            .thenComparingInt(Ranked::thread)
            .reversed();
  }

  /** Which messages may be hits. */
  interface Filter {
    boolean admits(byte role, long time, long seq);
  }

  /** The best messages of some threads, best first. */
  static List<Ranked> best(List<ThreadTerms> threads, Query query, Filter filter, int limit) {
    if (query.size() == 0 || limit == 0) {
      return List.of();
    }
    int[] holders = new int[query.size()];
    long messages = 0;
    double words = 0;
    Windows windows = new Windows(query.size());
    for (ThreadTerms thread : threads) {
      messages += thread.messages();
      words += (1 + 2 * NEIGHBOUR) * thread.words();
      thread.scan(
          query,
          NEIGHBOUR,
          (segment, place, message, counts, length) -> {
            windows.add(segment, place, message, counts, length);
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
      ThreadTerms.Windows scorer =
          (segment, place, message, counts, length) -> {
            long seq = segment.seqs()[place];
            if (!filter.admits(segment.roles()[place], segment.times()[place], seq)) {
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
    return hits;
  }

  private static void keep(PriorityQueue<Ranked> best, @Nullable Ranked worst, Ranked hit) {
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
