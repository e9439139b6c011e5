package io.memorygateway.observation;

import java.util.List;

/**
 * Decides how much is observed at once (contract §8), in tokens of messages.
 *
 * @param threshold at which messages are taken out of the context
 */
record CutRule(long threshold) {

  /** Tokens of new messages after which observations are prepared. */
  long interval() {
    return Math.max(1, threshold / 5);
  }

  /** Tokens of the newest messages that remain in the context. */
  long retained() {
    return threshold / 5;
  }

  /**
   * Chooses how many of the first batches to take out: as many as leave at least {@link
   * #retained()}. If more than half of the threshold would remain, because the next batch is very
   * large, that one is taken out too. At most the threshold is taken out at once, unless a single
   * batch is larger.
   *
   * @param tokens of each batch
   * @param cuts the numbers of batches behind which a cut may be made, in order
   * @param pending tokens of all batches
   * @return number of batches; 0 if none may be taken out
   */
  int choose(List<Long> tokens, List<Integer> cuts, long pending) {
    int chosen = 0;
    long stays = pending;
    for (int cut : cuts) {
      long after = stays;
      for (long batch : tokens.subList(chosen, cut)) {
        after -= batch;
      }
      boolean enough = after >= retained();
      boolean tooMuch = chosen > 0 && pending - after > threshold;
      if (tooMuch || (!enough && stays <= threshold / 2)) {
        break;
      }
      chosen = cut;
      stays = after;
    }
    return chosen;
  }
}
