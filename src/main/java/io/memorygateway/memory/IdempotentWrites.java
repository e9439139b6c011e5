package io.memorygateway.memory;

import static java.util.Objects.requireNonNull;

import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.JsonOut;
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
 * Does a write once for each Idempotency-Key (contract §5). The key is claimed, the work done and
 * the answer noted in one transaction: of two requests with the same key, on whatever nodes, the
 * second waits for the first and then gets its answer; if the first fails, the second does the
 * work.
 */
public final class IdempotentWrites {
  /** How long an answer is kept. */
  static final Duration KEPT = Duration.ofHours(24);

  private final Transactions transactions;
  private final Clock clock;
  private final Counter replays;

  IdempotentWrites(Transactions transactions, Clock clock, PrometheusRegistry registry) {
    this.transactions = transactions;
    this.clock = clock;
    this.replays =
        Counter.builder()
            .name("memory_gateway_idempotent_replays_total")
            .help("Writes answered again because their Idempotency-Key had been used before.")
            .register(registry);
  }

  /** Makes an answer again that was made of messages, from what is kept of it. */
  @FunctionalInterface
  public interface Replay {
    JsonOut body(Handle handle, StoredResponse first);
  }

  /** A write whose answer is kept as it is. */
  public Outcome perform(
      @Nullable IdempotencyClaim claim, HandleCallback<Outcome, RuntimeException> work) {
    return perform(
        claim, work, (handle, first) -> new JsonOut(256).raw(requireNonNull(first.body())));
  }

  /**
   * A write.
   *
   * @param claim null if the request has no Idempotency-Key
   * @param work may run several times; the last one counts
   * @param replay gives the first answer again
   */
  public Outcome perform(
      @Nullable IdempotencyClaim claim,
      HandleCallback<Outcome, RuntimeException> work,
      Replay replay) {
    return claim == null
        ? transactions.write(work).asItIs()
        : performFinding(Deadline.in(Transactions.ANSWER_TIMEOUT), false, claim, work, replay);
  }

  /**
   * A write that finds what an earlier run of it has stored; otherwise the same.
   *
   * @param uncertain whether an attempt before this call may have been committed
   */
  public Outcome performFinding(
      Deadline deadline,
      boolean uncertain,
      @Nullable IdempotencyClaim claim,
      HandleCallback<Outcome, RuntimeException> work,
      Replay replay) {
    return transactions.writeFinding(
        deadline,
        uncertain,
        handle ->
            claim == null ? work.withHandle(handle).asItIs() : once(handle, claim, work, replay));
  }

  private Outcome once(
      Handle handle,
      IdempotencyClaim claim,
      HandleCallback<Outcome, RuntimeException> work,
      Replay replay) {
    long project = claim.key().projectId();
    String key = claim.key().hash();
    String hash = claim.requestHash();
    IdempotencyDao dao = handle.attach(IdempotencyDao.class);
    if (!take(dao, claim)) {
      return again(handle, dao.find(project, key), hash, replay);
    }
    Outcome outcome = work.withHandle(handle);
    dao.complete(
        project,
        key,
        new IdempotencyDao.Remembered(
            outcome.status(), outcome.threadId(), outcome.kept(), outcome.messages()));
    return outcome.asItIs();
  }

  /**
   * Keeps the answer of a call in the transaction that stores its messages.
   *
   * @throws ApiException 409 if another one has been kept for its key meanwhile
   */
  void keep(Handle handle, PendingResponse answer, Messages.Appended appended) {
    IdempotencyDao dao = handle.attach(IdempotencyDao.class);
    IdempotencyClaim.Key key = answer.claim().key();
    if (!take(dao, answer.claim())) {
      throw usedBefore();
    }
    dao.complete(key.projectId(), key.hash(), answer.of(appended));
  }

  /** Takes a key for this transaction, unless an answer is kept for it. */
  private boolean take(IdempotencyDao dao, IdempotencyClaim claim) {
    long project = claim.key().projectId();
    String key = claim.key().hash();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    if (dao.claim(project, key, claim.requestHash(), now) == 0) {
      if (isKept(dao.find(project, key), now)) {
        return false;
      }
      dao.forget(project, key);
      dao.claim(project, key, claim.requestHash(), now);
    }
    return true;
  }

  static boolean isKept(StoredResponse first, Instant now) {
    return first.createdAt().isAfter(now.minus(KEPT));
  }

  static ApiException usedBefore() {
    return new ApiException(
        ApiError.conflict("The Idempotency-Key was used before, for another request."));
  }

  private Outcome again(Handle handle, StoredResponse first, String hash, Replay replay) {
    if (!first.requestHash().equals(hash)) {
      throw usedBefore();
    }
    boolean deleted =
        first.threadId() != null && !handle.attach(ThreadDao.class).isThere(first.threadId());
    if (deleted || first.status() == 404) {
      throw new ApiException(
          ApiError.notFound("The thread that this request wrote to has been deleted."));
    }
    replays.inc();
    return new Outcome(
        first.status(), replay.body(handle, first), first.threadId(), null, first.messages());
  }
}
