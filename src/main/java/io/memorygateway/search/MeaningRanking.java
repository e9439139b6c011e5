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
 * Ranks messages by words and by meaning, the cosine of their vectors with that of the query. Both
 * are told in standard deviations of all messages that are searched, which says how far a message
 * stands out, whatever the model; and meaning counts the more, the farther its best message stands
 * out: by chance, that of n messages would by about √(2 ln n).
 */
final class MeaningRanking {
  /** Messages of each ranking that are merged. */
  static final int DEPTH = 1_000;

  /** Weight of meaning whose best message stands out as by chance: small models tell little. */
  private static final double MEANING = 0.5;

  private final List<ThreadTerms> threads;
  private final List<double[]> cosines = new ArrayList<>();

  /** How far each message stands out by its meaning, in standard deviations. */
  private final List<double[]> standing = new ArrayList<>();

  private double weight;
  private double lowest;

  /**
   * Compares all messages with a query. Only messages whose terms are given count, so that vectors
   * of deleted messages are ignored.
   *
   * @param vectors of the same threads; null for a thread without vectors
   */
  MeaningRanking(
      List<ThreadTerms> threads, List<@Nullable ThreadVectors> vectors, ThreadVectors.Query query) {
    this.threads = threads;
    Spread own = new Spread();
    for (int i = 0; i < threads.size(); i++) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException();
      }
      ThreadVectors of = vectors.get(i);
      double[] all = of == null ? new double[0] : cosines(threads.get(i), of.cursor(query));
      for (double cosine : all) {
        own.add(cosine);
      }
      cosines.add(all);
    }
    stand(own);
  }

  /** The cosine of each message of a thread; NaN for one without a vector. */
  private static double[] cosines(ThreadTerms thread, ThreadVectors.Cursor cursor) {
    double[] cosines = new double[thread.messages()];
    thread.forEach(
        (segment, position, message) -> cosines[message] = cursor.cosine(segment.seqs()[position]));
    return cosines;
  }

  /** A message stands out by itself, or with its neighbours; the larger of both counts. */
  private void stand(Spread own) {
    Spread around = new Spread();
    List<double[]> windows = new ArrayList<>();
    for (double[] all : cosines) {
      double[] window = new double[all.length];
      for (int i = 0; i < all.length; i++) {
        double neighbours =
            (i == 0 ? 0 : own.standing(all[i - 1]))
                + (i + 1 == all.length ? 0 : own.standing(all[i + 1]));
        window[i] = own.standing(all[i]) + MessageScores.NEIGHBOUR * neighbours;
        around.add(window[i]);
      }
      windows.add(window);
    }
    double best = 0;
    for (int thread = 0; thread < cosines.size(); thread++) {
      double[] all = windows.get(thread);
      for (int i = 0; i < all.length; i++) {
        all[i] = Math.max(own.standing(cosines.get(thread)[i]), around.standing(all[i]));
        best = Math.max(best, all[i]);
        lowest = Math.min(lowest, all[i]);
      }
      standing.add(all);
    }
    double byChance = 2 * Math.log((double) Math.max(2, own.count()));
    weight = MEANING * best * best / byChance;
  }

  private record MessageIndex(int thread, int message) {}

  /**
   * The best messages by words and meaning, best first: those of one of the rankings.
   *
   * @param byWords the best by words
   */
  List<Ranking.Ranked> fuse(Ranking.Best byWords, Ranking.Filter filter, int limit) {
    Map<MessageIndex, Ranking.Ranked> merged = new HashMap<>();
    for (Ranking.Ranked hit : byWords.hits()) {
      double score = hit.score() / byWords.deviation() + meaning(hit.thread(), hit.message());
      merged.put(new MessageIndex(hit.thread(), hit.message()), hit.withScore(score));
    }
    for (Ranking.Ranked hit : best(filter)) {
      merged.putIfAbsent(new MessageIndex(hit.thread(), hit.message()), hit);
    }
    return merged.values().stream().sorted(Ranking.Ranked.BEST_FIRST).limit(limit).toList();
  }

  private List<Ranking.Ranked> best(Ranking.Filter filter) {
    PriorityQueue<Ranking.Ranked> best = new PriorityQueue<>(Ranking.Ranked.BEST_FIRST.reversed());
    for (int i = 0; i < threads.size(); i++) {
      int thread = i;
      if (cosines.get(i).length > 0) {
        threads
            .get(i)
            .forEach(
                (segment, position, message) -> {
                  double score = meaning(thread, message);
                  Ranking.Ranked worst = best.size() < DEPTH ? null : best.peek();
                  if (cosines.get(thread)[message] > 0
                      && (worst == null || score >= worst.score())
                      && filter.admits(
                          thread,
                          segment.roles()[position],
                          segment.times()[position],
                          segment.seqs()[position])) {
                    Ranking.keep(
                        best,
                        worst,
                        new Ranking.Ranked(thread, message, segment.seqs()[position], score));
                  }
                });
      }
    }
    return List.copyOf(best);
  }

  /** What the meaning of a message adds to its score; the cosine decides where all are alike. */
  private double meaning(int thread, int message) {
    double[] all = standing.get(thread);
    double cosine = all.length == 0 ? 0 : cosines.get(thread)[message];
    return (cosine > 0 ? cosine : 0) + weight * ((all.length == 0 ? 0 : all[message]) - lowest);
  }
}
