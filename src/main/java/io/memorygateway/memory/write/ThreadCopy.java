package io.memorygateway.memory.write;

import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageSizes;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Progress of copying a thread.
 *
 * @param source {@code threads.id}
 * @param thread {@code threads.id} of the copy
 * @param publicId that the copy will have
 * @param ids start of the ids of its messages, which count up from it
 * @param version of the source's last change when the copy was begun
 * @param first seq of the first message that was copied
 * @param next seq of the message to be copied next
 * @param bytes of the contents that were copied
 */
record ThreadCopy(
    long source,
    long thread,
    String publicId,
    UUID ids,
    long version,
    long first,
    long next,
    long bytes) {
  private static final int MESSAGES = 2_000;
  private static final long BYTES = 16 << 20;
  private static final int ID_HEAD = 19;

  static ThreadCopy into(long source, long thread, String newId) {
    return new ThreadCopy(source, thread, "", UUID.fromString(newId), 0, 0, 0, 0);
  }

  ThreadCopy with(Batch batch) {
    return new ThreadCopy(
        source, thread, publicId, ids, version, first, batch.end(), bytes + batch.bytes());
  }

  /**
   * Messages that are copied together.
   *
   * @param end seq after the last one
   * @param bytes of their contents
   */
  record Batch(long end, long bytes) {}

  /** Chooses a batch of bounded size. */
  static Batch batch(Handle handle, long thread, long from, long to) {
    List<MessageDao.Size> sizes =
        from < to
            ? handle.attach(MessageDao.class).sizes(thread, from, to, MESSAGES)
            : List.<MessageDao.Size>of();
    MessageSizes.Fitting fitting = MessageSizes.fitting(sizes, BYTES);
    boolean all = sizes.size() < MESSAGES && fitting.count() == sizes.size();
    return new Batch(all ? to : sizes.get(fitting.count() - 1).seq() + 1, fitting.bytes());
  }

  void messages(Handle handle, long from, long to) {
    // Of the random half two bits are fixed and the highest of the others is cleared, so that
    // counting up cannot run over.
    long tail = ids.getLeastSignificantBits() & ~(1L << 61);
    handle
        .attach(MessageDao.class)
        .copy(
            source,
            from,
            to,
            thread,
            ids.toString().substring(0, ID_HEAD),
            Long.toUnsignedString(tail));
  }
}
