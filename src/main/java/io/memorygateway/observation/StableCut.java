package io.memorygateway.observation;

/**
 * Ranks places at which a growing text or list may be cut. Whoever cuts at the place of the highest
 * rank within a range cuts at the same place while the range moves on, for about half of its length
 * on average, on every node and without remembering anything: what goes upstream changes in steps,
 * and the prompt caches of providers hold in between.
 */
public final class StableCut {
  private StableCut() {}

  /**
   * The rank of a place, like a random number but the same each time (the finalizer of SplitMix64).
   *
   * @param place counted from the beginning of all, so that it stays as it is
   */
  public static long rank(long place) {
    long mixed = (place + 1) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
