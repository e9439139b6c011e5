package io.memorygateway.format.align;

/** The search for a witness over all pairs of atoms: slow, and right by its simplicity. */
final class DenseWitnessSearch {
  private static final int SAME = 4;
  private static final int WITHOUT_GAP = 2;
  private static final int ECHO = 1;

  private int callTo;
  private int threadTo;

  DenseWitnessSearch(AtomSequence call, AtomSequence thread) {
    int best = 0;
    int[] endingAt = new int[thread.length() + 1];
    int[] upTo = new int[thread.length() + 1];
    for (int i = 0; i < call.length(); i++) {
      boolean witness = call.kind(i) != Atom.Kind.USER;
      int[] newEndingAt = new int[endingAt.length];
      int[] newUpTo = new int[upTo.length];
      for (int j = 0; j < thread.length(); j++) {
        int score = 0;
        if (call.exact(i) == thread.exact(j)) {
          int run = endingAt[j] == 0 ? 0 : endingAt[j] + WITHOUT_GAP;
          score = SAME + Math.max(run, upTo[j]);
        } else if (call.loose(i) == thread.loose(j) && endingAt[j] > 0) {
          score = ECHO + endingAt[j];
        }
        newEndingAt[j + 1] = score;
        newUpTo[j + 1] = Math.max(Math.max(newUpTo[j], upTo[j + 1]), score);
        if (witness && score > 0 && score >= best) {
          best = score;
          callTo = i + 1;
          threadTo = j + 1;
        }
      }
      endingAt = newEndingAt;
      upTo = newUpTo;
    }
  }

  int callTo() {
    return callTo;
  }

  int threadTo() {
    return threadTo;
  }
}
