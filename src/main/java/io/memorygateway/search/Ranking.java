package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Ranks messages by BM25. A hit is a message that contains a word of the query. */
final class Ranking {
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
    /**
     * Whether a message may be one.
     *
     * @param thread its thread's index among those that are searched
     */
    boolean admits(int thread, byte role, long time, long seq);
  }

  /**
   * The best messages of some threads.
   *
   * @param hits best first
   * @param weights of the words of the query among all messages of the threads
   * @param deviation of the scores of all messages; 1 if all are alike
   */
  record Best(List<Ranked> hits, WordWeights weights, double deviation) {}

  /** The best messages of some threads, best first. */
  static List<Ranked> best(List<ThreadTerms> threads, Query query, Filter filter, int limit) {
    return rank(threads, query, filter, limit, 0).hits();
  }

  /**
   * The best messages of some threads.
   *
   * @param share what the words of the query must tell together, as a share of what tells one
   *     message from all others; if less, there are no hits
   */
  static Best rank(List<ThreadTerms> threads, Query query, Filter filter, int limit, double share) {
    if (query.size() == 0 || limit == 0) {
      return new Best(List.of(), new WordCounts(query).weights(), 1);
    }
    Scan scan = scan(threads, query);
    List<Vocabulary> words = threads.stream().flatMap(ThreadTerms::vocabulary).toList();
    if (query.widen(scan.counted::isUnknown, new WiderQuery(words))) {
      scan = scan(threads, query);
    }
    WordWeights weights = scan.counted.weights();
    if (query.information(weights) < share * weights.ofOneMessage()) {
      return new Best(List.of(), weights, 1);
    }
    Matches matches = scan.matches;
    Spread scored = new Spread();
    PriorityQueue<Ranked> best = new PriorityQueue<>(Ranked.BEST_FIRST.reversed());
    for (int i = 0; i < threads.size(); i++) {
      int thread = i;
      MessageScores scores =
          new MessageScores(
              weights,
              (segment, position, message, score) -> {
                scored.add(score);
                long seq = segment.seqs()[position];
                Ranked worst = best.size() < limit ? null : best.peek();
                if ((worst == null || score >= worst.score())
                    && filter.admits(
                        thread, segment.roles()[position], segment.times()[position], seq)) {
                  keep(best, worst, new Ranked(thread, message, seq, score));
                }
              });
      if (matches.hasAll()) {
        matches.replay(thread, scores);
      } else {
        threads.get(i).scan(query, scores);
      }
      scores.end();
    }
    List<Ranked> hits = new ArrayList<>(best);
    hits.sort(Ranked.BEST_FIRST);
    scored.fill(weights.messages());
    return new Best(hits, weights, scored.deviation());
  }

  private record Scan(WordCounts counted, Matches matches) {}

  private static Scan scan(List<ThreadTerms> threads, Query query) {
    WordCounts counted = new WordCounts(query);
    Matches matches = new Matches(query.size());
    for (ThreadTerms thread : threads) {
      counted.startThread(thread);
      thread.scan(
          query,
          (segment, position, message, counts, length, around) -> {
            matches.add(segment, position, message, counts, length, around);
            counted.add(message, counts);
          });
      matches.endOfThread();
    }
    return new Scan(counted, matches);
  }

  static void keep(PriorityQueue<Ranked> best, @Nullable Ranked worst, Ranked hit) {
    if (worst == null) {
      best.add(hit);
    } else if (Ranked.BEST_FIRST.compare(hit, worst) < 0) {
      best.remove();
      best.add(hit);
    }
  }
}
