package io.memorygateway.format.align;

import java.util.concurrent.CancellationException;

/**
 * Finds the chain of pairs of equal atoms, in the order of both lines, that has the highest score
 * and ends with something of the model: a sparse dynamic programme over the pairs alone.
 *
 * <p>Exact while a call and a thread have at most {@code maxPairs} pairs of equal atoms, which all
 * have but those in which a few texts are repeated thousands of times. Beyond that, an atom of the
 * call is paired with the latest occurrences of its text in the thread only, and with the
 * continuation of chains that are there already; and so many echoes are followed from one atom of
 * the call to the next as the same bound allows, the latest of them. What is given up: among many
 * equal chains, one that is further back in the thread may be missed.
 */
final class ChainSearch {
  private static final int SAME_WEIGHT = 4;
  private static final int NO_GAP_WEIGHT = 2;
  private static final int ECHO_WEIGHT = 1;

  private static final int MIN_SCORE_PER_ATOM = 8;
  private static final int STEPS_BETWEEN_CHECKS = 1 << 14;

  private final AtomSequence call;
  private final AtomSequence thread;
  private final AtomSequence.Occurrences occurrences;

  /** The most pairs that are examined for one text of the call. */
  private final int maxOccurrences;

  private final int maxContinued;

  /** Highest score of the pairs up to an index of the thread, as a Fenwick tree. */
  private final int[] highest;

  /** The thread indexes of the previous atom's pairs, descending. */
  private int[] positions;

  private int[] scores;
  private int count;

  private int[] newPositions;
  private int[] newScores;

  private int callTo;
  private int threadTo;
  private long steps;
  private boolean cut;

  /**
   * @param codes number of distinct codes in both lines
   */
  ChainSearch(AtomSequence call, AtomSequence thread, int codes, int maxPairs) {
    this.call = call;
    this.thread = thread;
    this.occurrences = thread.occurrences(codes);
    this.maxOccurrences = maxOccurrences(maxPairs);
    this.maxContinued = Math.max(MIN_SCORE_PER_ATOM, maxPairs / Math.max(1, call.length()));
    this.highest = new int[thread.length() + 1];
    int max = (int) Math.min(thread.length(), (long) maxOccurrences + maxContinued);
    this.positions = new int[max];
    this.scores = new int[max];
    this.newPositions = new int[max];
    this.newScores = new int[max];
  }

  /** The number of occurrences of each text that keeps the sum of all pairs within the bound. */
  private int maxOccurrences(int maxPairs) {
    int low = MIN_SCORE_PER_ATOM;
    int high = Math.max(low, thread.length());
    while (low < high) {
      int middle = low + (high - low + 1) / 2;
      if (pairs(middle) <= maxPairs) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private long pairs(int maxOccurrences) {
    long pairs = 0;
    for (int at = 0; at < call.length(); at++) {
      pairs += Math.min(maxOccurrences, occurrences.count(call.exact(at)));
    }
    return pairs;
  }

  /**
   * Searches for the chain; false if there is none.
   *
   * @throws CancellationException if the thread is interrupted meanwhile
   */
  boolean find() {
    int best = 0;
    for (int at = 0; at < call.length(); at++) {
      int last = pairAll(at);
      if (last >= 0 && call.kind(at) != Atom.Kind.USER && newScores[last] >= best) {
        best = newScores[last];
        callTo = at + 1;
        threadTo = newPositions[last] + 1;
      }
      int[] oldPositions = positions;
      int[] oldScores = scores;
      positions = newPositions;
      scores = newScores;
      newPositions = oldPositions;
      newScores = oldScores;
    }
    return best > 0;
  }

  /** Number of the call's atoms up to the end of the chain. */
  int callTo() {
    return callTo;
  }

  int threadTo() {
    return threadTo;
  }

  /** Number of pairs that were examined. */
  long steps() {
    return steps;
  }

  /** Whether pairs were skipped, so that there may be a better chain. */
  boolean isCut() {
    return cut;
  }

  /**
   * Scores the pairs of an atom of the call, the latest index of the thread first, so that a score
   * stored for an index is only used by later indexes.
   *
   * @return number of the pair with the highest score; of several, the latest; -1 if there are none
   */
  private int pairAll(int at) {
    int code = call.exact(at);
    int number = occurrences.count(code) - 1;
    int minNumber = Math.max(0, number + 1 - maxOccurrences);
    cut |= minNumber > 0;
    // After the thread's last atom there is nothing to pair.
    int before = count > 0 && positions[0] + 1 == thread.length() ? 1 : 0;
    int continued = 0;
    int found = 0;
    int best = -1;
    while (number >= minNumber || before < count) {
      step();
      int same = number >= minNumber ? occurrences.position(code, number) : -1;
      int next = before < count ? positions[before] + 1 : -1;
      if (next > same && continued >= maxContinued) {
        cut = true;
        before++;
        continue;
      }
      int position = Math.max(same, next);
      int score = score(at, position, next == position ? scores[before] : 0);
      if (score > 0) {
        newPositions[found] = position;
        newScores[found] = score;
        best = best < 0 || score > newScores[best] ? found : best;
        found++;
        raise(position, score);
        continued += same == position ? 0 : 1;
      }
      number -= same == position ? 1 : 0;
      before += next == position ? 1 : 0;
    }
    count = found;
    return best;
  }

  /**
   * The score of a pair.
   *
   * @param run the score of the pair directly before it in both lines, 0 if there is none
   */
  private int score(int at, int position, int run) {
    if (call.exact(at) == thread.exact(position)) {
      return SAME_WEIGHT + Math.max(run == 0 ? 0 : run + NO_GAP_WEIGHT, highestBefore(position));
    }
    return run > 0 && call.loose(at) == thread.loose(position) ? ECHO_WEIGHT + run : 0;
  }

  private int highestBefore(int position) {
    int score = 0;
    for (int node = position; node > 0; node -= node & -node) {
      score = Math.max(score, highest[node]);
    }
    return score;
  }

  private void raise(int position, int score) {
    for (int node = position + 1; node < highest.length; node += node & -node) {
      if (highest[node] >= score) {
        return; // and so have all nodes that cover more
      }
      highest[node] = score;
    }
  }

  private void step() {
    if (++steps % STEPS_BETWEEN_CHECKS == 0) {
      Cancellation.check();
    }
  }
}
