package io.memorygateway.memory.rows;

import java.util.List;

/** Tells how many messages fit into a number of bytes, before they are read. */
public final class MessageSizes {
  private MessageSizes() {}

  /**
   * The first messages of a list.
   *
   * @param count their number
   * @param bytes of their contents
   */
  public record Fitting(int count, long bytes) {}

  /** Returns as many of the first messages as have at most {@code max} bytes, but at least one. */
  public static Fitting fitting(List<MessageDao.Size> sizes, long max) {
    long all = 0;
    for (int i = 0; i < sizes.size(); i++) {
      long with = all + sizes.get(i).bytes();
      if (i > 0 && with > max) {
        return new Fitting(i, all);
      }
      all = with;
    }
    return new Fitting(sizes.size(), all);
  }
}
