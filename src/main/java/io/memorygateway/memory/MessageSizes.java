package io.memorygateway.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Determines how large messages are before they are read. It reads contents only of rows written by
 * a version that did not record their size, a few at a time.
 */
final class MessageSizes {
  private static final int MEASURED_AT_ONCE = 16;

  private final MessageDao dao;
  private final long threadId;
  private final Map<Long, Long> measured = new HashMap<>();

  MessageSizes(Handle handle, long threadId) {
    this.dao = handle.attach(MessageDao.class);
    this.threadId = threadId;
  }

  /**
   * The first messages of a list.
   *
   * @param count their number
   * @param bytes of their contents
   */
  record Fitting(int count, long bytes) {}

  /** Returns as many of the first messages as have at most {@code max} bytes, but at least one. */
  Fitting fitting(List<MessageDao.Size> sizes, long max) {
    long all = 0;
    for (int i = 0; i < sizes.size(); i++) {
      long with = all + bytes(sizes, i);
      if (i > 0 && with > max) {
        return new Fitting(i, all);
      }
      all = with;
    }
    return new Fitting(sizes.size(), all);
  }

  private long bytes(List<MessageDao.Size> sizes, int index) {
    MessageDao.Size size = sizes.get(index);
    if (size.bytes() != null) {
      return size.bytes();
    }
    if (!measured.containsKey(size.seq())) {
      List<Long> seqs = new ArrayList<>();
      for (int i = index; i < sizes.size() && seqs.size() < MEASURED_AT_ONCE; i++) {
        if (sizes.get(i).bytes() == null) {
          seqs.add(sizes.get(i).seq());
        }
      }
      dao.measure(threadId, seqs)
          .forEach(each -> measured.put(each.seq(), each.bytes() == null ? 0 : each.bytes()));
    }
    return measured.getOrDefault(size.seq(), 0L);
  }
}
