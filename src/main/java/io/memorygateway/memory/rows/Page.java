package io.memorygateway.memory.rows;

/**
 * Limit and offset of a part of a list.
 *
 * @param limit items at most, 1 to {@value #MAX_LIMIT}
 * @param offset items that are skipped
 */
public record Page(int limit, long offset) {
  public static final int MAX_LIMIT = 200;

  /** Bytes after which a page ends, with at least one item. */
  public static final int MAX_BYTES = 16 << 20;
}
