package io.memorygateway.memory.rows;

/**
 * Number of deleted messages in a block of seqs.
 *
 * @param block number: its seqs are from {@code block * SIZE} up to the next block
 * @param deleted counted from the thread's base seq on
 */
public record MessageGap(long block, long deleted) {
  public static final int SIZE = 512;

  public static long blockOf(long seq) {
    return Math.floorDiv(seq, SIZE);
  }
}
