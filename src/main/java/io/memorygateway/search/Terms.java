package io.memorygateway.search;

/** Search terms as 32-bit hashes. */
final class Terms {
  private Terms() {}

  /** The hash of a term. Two terms of one thread hardly ever have the same. */
  static int hash(String term) {
    int hash = 0x9747b28c;
    for (int i = 0; i < term.length(); i++) {
      hash = (hash ^ term.charAt(i)) * 0x01000193;
      hash = Integer.rotateLeft(hash, 13);
    }
    hash ^= hash >>> 16;
    hash *= 0x85ebca6b;
    hash ^= hash >>> 13;
    hash *= 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }
}
