package io.memorygateway.memory.write;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.read.MessagePages;
import io.memorygateway.memory.rows.CloneOptions;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.MessageGapDao;
import io.memorygateway.memory.rows.MessageSnapshot;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.RemovedThreadDao;
import io.memorygateway.memory.rows.SeqRanges;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.rows.ThreadRow;
import io.memorygateway.memory.rows.ThreadTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Copies threads inside the database. Messages keep their seqs, so that observations of the source
 * hold for the copy; they get new ids.
 *
 * <p>A thread that fits into one transaction is copied in one. Of a longer one, {@link
 * ThreadCopies} first copies most into a thread that nobody sees; the transaction here adds the
 * rest and makes the thread visible.
 */
record ThreadClones(Threads threads) {
  private static final int ID_HEAD = 28;

  /** The new thread, and the range of its messages. */
  record Cloned(ThreadRow thread, MessageSnapshot messages) {}

  /** Thrown to end a transaction that would have to copy too much. */
  static final class TooLongException extends RuntimeException {
    TooLongException() {
      super("too long for one transaction", null, false, false);
    }
  }

  /** Thrown to end the last transaction of a copy whose source was changed since it was begun. */
  static final class ChangedException extends RuntimeException {
    ChangedException() {
      super("the source was changed", null, false, false);
    }
  }

  /** Returns the first seq of the newest messages that are to be copied. */
  static long firstSeq(Handle handle, ThreadHead head, CloneOptions options) {
    long count = count(head, options);
    return count == 0
        ? head.nextSeq()
        : count == head.messageCount()
            ? head.baseSeq()
            : MessagePages.seqAt(handle, head, head.messageCount() - count);
  }

  private static long count(ThreadHead head, CloneOptions options) {
    return options.messageLimit() == null
        ? head.messageCount()
        : Math.min(options.messageLimit(), head.messageCount());
  }

  /**
   * Copies a thread, or the rest of one if a copy was begun.
   *
   * @param rows of {@link Threads#newRow}, for a copy that was not begun
   * @param begun the copy so far; null if none was begun
   * @param storage hold that has to cover the copy
   * @throws ApiException 404, 409; 413 if the storage limit would be exceeded
   * @throws TooLongException if there is too much to copy
   * @throws ChangedException if messages were changed since the copy was begun
   */
  Cloned clone(
      Handle handle,
      Caller caller,
      LongSupplier rows,
      String sourceId,
      CloneOptions options,
      @Nullable ThreadCopy begun,
      StorageLimit.Hold storage) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadRow source = dao.lock(caller.projectId(), sourceId).orElseThrow(NotFound::thread);
    ThreadHead head = dao.findHead(caller.projectId(), sourceId).orElseThrow(NotFound::thread);
    if (begun != null && source.id() != begun.source()) {
      throw NotFound.thread();
    }
    if (begun != null && dao.changedVersion(source.id()) > begun.version()) {
      throw new ChangedException();
    }
    ThreadRow wanted = options.describe(source);
    long count = count(head, options);
    long from = firstSeq(handle, head, options);
    long next = begun == null ? from : Math.max(from, begun.next());
    if (count == head.messageCount()) {
      storage.require(bytes(wanted, count, head.storedBytes() - head.removedBytes()));
    }
    ThreadCopy.Batch batch = ThreadCopy.batch(handle, head.id(), next, head.nextSeq());
    if (batch.end() < head.nextSeq()) {
      throw new TooLongException();
    }
    long copied = batch.bytes();
    if (begun != null) {
      copied += begun.bytes();
      if (from > begun.first()) {
        copied -= contentBytes(handle, begun, from);
      }
    }
    storage.require(bytes(wanted, count, copied));
    Threads.Filling filling =
        new Threads.Filling(
            from,
            head.nextSeq(),
            count,
            head.storedBytes(),
            head.storedBytes() - copied,
            // Observations that are prepared for the source are not copied: the next message
            // prepares them again.
            Math.min(head.observeAt(), head.storedBytes()));
    ThreadRow clone =
        begun == null
            ? threads
                .insert(
                    handle,
                    caller,
                    rows,
                    Objects.requireNonNullElseGet(options.newThreadId(), threads::newId),
                    wanted.resourceId(),
                    wanted.title(),
                    wanted.metadata(),
                    filling)
                .orElseThrow(ThreadClones::taken)
            : show(handle, caller, wanted, filling, begun);
    if (count > 0) {
      ThreadCopy copy =
          begun == null ? ThreadCopy.into(source.id(), clone.id(), threads.newId()) : begun;
      if (begun != null && from > begun.first()) {
        // Messages were added meanwhile, so the first ones are too many.
        handle.attach(RemovedThreadDao.class).deleteMessages(clone.id(), begun.first(), from - 1);
      }
      copy.messages(handle, next, head.nextSeq());
      copyGaps(handle, head, from, count, clone.id());
    }
    ThreadTable.copy(handle, source.id(), clone.id(), threads.newId().substring(0, ID_HEAD));
    return new Cloned(
        clone,
        new MessageSnapshot(SeqRanges.between(from, head.nextSeq() - 1), ThreadHead.FIRST_VERSION));
  }

  /** Bytes that a copy counts towards the storage limit. */
  private static long bytes(ThreadRow wanted, long messages, long contents) {
    return StorageLimit.THREAD_BYTES
        + wanted.describedBytes()
        + messages * StorageLimit.MESSAGE_BYTES
        + contents;
  }

  private static long contentBytes(Handle handle, ThreadCopy copy, long before) {
    return handle
        .attach(MessageDao.class)
        .contentBytes(copy.thread(), copy.first(), Math.min(before, copy.next()));
  }

  /** Gives a copy its name and its head, which makes it visible. */
  private ThreadRow show(
      Handle handle, Caller caller, ThreadRow wanted, Threads.Filling filling, ThreadCopy begun) {
    if (handle.attach(RemovedThreadDao.class).leave(begun.thread(), false) == 0) {
      throw ThreadCopies.lost();
    }
    ThreadRow clone =
        new ThreadRow(
            begun.thread(),
            begun.publicId(),
            wanted.resourceId(),
            wanted.title(),
            wanted.metadata(),
            threads.now(),
            threads.now());
    try {
      handle.attach(ThreadDao.class).name(clone);
    } catch (JdbiException e) {
      throw DatabaseFailure.of(e) == DatabaseFailure.DUPLICATE_KEY ? taken() : e;
    }
    Threads.show(handle, caller, clone, filling);
    return clone;
  }

  static ApiException taken() {
    return ApiException.conflict("The new thread id is already used.");
  }

  /**
   * Copies gaps. In the block in which the copy begins, only messages missing after its first seq
   * count.
   */
  private static void copyGaps(Handle handle, ThreadHead head, long from, long count, long clone) {
    long missing = head.nextSeq() - from - count;
    if (missing == 0) {
      return;
    }
    MessageGapDao dao = handle.attach(MessageGapDao.class);
    long firstBlock = MessageGap.blockOf(from);
    List<MessageGapDao.Added> gaps =
        new ArrayList<>(
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
