package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the messages of a thread, wherever in it they are at the cost of the first one: a page
 * is a range of the clustered index, and where it begins is computed, not counted.
 */
final class MessagePages {
  private static final Comparator<MessageRow> BY_SEQ = Comparator.comparingLong(MessageRow::seq);

  private final Transactions transactions;

  MessagePages(Transactions transactions) {
    this.transactions = transactions;
  }

  /** One page, and how many messages the thread has. */
  record Listed(List<MessageRow> messages, long total) {}

  Listed list(
      Caller caller, String threadId, @Nullable String resourceId, Page page, boolean newestFirst) {
    ThreadName thread = ThreadName.of(caller, threadId);
    MessagePageQuery.Found found =
        transactions
            .readOn(
                connection ->
                    MessagePageQuery.run(connection, thread, resourceId, page, newestFirst))
            .orElseThrow(NotFound::thread);
    if (found.dense()) {
      found.messages().sort(newestFirst ? BY_SEQ.reversed() : BY_SEQ);
      return new Listed(found.messages(), found.total());
    }
    return transactions.snapshot(
        handle -> listWithGaps(handle, caller, threadId, resourceId, page, newestFirst));
  }

  private static Listed listWithGaps(
      Handle handle,
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      Page page,
      boolean newestFirst) {
    ThreadHead head =
        handle
            .attach(ThreadDao.class)
            .findHead(caller.projectId(), threadId)
            .filter(found -> resourceId == null || found.resourceId().equals(resourceId))
            .orElseThrow(NotFound::thread);
    long total = head.messageCount();
    long wanted = Math.min(page.limit(), total - page.offset());
    if (wanted <= 0) {
      return new Listed(List.of(), total);
    }
    long first = newestFirst ? total - page.offset() - wanted : page.offset();
    List<MessageRow> messages =
        new ArrayList<>(
            handle
                .attach(MessageDao.class)
                .range(head.id(), seqAt(handle, head, first), head.nextSeq(), (int) wanted));
    if (newestFirst) {
      Collections.reverse(messages);
    }
    return new Listed(messages, total);
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
