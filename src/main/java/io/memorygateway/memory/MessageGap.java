package io.memorygateway.memory;

/**
 * How many messages of a run of seqs are gone.
 *
 * @param block the run: seqs from {@code block * SIZE} to the one before the next block
 * @param deleted counted from the thread's base seq on
 */
public record MessageGap(long block, long deleted) {
  public static final int SIZE = 512;

  static long blockOf(long seq) {
    return Math.floorDiv(seq, SIZE);
  }
}
