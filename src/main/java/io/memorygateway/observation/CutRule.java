package io.memorygateway.observation;

import java.util.List;

/**
 * How much is observed at once (contract §8), in tokens of messages.
 *
 * @param threshold at which messages are taken out of the context
 */
record CutRule(long threshold) {

  /** Every so many tokens, observations are prepared. */
  long interval() {
    return Math.max(1, threshold / 5);
  }

  /** What stays of the newest messages. */
  long retained() {
    return threshold / 5;
  }

  /**
   * How many of the first portions are to go: so many that what stays is the least that is enough.
   * If that is more than half of the threshold, because the next portion is a very large one, then
   * that one goes as well. Not more than the threshold goes at once, unless a single portion is.
   *
   * @param portions their tokens
   * @param cuts the numbers of portions behind which a cut may be made, in order
   * @param pending tokens of all that there is
   * @return 0 if nothing may go
   */
  int choose(List<Long> portions, List<Integer> cuts, long pending) {
    int chosen = 0;
    long stays = pending;
    for (int cut : cuts) {
      long after = stays;
      for (long portion : portions.subList(chosen, cut)) {
        after -= portion;
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
