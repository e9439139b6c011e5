package io.memorygateway.memory.read;

import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.MessageGapDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.MessageSizes;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadHead;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;

/** Reads the page around a message, in one snapshot of the thread. */
final class MessageNeighbourhood {
  private final MessageDao dao;
  private final MessageGapDao gaps;
  private final ThreadHead thread;

  MessageNeighbourhood(Handle handle, ThreadHead thread) {
    this.dao = handle.attach(MessageDao.class);
    this.gaps = handle.attach(MessageGapDao.class);
    this.thread = thread;
  }

  /**
   * Returns the messages around one, including it; near an end of the thread, more of the other
   * side.
   *
   * @param limit messages at most
   * @param heap called with the bytes of the contents before they are read
   * @throws io.memorygateway.http.errors.ApiException 404 if the message does not exist
   */
  MessagePages.PageAround read(
      String messageId, int limit, boolean newestFirst, LongConsumer heap) {
    long seq = dao.seqOf(thread.id(), messageId).orElseThrow(NotFound::message);
    long total = thread.messageCount();
    long position = position(seq);
    long behind = Math.min(total - position - 1, newestFirst ? limit / 2 : (limit - 1) / 2);
    int wantedBefore = (int) Math.min(position, limit - 1 - behind);
    List<MessageDao.Size> before = new ArrayList<>(dao.sizesBefore(thread.id(), seq, wantedBefore));
    List<MessageDao.Size> after =
        new ArrayList<>(dao.sizes(thread.id(), seq, thread.nextSeq(), limit - before.size()));
    MessageDao.Size own = after.remove(0);
    List<MessageDao.Size> nearestFirst = new ArrayList<>(List.of(own));
    for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
      before.stream().skip(i).findFirst().ifPresent(nearestFirst::add);
      after.stream().skip(i).findFirst().ifPresent(nearestFirst::add);
    }
    MessageSizes.Fitting fitting = MessageSizes.fitting(nearestFirst, Page.MAX_BYTES);
    heap.accept(fitting.bytes());
    long first = seq;
    long last = seq;
    int count = fitting.count();
    for (MessageDao.Size size : nearestFirst.subList(0, count)) {
      first = Math.min(first, size.seq());
      last = Math.max(last, size.seq());
    }
    List<MessageRow> messages = new ArrayList<>(dao.range(thread.id(), first, last + 1, count));
    long offset = position - messages.stream().filter(message -> message.seq() < seq).count();
    if (newestFirst) {
      Collections.reverse(messages);
      offset = total - offset - messages.size();
    }
    return new MessagePages.PageAround(messages, total, offset);
  }

  /** Counts the messages before a seq at which there is one. */
  private long position(long seq) {
    if (thread.isDense()) {
      return seq - thread.baseSeq();
    }
    long block = MessageGap.blockOf(seq);
    long deletedBefore = 0;
    for (MessageGap gap : gaps.list(thread.id())) {
      deletedBefore += gap.block() < block ? gap.deleted() : 0;
    }
    long start = Math.max(block * MessageGap.SIZE, thread.baseSeq());
    return start - thread.baseSeq() - deletedBefore + dao.count(thread.id(), start, seq);
  }
}
