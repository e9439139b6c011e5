package io.memorygateway.memory.write;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.CloneOptions;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.RemovedThreadDao;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies threads that are too long for one transaction, in batches that lock little and not for
 * long. Until the last transaction, which makes the whole copy visible, it has no head and is
 * listed in {@code removed_threads}: what a crash leaves of it is removed. Messages are only ever
 * added at the end of a thread, so what was copied stays right, unless one was changed or deleted:
 * then the copy starts over.
 *
 * @param timeout time of one copy, for which a client waits
 */
record ThreadCopies(Transactions transactions, Threads threads, Duration timeout) {
  private static final Logger LOGGER = LoggerFactory.getLogger(ThreadCopies.class);
  private static final int ATTEMPTS = 3;

  /** Time after which an abandoned copy may be removed. */
  private static final int LEASE_SECONDS = 60;

  /**
   * Copies all but a last batch, then calls {@code last}.
   *
   * @param storage hold that has to cover each batch
   * @param last copies the last batch, in a transaction of its own; may be called several times
   * @return what the last transaction returns
   * @throws ApiException 404, 409; 413 if it takes too long or exceeds the storage limit; 503 if
   *     the thread is changed all the time
   */
  <T> T copy(
      Caller caller,
      String sourceId,
      CloneOptions options,
      StorageLimit.Hold storage,
      Function<ThreadCopy, T> last) {
    long start = System.nanoTime();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      LongSupplier rows = threads.newRow(caller);
      ThreadCopy copy =
          transactions.write(
              step(), handle -> begin(handle, caller, rows.getAsLong(), sourceId, options));
      try {
        while (true) {
          if (System.nanoTime() - start > timeout.toNanos()) {
            throw tooLong();
          }
          ThreadCopy known = copy;
          copy = transactions.write(step(), handle -> step(handle, caller, sourceId, known));
          storage.require(copy.bytes());
          if (copy.next() == known.next()) {
            try {
              return last.apply(copy);
            } catch (ThreadClones.TooLongException e) {
              LOGGER.debug("Messages were added while the last batch was to be copied");
            }
          }
        }
      } catch (ThreadClones.ChangedException e) {
        LOGGER.debug("The source of a copy was changed; it is begun anew");
      } finally {
        abandon(copy.thread());
      }
    }
    throw ApiException.unavailable(
        "Messages of the thread were changed again and again while it was copied; try again.", 1);
  }

  /** Deadline of one transaction; the copy as a whole may take longer than other requests. */
  private static Deadline step() {
    return Deadline.in(Transactions.ANSWER_TIMEOUT);
  }

  private ThreadCopy begin(
      Handle handle, Caller caller, long thread, String sourceId, CloneOptions options) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadHead head = dao.findHead(caller.projectId(), sourceId).orElseThrow(NotFound::thread);
    String publicId = Objects.requireNonNullElseGet(options.newThreadId(), threads::newId);
    if (dao.findHead(caller.projectId(), publicId).isPresent()) {
      throw ThreadClones.taken();
    }
    threads.insert(
        handle,
        new ThreadDao.Insert(
            thread,
            caller.projectId(),
            // A name that no client can give or see.
            "\0" + threads.newId(),
            Objects.requireNonNullElse(options.resourceId(), head.resourceId()),
            null,
            null,
            threads.now()));
    handle.attach(RemovedThreadDao.class).enter(thread, caller.projectId(), LEASE_SECONDS);
    long first = ThreadClones.firstSeq(handle, head, options);
    return new ThreadCopy(
        head.id(),
        thread,
        publicId,
        UUID.fromString(threads.newId()),
        // Later changes of the source have a higher version.
        head.version(),
        first,
        first,
        0);
  }

  /** Copies a batch, unless only the last one is missing. */
  private static ThreadCopy step(Handle handle, Caller caller, String sourceId, ThreadCopy copy) {
    RemovedThreadDao removed = handle.attach(RemovedThreadDao.class);
    if (removed.lockWhole(copy.thread()).isEmpty()) {
      throw lost();
    }
    removed.delay(copy.thread(), LEASE_SECONDS);
    ThreadHead head =
        handle
            .attach(ThreadDao.class)
            .findHead(caller.projectId(), sourceId)
            .filter(found -> found.id() == copy.source())
            .orElseThrow(NotFound::thread);
    ThreadCopy.Batch batch = ThreadCopy.batch(handle, copy.source(), copy.next(), head.nextSeq());
    if (batch.end() == head.nextSeq()) {
      return copy;
    }
    copy.messages(handle, copy.next(), batch.end());
    return copy.with(batch);
  }

  /** Lets the rows of an unfinished copy be removed now; a visible copy is not affected. */
  private void abandon(long thread) {
    try {
      transactions.write(
          step(),
          handle -> {
            handle.attach(RemovedThreadDao.class).delay(thread, 0);
            return thread;
          });
    } catch (ApiException e) {
      LOGGER.debug("What is left of a copy is removed once its lease is over", e);
    }
  }

  static ApiException lost() {
    return ApiException.unavailable("The copy took too long between two steps; try again.", 1);
  }

  private static ApiException tooLong() {
    return ApiException.of(
        413,
        ErrorType.INVALID_REQUEST,
        "The thread is too large to be copied as a whole within one request; copy its newest"
            + " messages with options.messageLimit.");
  }
}
