package io.memorygateway.dialect;

import java.util.concurrent.CancellationException;

/**
 * Finds the chain of pairs of equal atoms, in the order of both lines, that has the highest score
 * and ends with something of the model: a sparse dynamic programme over the pairs alone.
 *
 * <p>Exact while a call and a thread have at most {@code mostPairs} pairs of equal atoms, which all
 * have but those in which a few texts are repeated thousands of times. Beyond that, an atom of the
 * call is paired with the latest occurrences of its text in the thread only, and with the
 * continuation of chains that are there already; and so many echoes are followed from one atom of
 * the call to the next as the same bound allows, the latest of them. What is given up: among many
 * equal chains, one that is further back in the thread may be missed.
 */
final class WitnessSearch {
  private static final int SAME = 4;
  private static final int WITHOUT_GAP = 2;
  private static final int ECHO = 1;

  private static final int LEAST_PER_ATOM = 8;
  private static final int STEPS_BETWEEN_CHECKS = 1 << 14;

  private final AtomLine call;
  private final AtomLine thread;
  private final AtomLine.Occurrences occurrences;

  /** Of one text of the call, the pairs that are looked at. */
  private final int mostOfText;

  private final int mostContinued;

  /** Highest score of the pairs up to a place of the thread, as a Fenwick tree. */
  private final int[] highest;

  /** The pairs of the atom before, the latest place first. */
  private int[] places;

  private int[] scores;
  private int count;

  private int[] newPlaces;
  private int[] newScores;

  private int callTo;
  private int threadTo;
  private long steps;
  private boolean cut;

  /**
   * A search.
   *
   * @param codes how many codes there are in both lines
   */
  WitnessSearch(AtomLine call, AtomLine thread, int codes, int mostPairs) {
    this.call = call;
    this.thread = thread;
    this.occurrences = thread.occurrences(codes);
    this.mostOfText = mostOfText(mostPairs);
    this.mostContinued = Math.max(LEAST_PER_ATOM, mostPairs / Math.max(1, call.length()));
    this.highest = new int[thread.length() + 1];
    int most = (int) Math.min(thread.length(), (long) mostOfText + mostContinued);
    this.places = new int[most];
    this.scores = new int[most];
    this.newPlaces = new int[most];
    this.newScores = new int[most];
  }

  /** As many occurrences of each text as keep the sum of all pairs within the bound. */
  private int mostOfText(int mostPairs) {
    int low = LEAST_PER_ATOM;
    int high = Math.max(low, thread.length());
    while (low < high) {
      int middle = low + (high - low + 1) / 2;
      if (pairs(middle) <= mostPairs) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private long pairs(int mostOfText) {
    long pairs = 0;
    for (int at = 0; at < call.length(); at++) {
      pairs += Math.min(mostOfText, occurrences.count(call.exact(at)));
    }
    return pairs;
  }

  /**
   * Whether there is such a chain.
   *
   * @throws CancellationException if the thread is interrupted meanwhile
   */
  boolean find() {
    int best = 0;
    for (int at = 0; at < call.length(); at++) {
      int last = pairAll(at);
      if (last >= 0 && call.kind(at) != Atom.Kind.SAID && newScores[last] >= best) {
        best = newScores[last];
        callTo = at + 1;
        threadTo = newPlaces[last] + 1;
      }
      int[] oldPlaces = places;
      int[] oldScores = scores;
      places = newPlaces;
      scores = newScores;
      newPlaces = oldPlaces;
      newScores = oldScores;
    }
    return best > 0;
  }

  /** Atoms of the call up to the end of the chain. */
  int callTo() {
    return callTo;
  }

  int threadTo() {
    return threadTo;
  }

  /** Pairs that were looked at. */
  long steps() {
    return steps;
  }

  /** Whether pairs were left out, so that there may be a better chain. */
  boolean isCut() {
    return cut;
  }

  /**
   * Scores the pairs of an atom of the call, the latest place of the thread first: what is noted of
   * a place concerns later places only.
   *
   * @return which of them has the highest score; of several, the latest; -1 if there are none
   */
  private int pairAll(int at) {
    int code = call.exact(at);
    int number = occurrences.count(code) - 1;
    int leastNumber = Math.max(0, number + 1 - mostOfText);
    cut |= leastNumber > 0;
    // What follows the thread's last atom is nothing.
    int before = count > 0 && places[0] + 1 == thread.length() ? 1 : 0;
    int continued = 0;
    int found = 0;
    int best = -1;
    while (number >= leastNumber || before < count) {
      step();
      int same = number >= leastNumber ? occurrences.place(code, number) : -1;
      int next = before < count ? places[before] + 1 : -1;
      if (next > same && continued >= mostContinued) {
        cut = true;
        before++;
        continue;
      }
      int place = Math.max(same, next);
      int score = score(at, place, next == place ? scores[before] : 0);
      if (score > 0) {
        newPlaces[found] = place;
        newScores[found] = score;
        best = best < 0 || score > newScores[best] ? found : best;
        found++;
        note(place, score);
        continued += same == place ? 0 : 1;
      }
      number -= same == place ? 1 : 0;
      before += next == place ? 1 : 0;
    }
    count = found;
    return best;
  }

  /**
   * The score of a pair.
   *
   * @param run the score of the pair before it in both lines, 0 if that is none
   */
  private int score(int at, int place, int run) {
    if (call.exact(at) == thread.exact(place)) {
      return SAME + Math.max(run == 0 ? 0 : run + WITHOUT_GAP, highestBefore(place));
    }
    return run > 0 && call.loose(at) == thread.loose(place) ? ECHO + run : 0;
  }

  private int highestBefore(int place) {
    int score = 0;
    for (int node = place; node > 0; node -= node & -node) {
      score = Math.max(score, highest[node]);
    }
    return score;
  }

  private void note(int place, int score) {
    for (int node = place + 1; node < highest.length; node += node & -node) {
      if (highest[node] >= score) {
        return; // and so have all that cover more
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
