package io.memorygateway.observation;

/**
 * Ranks positions at which a growing text or list may be cut. A cut at the position of the highest
 * rank within a range stays the same while the range moves on, for about half of its length on
 * average, on every node and without any state: what goes upstream changes in steps, and the prompt
 * caches of providers hold in between.
 */
public final class StableCut {
  private StableCut() {}

  /**
   * The rank of a position: pseudo-random, but always the same (the finalizer of SplitMix64).
   *
   * @param position counted from the beginning of the whole, so that it does not change
   */
  public static long rank(long position) {
    long mixed = (position + 1) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
