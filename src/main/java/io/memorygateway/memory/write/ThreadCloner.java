package io.memorygateway.memory.write;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.replay.StoredResponse;
import io.memorygateway.memory.replay.WriteResult;
import io.memorygateway.memory.rows.CloneOptions;
import io.memorygateway.memory.rows.MessageSnapshot;
import io.memorygateway.memory.rows.ThreadRow;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Clones threads: in one transaction or, if they are long, in several. */
public final class ThreadCloner {
  private static final int CREATED = 201;

  /** Time limit of a copy: clients and proxies rarely wait longer. */
  private static final Duration COPY_TIMEOUT = Duration.ofSeconds(50);

  private final Threads threads;
  private final ThreadClones clones;
  private final ThreadCopies copies;
  private final IdempotentWrites writes;
  private final StorageLimit limit;

  public ThreadCloner(
      Transactions transactions, Threads threads, IdempotentWrites writes, StorageLimit limit) {
    this.threads = threads;
    this.clones = new ThreadClones(threads);
    this.copies = new ThreadCopies(transactions, threads, COPY_TIMEOUT);
    this.writes = writes;
    this.limit = limit;
  }

  /**
   * A clone that is durable.
   *
   * @param body JSON of the thread, for the client
   * @param threadId {@code threads.id}
   */
  public record Clone(String body, long threadId, MessageSnapshot messages) {}

  /**
   * Clones a thread, once for an Idempotency-Key.
   *
   * @param claim null if the request has no key
   * @param body writes the JSON of the thread for the client; stored for replays
   * @throws ApiException 404, 409; 413 if it takes too long or exceeds the storage limit; 503
   */
  public Clone clone(
      Caller caller,
      String sourceId,
      CloneOptions options,
      @Nullable IdempotencyClaim claim,
      Function<ThreadRow, String> body) {
    // How many bytes it has is known when the source has been read.
    try (StorageLimit.Hold storage = limit.open(caller.projectId(), Integer.MAX_VALUE)) {
      LongSupplier rows = threads.newRow(caller);
      Function<@Nullable ThreadCopy, Clone> last =
          copy ->
              writes.perform(
                  claim,
                  handle -> {
                    ThreadClones.Cloned cloned =
                        clones.clone(handle, caller, rows, sourceId, options, copy, storage);
                    return written(cloned, body.apply(cloned.thread()));
                  },
                  (handle, stored) ->
                      new Clone(
                          requireNonNull(stored.body()),
                          requireNonNull(stored.threadId()),
                          requireNonNull(stored.messages())));
      Clone clone;
      try {
        clone = last.apply(null);
      } catch (ThreadClones.TooLongException e) {
        clone = copies.copy(caller, sourceId, options, storage, last);
      }
      storage.stored();
      return clone;
    }
  }

  private static WriteResult<Clone> written(ThreadClones.Cloned cloned, String body) {
    long thread = cloned.thread().id();
    return new WriteResult<>(
        new Clone(body, thread, cloned.messages().latest()),
        new StoredResponse.Content(CREATED, thread, body, cloned.messages()));
  }
}
