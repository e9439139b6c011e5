package io.memorygateway.memory.read;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.MessageGapDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.MessageSizes;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.rows.ThreadName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages of a thread: single ones, and pages. A page costs the same at any offset: it is a
 * range of the clustered index, whose start is computed, not counted.
 */
public record MessagePages(Transactions transactions) {
  private static final Comparator<MessageRow> BY_SEQ = Comparator.comparingLong(MessageRow::seq);

  /**
   * Returns a message by its id; 404 without telling whether the thread or the message is missing.
   *
   * @param heap called with the bytes of its content before they are read, if they may be many
   */
  public MessageRow get(Caller caller, String threadId, String messageId, LongConsumer heap) {
    long project = caller.projectId();
    Optional<MessageDao.Found> found =
        transactions.read(
            handle -> handle.attach(MessageDao.class).findIfSmall(project, threadId, messageId));
    MessageDao.Found message = found.orElseThrow(NotFound::message);
    if (message.row() != null) {
      return message.row();
    }
    return transactions.snapshot(
        handle -> {
          MessageDao dao = handle.attach(MessageDao.class);
          List<MessageDao.Size> size = dao.sizesBySeq(message.threadId(), List.of(message.seq()));
          heap.accept(MessageSizes.fitting(size, 0).bytes());
          return dao.find(message.threadId(), messageId).orElseThrow(NotFound::message);
        });
  }

  /** A page, and the number of messages of the thread. */
  public record Listed(List<MessageRow> messages, long total) {}

  /**
   * Returns a page.
   *
   * @param heap called with the bytes of the contents before they are read, if they may be many
   */
  public Listed list(
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      Page page,
      boolean newestFirst,
      LongConsumer heap) {
    ThreadName thread = ThreadName.of(caller, threadId);
    MessagePageQuery.Found found =
        transactions
            .read(
                handle ->
                    MessagePageQuery.run(
                        handle.getConnection(), thread, resourceId, page, newestFirst))
            .orElseThrow(NotFound::thread);
    if (found.complete()) {
      found.messages().sort(newestFirst ? BY_SEQ.reversed() : BY_SEQ);
      return new Listed(found.messages(), found.total());
    }
    return transactions.snapshot(
        handle -> {
          ThreadHead head = head(handle, caller, threadId, resourceId);
          return new Listed(measured(handle, head, page, newestFirst, heap), head.messageCount());
        });
  }

  /**
   * A page around a message.
   *
   * @param offset of its first message, in the requested order
   */
  public record PageAround(List<MessageRow> messages, long total, long offset) {
    public PageAround {
      messages = List.copyOf(messages);
    }
  }

  /**
   * Returns the page around a message.
   *
   * @param heap called with the bytes of the contents before they are read
   */
  public PageAround around(
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      String messageId,
      int limit,
      boolean newestFirst,
      LongConsumer heap) {
    return transactions.snapshot(
        handle ->
            new MessageNeighbourhood(handle, head(handle, caller, threadId, resourceId))
                .read(messageId, limit, newestFirst, heap));
  }

  private static ThreadHead head(
      Handle handle, Caller caller, String threadId, @Nullable String resourceId) {
    return handle
        .attach(ThreadDao.class)
        .findHead(caller.projectId(), threadId)
        .filter(any -> resourceId == null || any.resourceId().equals(resourceId))
        .orElseThrow(NotFound::thread);
  }

  /** Reads the page, cut where its contents would be too large. */
  private static List<MessageRow> measured(
      Handle handle, ThreadHead head, Page page, boolean newestFirst, LongConsumer heap) {
    long total = head.messageCount();
    long wanted = Math.min(page.limit(), total - page.offset());
    if (wanted <= 0) {
      return List.of();
    }
    MessageDao dao = handle.attach(MessageDao.class);
    long first = newestFirst ? total - page.offset() - wanted : page.offset();
    List<MessageDao.Size> sizes =
        new ArrayList<>(
            dao.sizes(head.id(), seqAt(handle, head, first), head.nextSeq(), (int) wanted));
    if (newestFirst) {
      Collections.reverse(sizes);
    }
    if (sizes.isEmpty()) {
      return List.of();
    }
    MessageSizes.Fitting fitting = MessageSizes.fitting(sizes, Page.MAX_BYTES);
    heap.accept(fitting.bytes());
    long one = sizes.get(0).seq();
    long other = sizes.get(fitting.count() - 1).seq();
    List<MessageRow> messages =
        new ArrayList<>(
            dao.range(head.id(), Math.min(one, other), Math.max(one, other) + 1, fitting.count()));
    if (newestFirst) {
      Collections.reverse(messages);
    }
    return messages;
  }

  /** Returns a seq from which on the first message is the one at a position, counted from 0. */
  public static long seqAt(Handle handle, ThreadHead head, long position) {
    if (head.isDense()) {
      return head.baseSeq() + position;
    }
    List<MessageGap> gaps = handle.attach(MessageGapDao.class).list(head.id());
    MessagePosition found = MessagePosition.find(head, gaps, position);
    if (found.skipped() == 0) {
      return found.from();
    }
    return handle
        .attach(MessageDao.class)
        .seqAfter(head.id(), found.from(), found.skipped())
        .orElse(head.nextSeq());
  }
}
