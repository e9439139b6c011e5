package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages of a thread: single ones, and pages. A page costs what the first one costs,
 * however deep it is: it is a range of the clustered index, and where it begins is computed, not
 * counted.
 */
public final class MessagePages {
  private static final Comparator<MessageRow> BY_SEQ = Comparator.comparingLong(MessageRow::seq);

  private final Transactions transactions;

  MessagePages(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * A message by its id; 404 without telling whether it is the thread or the message.
   *
   * @param room is told how many bytes its content has, if they may be many
   */
  public MessageRow get(Caller caller, String threadId, String messageId, LongConsumer room) {
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
          room.accept(new MessageSizes(handle, message.threadId()).fitting(size, 0).bytes());
          return dao.find(message.threadId(), messageId).orElseThrow(NotFound::message);
        });
  }

  /** One page, and how many messages the thread has. */
  public record Listed(List<MessageRow> messages, long total) {}

  /**
   * A page.
   *
   * @param room is told how many bytes of contents will be read, if they may be many
   */
  public Listed list(
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      Page page,
      boolean newestFirst,
      LongConsumer room) {
    ThreadName thread = ThreadName.of(caller, threadId);
    MessagePageQuery.Found found =
        transactions
            .readOn(
                connection ->
                    MessagePageQuery.run(connection, thread, resourceId, page, newestFirst))
            .orElseThrow(NotFound::thread);
    if (found.whole()) {
      found.messages().sort(newestFirst ? BY_SEQ.reversed() : BY_SEQ);
      return new Listed(found.messages(), found.total());
    }
    return transactions.snapshot(
        handle -> {
          ThreadHead head = head(handle, caller, threadId, resourceId);
          return new Listed(measured(handle, head, page, newestFirst, room), head.messageCount());
        });
  }

  /**
   * The page around a message.
   *
   * @param offset of its first message, in the order that was asked for
   */
  public record Around(List<MessageRow> messages, long total, long offset) {
    public Around {
      messages = List.copyOf(messages);
    }
  }

  /**
   * The page that has a message in its middle.
   *
   * @param room is told how many bytes of contents will be read
   */
  public Around around(
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      String messageId,
      int limit,
      boolean newestFirst,
      LongConsumer room) {
    return transactions.snapshot(
        handle ->
            new MessageNeighbourhood(handle, head(handle, caller, threadId, resourceId))
                .read(messageId, limit, newestFirst, room));
  }

  private static ThreadHead head(
      Handle handle, Caller caller, String threadId, @Nullable String resourceId) {
    return handle
        .attach(ThreadDao.class)
        .findHead(caller.projectId(), threadId)
        .filter(any -> resourceId == null || any.resourceId().equals(resourceId))
        .orElseThrow(NotFound::thread);
  }

  /** The page, cut where it would be too large. */
  private static List<MessageRow> measured(
      Handle handle, ThreadHead head, Page page, boolean newestFirst, LongConsumer room) {
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
    MessageSizes.Fitting fitting =
        new MessageSizes(handle, head.id()).fitting(sizes, Page.MAX_BYTES);
    room.accept(fitting.bytes());
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

  /** A seq from which on the message at a position, counted from 0, is the first one. */
  static long seqAt(Handle handle, ThreadHead head, long position) {
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
