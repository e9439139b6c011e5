package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.observation.ObservationCopies;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Copies of threads. The messages are copied inside the database, under the same seqs, so that what
 * was observed of the source holds for the copy; they get new ids.
 *
 * <p>What fits into one transaction is copied in one. Of more, {@link ThreadCopies} copies most
 * before, into a thread that nobody sees; the transaction here adds the rest and shows the thread.
 */
final class ThreadClones {
  private final Threads threads;

  ThreadClones(Threads threads) {
    this.threads = threads;
  }

  /** The new thread, and what its messages lie between. */
  record Cloned(ThreadRow thread, MessageSnapshot messages) {}

  /** Ends a transaction that would have to copy too much. */
  static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLongException() {
      super("too long for one transaction", null, false, false);
    }
  }

  /** Ends the last transaction of a copy whose source was changed since it was begun. */
  static final class ChangedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ChangedException() {
      super("the source was changed", null, false, false);
    }
  }

  /** The seqs between which the newest messages lie that are wanted. */
  static long firstSeq(Handle handle, ThreadHead head, CloneOptions wish) {
    long count = count(head, wish);
    return count == 0
        ? head.nextSeq()
        : count == head.messageCount()
            ? head.baseSeq()
            : MessagePages.seqAt(handle, head, head.messageCount() - count);
  }

  private static long count(ThreadHead head, CloneOptions wish) {
    return wish.messageLimit() == null
        ? head.messageCount()
        : Math.min(wish.messageLimit(), head.messageCount());
  }

  /**
   * Copies a thread, or what a copy lacks of it.
   *
   * @param begun null if none was
   * @param storage asked for room
   * @throws ApiException 404, 409, 413
   * @throws TooLongException if there is too much to copy
   * @throws ChangedException if messages were changed since the copy was begun
   */
  Cloned clone(
      Handle handle,
      Caller caller,
      String sourceId,
      CloneOptions wish,
      @Nullable ThreadCopy begun,
      StorageLimit.Admission storage) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadRow source = dao.lock(caller.projectId(), sourceId).orElseThrow(NotFound::thread);
    ThreadHead head = dao.findHead(caller.projectId(), sourceId).orElseThrow(NotFound::thread);
    if (begun != null && source.id() != begun.source()) {
      throw NotFound.thread();
    }
    if (begun != null && dao.changedVersion(source.id()) > begun.version()) {
      throw new ChangedException();
    }
    long count = count(head, wish);
    long from = firstSeq(handle, head, wish);
    long next = begun == null ? from : Math.max(from, begun.next());
    if (count == head.messageCount()) {
      storage.require(bytes(source, wish, count, head.storedBytes() - head.removedBytes()));
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
    storage.require(bytes(source, wish, count, copied));
    Threads.Filling filling =
        new Threads.Filling(
            from,
            head.nextSeq(),
            count,
            head.storedBytes(),
            head.storedBytes() - copied,
            // What was prepared of the source is not copied: the next message makes it anew.
            Math.min(head.observeAt(), head.storedBytes()));
    ThreadRow clone =
        begun == null
            ? create(handle, caller, source, wish, filling)
            : show(handle, caller, source, wish, filling, begun);
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
    ObservationCopies.copy(handle, source.id(), clone.id(), threads.newId());
    return new Cloned(
        clone,
        new MessageSnapshot(SeqRanges.between(from, head.nextSeq() - 1), ThreadHead.FIRST_VERSION));
  }

  /** What a copy counts. */
  private static long bytes(ThreadRow source, CloneOptions wish, long messages, long contents) {
    return Threads.newBytes(
            wish.title() == null ? source.title() : wish.title(),
            wish.metadata() == null ? source.metadata() : wish.metadata())
        + messages * StorageLimit.MESSAGE_BYTES
        + contents;
  }

  private static long contentBytes(Handle handle, ThreadCopy copy, long before) {
    return handle
        .attach(MessageDao.class)
        .contentBytes(copy.thread(), copy.first(), Math.min(before, copy.next()));
  }

  private ThreadRow create(
      Handle handle, Caller caller, ThreadRow source, CloneOptions wish, Threads.Filling filling) {
    return threads
        .insert(
            handle,
            caller,
            Objects.requireNonNullElseGet(wish.newThreadId(), threads::newId),
            Objects.requireNonNullElse(wish.resourceId(), source.resourceId()),
            wish.title() == null ? source.title() : wish.title(),
            wish.metadata() == null ? source.metadata() : wish.metadata(),
            filling)
        .orElseThrow(ThreadClones::taken);
  }

  /** Gives a copy its name and its head. */
  private ThreadRow show(
      Handle handle,
      Caller caller,
      ThreadRow source,
      CloneOptions wish,
      Threads.Filling filling,
      ThreadCopy begun) {
    if (handle.attach(RemovedThreadDao.class).leave(begun.thread(), false) == 0) {
      throw ThreadCopies.lost();
    }
    ThreadRow clone =
        new ThreadRow(
            begun.thread(),
            begun.publicId(),
            Objects.requireNonNullElse(wish.resourceId(), source.resourceId()),
            wish.title() == null ? source.title() : wish.title(),
            wish.metadata() == null ? source.metadata() : wish.metadata(),
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
    return new ApiException(ApiError.conflict("The new thread id is already used."));
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
