package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CancellationException;
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
   * @param deviation of the scores of all messages, if all were scored; 1 if all are alike
   */
  record Best(List<Ranked> hits, WordWeights weights, double deviation) {}

  /** The best messages of some threads, best first. */
  static List<Ranked> best(List<ThreadTerms> threads, Query query, Filter filter, int limit) {
    return rank(threads, query, filter, limit, 0, false).hits();
  }

  /**
   * The best messages of some threads.
   *
   * @param share what the words of the query must tell together, as a share of what tells one
   *     message from all others; if less, there are no hits
   * @param all whether messages that cannot be among the best are scored too
   */
  static Best rank(
      List<ThreadTerms> threads, Query query, Filter filter, int limit, double share, boolean all) {
    if (query.size() == 0 || limit == 0) {
      return new Best(List.of(), new WordCounts(query).weights(), 1);
    }
    Found found = find(threads, query);
    if (found.counted.hasUnknown() && query.widen(found.counted::isUnknown, wider(threads))) {
      found = find(threads, query);
    }
    WordWeights weights = found.counted.weights();
    if (query.information(weights) < share * weights.ofOneMessage()) {
      return new Best(List.of(), weights, 1);
    }
    Spread scored = new Spread();
    PriorityQueue<Ranked> best = new PriorityQueue<>(Ranked.BEST_FIRST.reversed());
    MessageScores scores = new MessageScores(query, weights);
    for (int thread = 0; thread < threads.size(); thread++) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException();
      }
      ThreadTerms of = threads.get(thread);
      long[] has = found.words.get(thread);
      scores.start(of, has);
      for (int message = 0; message < has.length; message++) {
        Ranked worst = best.size() < limit ? null : best.peek();
        if (has[message] == 0
            || (worst != null && !all && !scores.mayReach(worst.score(), message))) {
          continue;
        }
        double score = scores.of(message);
        scored.add(score);
        Segment segment = of.segment(message);
        int position = of.position(message);
        long seq = segment.seqs()[position];
        if ((worst == null || score >= worst.score())
            && filter.admits(thread, segment.roles()[position], segment.times()[position], seq)) {
          keep(best, worst, new Ranked(thread, message, seq, score));
        }
      }
    }
    List<Ranked> hits = new ArrayList<>(best);
    hits.sort(Ranked.BEST_FIRST);
    scored.fill(weights.messages());
    return new Best(hits, weights, scored.deviation());
  }

  /**
   * What messages have of a query.
   *
   * @param words of each message of each thread, a bit for each
   */
  private record Found(WordCounts counted, List<long[]> words) {}

  private static WiderQuery wider(List<ThreadTerms> threads) {
    return new WiderQuery(threads.stream().flatMap(ThreadTerms::vocabulary).toList());
  }

  private static Found find(List<ThreadTerms> threads, Query query) {
    Found found = new Found(new WordCounts(query), new ArrayList<>());
    for (ThreadTerms thread : threads) {
      long[] words = thread.words(query);
      found.counted.add(thread, words);
      found.words.add(words);
    }
    return found;
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
