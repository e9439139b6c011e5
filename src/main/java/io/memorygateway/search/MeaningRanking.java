package io.memorygateway.search;

import io.memorygateway.embedding.ThreadVectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Ranks messages by the cosine of their vectors with that of the query, and merges two rankings by
 * reciprocal rank.
 */
final class MeaningRanking {
  /** Messages of each ranking that are merged. */
  static final int DEPTH = 100;

  /** The constant of reciprocal rank fusion, at its usual value. */
  private static final double K = 60;

  /** Share of the best score by words from which on a message counts fully by its words. */
  private static final double STRONG = 0.6;

  /** Weight of the ranks of other messages by words. */
  private static final double WEAK = 0.5;

  /** Weight of a rank by meaning: small models tell less about short messages than words do. */
  private static final double MEANING = 0.5;

  private MeaningRanking() {}

  /**
   * The messages that, with their neighbours, have the nearest vectors, best first. Only messages
   * whose terms are given count, so that vectors of deleted messages are ignored.
   *
   * @param vectors of the same threads; null for a thread without vectors
   */
  static List<Ranking.Ranked> best(
      List<ThreadTerms> threads,
      List<@Nullable ThreadVectors> vectors,
      ThreadVectors.Query query,
      Ranking.Filter filter,
      int limit) {
    PriorityQueue<Ranking.Ranked> best = new PriorityQueue<>(Ranking.Ranked.BEST_FIRST.reversed());
    for (int i = 0; i < threads.size(); i++) {
      ThreadVectors own = vectors.get(i);
      if (own == null) {
        continue;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException();
      }
      int thread = i;
      double[] cosines = cosines(threads.get(i), own.cursor(query));
      threads
          .get(i)
          .forEach(
              (segment, position, message) -> {
                long seq = segment.seqs()[position];
                double score = window(cosines, message);
                Ranking.Ranked worst = best.size() < limit ? null : best.peek();
                if (score > 0
                    && (worst == null || score >= worst.score())
                    && filter.admits(
                        thread, segment.roles()[position], segment.times()[position], seq)) {
                  Ranking.keep(best, worst, new Ranking.Ranked(thread, message, seq, score));
                }
              });
    }
    List<Ranking.Ranked> hits = new ArrayList<>(best);
    hits.sort(Ranking.Ranked.BEST_FIRST);
    return hits;
  }

  /** The cosine of each message of a thread; 0 for one without a vector. */
  private static double[] cosines(ThreadTerms thread, ThreadVectors.Cursor cursor) {
    double[] cosines = new double[thread.messages()];
    thread.forEach(
        (segment, position, message) -> {
          double cosine = cursor.cosine(segment.seqs()[position]);
          cosines[message] = Double.isNaN(cosine) ? 0 : cosine;
        });
    return cosines;
  }

  private static double window(double[] cosines, int message) {
    double before = message == 0 ? 0 : cosines[message - 1];
    double after = message + 1 == cosines.length ? 0 : cosines[message + 1];
    return cosines[message] + MessageScores.NEIGHBOUR * (before + after);
  }

  /** A message by the indexes of its thread and of itself. */
  private record MessageIndex(int thread, int message) {}

  /**
   * Merges a ranking by words and one by meaning: the score of a message is the weighted sum of its
   * reciprocal ranks. Messages with few of the words, or only frequent ones, count half, as meaning
   * does; otherwise nothing could be found by meaning if many messages contain such words.
   */
  static List<Ranking.Ranked> fuse(
      List<Ranking.Ranked> byWords, List<Ranking.Ranked> byMeaning, int limit) {
    Map<MessageIndex, Ranking.Ranked> merged = new HashMap<>();
    double strong = byWords.isEmpty() ? 0 : STRONG * byWords.get(0).score();
    for (int rank = 0; rank < byWords.size(); rank++) {
      Ranking.Ranked hit = byWords.get(rank);
      add(merged, hit, rank, hit.score() >= strong ? 1 : WEAK);
    }
    for (int rank = 0; rank < byMeaning.size(); rank++) {
      add(merged, byMeaning.get(rank), rank, MEANING);
    }
    return merged.values().stream().sorted(Ranking.Ranked.BEST_FIRST).limit(limit).toList();
  }

  private static void add(
      Map<MessageIndex, Ranking.Ranked> merged, Ranking.Ranked hit, int rank, double weight) {
    double score = weight / (K + rank + 1);
    merged.merge(
        new MessageIndex(hit.thread(), hit.message()),
        hit.withScore(score),
        (before, more) -> before.withScore(before.score() + more.score()));
  }
}
