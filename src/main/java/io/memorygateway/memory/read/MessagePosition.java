package io.memorygateway.memory.read;

import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.ThreadHead;
import java.util.List;

/**
 * Location of the message at a position: {@code skipped} messages after {@code from}.
 *
 * @param from a seq, that of a message or one before it
 * @param skipped number of messages from there on that precede it, fewer than a block has
 */
record MessagePosition(long from, long skipped) {

  /**
   * Finds a message by its position.
   *
   * @param gaps of the thread, ascending
   * @param position counted from 0
   */
  static MessagePosition find(ThreadHead head, List<MessageGap> gaps, long position) {
    long deletedBefore = 0;
    for (MessageGap gap : gaps) {
      long start = Math.max(gap.block() * MessageGap.SIZE, head.baseSeq());
      long end = Math.min((gap.block() + 1) * MessageGap.SIZE, head.nextSeq());
      long livingBefore = start - head.baseSeq() - deletedBefore;
      if (position < livingBefore) {
        break;
      }
      if (position < livingBefore + end - start - gap.deleted()) {
        return new MessagePosition(start, position - livingBefore);
      }
      deletedBefore += gap.deleted();
    }
    return new MessagePosition(head.baseSeq() + position + deletedBefore, 0);
  }
}
