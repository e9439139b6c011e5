package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.observation.ObservationCopies;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Copies of threads. The messages are copied inside the database, under the same seqs, so that what
 * was observed of the source holds for the copy; they get new ids.
 */
final class ThreadClones {
  private final Threads threads;

  ThreadClones(Threads threads) {
    this.threads = threads;
  }

  /** The new thread, and what its messages lie between. */
  record Cloned(ThreadRow thread, AnsweredMessages messages) {}

  Cloned clone(Handle handle, Caller caller, String sourceId, ThreadBodies.Clone wish) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadRow source = dao.lock(caller.projectId(), sourceId).orElseThrow(NotFound::thread);
    ThreadHead head = dao.findHead(caller.projectId(), sourceId).orElseThrow(NotFound::thread);

    long count =
        wish.messageLimit() == null
            ? head.messageCount()
            : Math.min(wish.messageLimit(), head.messageCount());
    long from =
        count == 0
            ? head.nextSeq()
            : count == head.messageCount()
                ? head.baseSeq()
                : MessagePages.seqAt(handle, head, head.messageCount() - count);
    ThreadRow clone =
        threads
            .insert(
                handle,
                caller,
                Objects.requireNonNullElseGet(wish.newThreadId(), threads::newId),
                Objects.requireNonNullElse(wish.resourceId(), source.resourceId()),
                wish.title() == null ? source.title() : wish.title(),
                wish.metadata() == null ? source.metadata() : wish.metadata(),
                new Threads.Filling(
                    from,
                    head.nextSeq(),
                    count,
                    head.storedBytes(),
                    // What was prepared of the source is not copied: the next message makes it
                    // anew.
                    Math.min(head.observeAt(), head.storedBytes())))
            .orElseThrow(
                () -> new ApiException(ApiError.conflict("The new thread id is already used.")));
    if (count > 0) {
      copyMessages(handle, source.id(), from, clone.id());
      copyGaps(handle, head, from, count, clone.id());
    }
    ObservationCopies.copy(handle, source.id(), clone.id(), threads.newId());
    return new Cloned(
        clone,
        new AnsweredMessages(
            SeqRanges.between(from, head.nextSeq() - 1), ThreadHead.FIRST_VERSION));
  }

  private void copyMessages(Handle handle, long source, long from, long clone) {
    UUID first = UUID.fromString(threads.newId());
    // Of the random half two bits are fixed and the highest of the others is cleared, so that
    // counting up cannot run over.
    long tail = first.getLeastSignificantBits() & ~(1L << 61);
    handle
        .attach(MessageDao.class)
        .copy(source, from, clone, first.toString().substring(0, 19), Long.toUnsignedString(tail));
  }

  /** Of the block that the copy begins in, only what is missing behind the beginning counts. */
  private static void copyGaps(Handle handle, ThreadHead head, long from, long count, long clone) {
    long missing = head.nextSeq() - from - count;
    if (missing == 0) {
      return;
    }
    MessageGapDao dao = handle.attach(MessageGapDao.class);
    long firstBlock = MessageGap.blockOf(from);
    List<MessageGapDao.Added> gaps =
        new java.util.ArrayList<>(
            dao.list(head.id()).stream()
                .filter(gap -> gap.block() > firstBlock)
                .map(gap -> new MessageGapDao.Added(clone, gap.block(), gap.deleted()))
                .toList());
    long inFirstBlock = missing - gaps.stream().mapToLong(MessageGapDao.Added::deleted).sum();
    if (inFirstBlock > 0) {
      gaps.add(new MessageGapDao.Added(clone, firstBlock, inFirstBlock));
    }
    dao.add(gaps);
  }
}
