package io.memorygateway.memory.replay;

import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.MessageRevision;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.write.Appends;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jspecify.annotations.Nullable;

/**
 * Writes that are done once for each Idempotency-Key (contract §5), and replayed to requests that
 * repeat the key with the same content within 24 hours.
 *
 * <p>One transaction claims the key, does the work and stores the response. Of two requests with
 * the same key, on whatever nodes, the second therefore waits for the first and gets its response;
 * if the first fails, the second does the work. {@link Appends} does the same for many requests at
 * once; {@link TurnClaims} claims the keys of proxied calls before their transaction.
 *
 * <p>A {@link StoredResponse} holds no contents of messages, which would be stored twice and would
 * outlive their deletion. It refers to them, with the version of their thread ({@link
 * MessageSnapshot}), and a replay reads them again. Before a message is changed, its content is
 * stored as a {@link MessageRevision}, but only if a stored response may refer to it, and for as
 * long as that. A replay lacks messages that have been deleted; it is 404 if the thread has been.
 */
public final class IdempotentWrites {
  /** How long a response is stored. */
  public static final Duration RETENTION = Duration.ofHours(24);

  private final Transactions transactions;
  private final Clock clock;
  private final Counter replays;

  public IdempotentWrites(Transactions transactions, Clock clock, PrometheusRegistry registry) {
    this.transactions = transactions;
    this.clock = clock;
    this.replays =
        Counter.builder()
            .name("memory_gateway_idempotent_replays_total")
            .help("Writes answered again because their Idempotency-Key had been used before.")
            .register(registry);
  }

  /** Rebuilds the answer of a write from its stored response. */
  @FunctionalInterface
  public interface Replay<T> {
    T answer(Handle handle, StoredResponse.Content stored);
  }

  /**
   * Does a write, or replays it.
   *
   * @param claim null if the request has no Idempotency-Key
   * @param work may run several times; the last one counts
   * @throws ApiException 409 if the key was used by another request; 404 if the write was done, and
   *     its thread has been deleted since
   */
  public <T> T perform(
      @Nullable IdempotencyClaim claim,
      HandleCallback<WriteResult<T>, RuntimeException> work,
      Replay<T> replay) {
    return claim == null
        ? transactions.write(work).answer()
        : performRepeatable(transactions.deadline(), false, claim, work, replay);
  }

  /**
   * Like {@link #perform}, for work that finds what an earlier run of it has stored, so that it can
   * be repeated when the outcome of a commit is unknown.
   *
   * @param uncertain whether an attempt before this call may have been committed
   */
  public <T> T performRepeatable(
      Deadline deadline,
      boolean uncertain,
      @Nullable IdempotencyClaim claim,
      HandleCallback<WriteResult<T>, RuntimeException> work,
      Replay<T> replay) {
    return transactions.writeFinding(
        deadline,
        uncertain,
        handle ->
            claim == null
                ? work.withHandle(handle).answer()
                : performOnce(handle, claim, work, replay));
  }

  private <T> T performOnce(
      Handle handle,
      IdempotencyClaim claim,
      HandleCallback<WriteResult<T>, RuntimeException> work,
      Replay<T> replay) {
    IdempotencyDao dao = handle.attach(IdempotencyDao.class);
    IdempotencyClaim.Key key = claim.key();
    if (!claim(dao, claim)) {
      StoredResponse stored = dao.find(key.projectId(), key.hash());
      checkReplayable(handle, stored, claim);
      replays.inc();
      return replay.answer(handle, stored.content());
    }
    WriteResult<T> written = work.withHandle(handle);
    dao.complete(key.projectId(), key.hash(), written.response());
    return written.answer();
  }

  /**
   * Stores the response of a call in the transaction that stores its messages.
   *
   * @throws ApiException 409 if another response has been stored for its key meanwhile
   */
  public void store(Handle handle, PendingResponse response, Appended appended) {
    IdempotencyDao dao = handle.attach(IdempotencyDao.class);
    IdempotencyClaim.Key key = response.claim().key();
    if (!claim(dao, response.claim())) {
      throw keyReused();
    }
    dao.complete(key.projectId(), key.hash(), response.content(appended));
  }

  /** Claims a key for this transaction; false if a response is stored for it. */
  private boolean claim(IdempotencyDao dao, IdempotencyClaim claim) {
    long project = claim.key().projectId();
    String key = claim.key().hash();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    if (dao.claim(project, key, claim.requestHash(), now) == 0) {
      if (isCurrent(dao.find(project, key), now)) {
        return false;
      }
      dao.forget(project, key);
      dao.claim(project, key, claim.requestHash(), now);
    }
    return true;
  }

  static boolean isCurrent(StoredResponse stored, Instant now) {
    return stored.createdAt().isAfter(now.minus(RETENTION));
  }

  static ApiException keyReused() {
    return ApiException.conflict("The Idempotency-Key was used before, for another request.");
  }

  private static void checkReplayable(
      Handle handle, StoredResponse stored, IdempotencyClaim claim) {
    if (!stored.requestHash().equals(claim.requestHash())) {
      throw keyReused();
    }
    Long thread = stored.content().threadId();
    boolean deleted = thread != null && !handle.attach(ThreadDao.class).exists(thread);
    if (deleted || stored.content().status() == 404) {
      throw ApiException.notFound("The thread that this request wrote to has been deleted.");
    }
  }
}
