package io.memorygateway.memory;

import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ErrorType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Idempotency-Keys of proxied calls (contract §7). A key is claimed before its call goes
 * upstream, in a transaction of its own, and released when the call is over; the answer is kept in
 * the transaction that stores the turn. The claim has a lease, renewed as long as the call lives:
 * that of a node that died runs out. That a turn is stored once rests on the kept answer alone.
 */
public final class TurnClaims {
  private static final Logger LOGGER = LoggerFactory.getLogger(TurnClaims.class);

  /** A quarter of the lease. */
  private static final Duration RENEWED_EVERY = Duration.ofSeconds(15);

  /** A call that lives longer than this is no longer protected by its claim. */
  private static final Duration LONGEST = Duration.ofHours(2);

  private static final int RENEWED_TOGETHER = 200;
  private static final int REMOVED_TOGETHER = 500;
  private static final long ASK_AGAIN_SECONDS = 1;

  private final Transactions transactions;
  private final Threads threads;
  private final Clock clock;
  private final Map<TurnClaimDao.Row, Instant> held = new ConcurrentHashMap<>();

  TurnClaims(Transactions transactions, Threads threads, Clock clock) {
    this.transactions = transactions;
    this.threads = threads;
    this.clock = clock;
  }

  /**
   * An answer that was given before.
   *
   * @param body the part of it that is not made of messages
   * @param messages of the answer, as they were
   */
  public record First(String body, List<MessageRow> messages) {}

  /** What came of claiming a key: a claim that has to be closed, or the first answer. */
  public final class Claim implements AutoCloseable {
    private final IdempotencyClaim key;
    private final TurnClaimDao.@Nullable Row row;
    private final @Nullable First first;

    private Claim(IdempotencyClaim key, TurnClaimDao.@Nullable Row row, @Nullable First first) {
      this.key = key;
      this.row = row;
      this.first = first;
    }

    public IdempotencyClaim key() {
      return key;
    }

    /** The answer that this key had before; null if the call is to be made. */
    public @Nullable First first() {
      return first;
    }

    /** Frees the key, unless an answer is kept for it. */
    @Override
    public void close() {
      if (row != null && held.remove(row) != null) {
        try {
          transactions.write(
              handle -> {
                handle.attach(TurnClaimDao.class).release(row);
                return true;
              });
        } catch (RuntimeException e) {
          LOGGER.warn("The claim of an Idempotency-Key stays until its lease runs out", e);
        }
      }
    }
  }

  /**
   * Claims the key of a call, if it has not been answered.
   *
   * @param room is told how many bytes the messages of a first answer have
   * @throws ApiException 409 if the key is used by another request, or by a call that is still
   *     under way; 404 if it has been answered and the thread or the answer was deleted since; 503
   */
  public Claim claim(IdempotencyClaim key, LongConsumer room) {
    TurnClaimDao.Row row =
        new TurnClaimDao.Row(
            key.key().projectId(), key.key().hash(), key.requestHash(), threads.newId());
    // Asked first, without a lock: a crowd that repeats one call would have deadlocks over it.
    Seen seen = transactions.read(handle -> look(handle, row, room));
    if (seen.first() != null) {
      return new Claim(key, null, seen.first());
    }
    if (seen.other() != null && !seen.other().expired()) {
      throw conflict(seen.other(), row);
    }
    held.put(row, clock.instant());
    First first;
    try {
      first =
          transactions.writeFinding(
              transactions.deadline(),
              false,
              handle -> take(handle, row, seen.other() != null, room));
    } catch (RuntimeException e) {
      held.remove(row);
      throw e;
    }
    if (first != null) {
      held.remove(row);
      return new Claim(key, null, first);
    }
    return new Claim(key, row, null);
  }

  /** What is known of a key: its answer, or who has claimed it. */
  private record Seen(@Nullable First first, TurnClaimDao.@Nullable Found other) {}

  private Seen look(Handle handle, TurnClaimDao.Row row, LongConsumer room) {
    // The claim before the answer: whoever answers keeps the answer, and then releases the claim.
    Optional<TurnClaimDao.Found> other = handle.attach(TurnClaimDao.class).find(row);
    Optional<StoredResponse> answered =
        handle
            .attach(IdempotencyDao.class)
            .peek(row.projectId(), row.keyHash())
            .filter(answer -> IdempotentWrites.isCurrent(answer, clock.instant()));
    return new Seen(
        answered.map(answer -> first(handle, answer, row.requestHash(), room)).orElse(null),
        other.orElse(null));
  }

  private @Nullable First take(
      Handle handle, TurnClaimDao.Row row, boolean expired, LongConsumer room) {
    TurnClaimDao dao = handle.attach(TurnClaimDao.class);
    boolean claimed = dao.insert(row) == 1 || (expired && dao.takeOver(row) == 1);
    Seen seen = look(handle, row, room);
    if (seen.first() != null) {
      if (claimed) {
        dao.release(row);
      }
      return seen.first();
    }
    // Its own is found where the commit of an earlier attempt was not answered.
    if (claimed || (seen.other() != null && seen.other().owner().equals(row.owner()))) {
      return null;
    }
    throw conflict(seen.other(), row);
  }

  private static ApiException conflict(TurnClaimDao.@Nullable Found other, TurnClaimDao.Row row) {
    return other != null && !other.requestHash().equals(row.requestHash())
        ? IdempotentWrites.usedBefore()
        : underWay();
  }

  private static First first(
      Handle handle, StoredResponse answered, String requestHash, LongConsumer room) {
    if (!answered.requestHash().equals(requestHash)) {
      throw IdempotentWrites.usedBefore();
    }
    StoredResponse.Content content = answered.content();
    if (content.status() == 404
        || content.threadId() == null
        || content.messages() == null
        || !handle.attach(ThreadDao.class).isThere(content.threadId())) {
      throw deleted();
    }
    List<MessageRow> messages = MessageRevisions.read(handle, content, room);
    if (messages.size() != content.messages().seqs().toList().size()) {
      throw deleted();
    }
    return new First(content.body() == null ? "{}" : content.body(), messages);
  }

  private static ApiException deleted() {
    return new ApiException(ApiError.notFound("What was answered to this call has been deleted."));
  }

  private static ApiException underWay() {
    return new ApiException(
        new ApiError(
            409,
            ErrorType.CONFLICT,
            "The call with this Idempotency-Key is still being answered; try again.",
            null,
            ASK_AGAIN_SECONDS,
            Map.of()));
  }

  /** Renews the leases of the claims held here; installed by {@link #install}. */
  void renew() {
    Instant oldest = clock.instant().minus(LONGEST);
    held.values().removeIf(since -> since.isBefore(oldest));
    List<TurnClaimDao.Row> rows = new ArrayList<>(Set.copyOf(held.keySet()));
    for (int from = 0; from < rows.size(); from += RENEWED_TOGETHER) {
      List<TurnClaimDao.Row> part =
          rows.subList(from, Math.min(rows.size(), from + RENEWED_TOGETHER));
      transactions.write(handle -> handle.attach(TurnClaimDao.class).renew(part));
    }
  }

  /** Removes claims that nobody came back for; returns how many. */
  long removeAbandoned() {
    long all = 0;
    int removed = REMOVED_TOGETHER;
    while (removed == REMOVED_TOGETHER) {
      removed =
          transactions.write(
              handle -> {
                TurnClaimDao dao = handle.attach(TurnClaimDao.class);
                List<TurnClaimDao.Row> rows = dao.abandoned(REMOVED_TOGETHER);
                dao.remove(rows);
                return rows.size();
              });
      all += removed;
    }
    return all;
  }

  /** Has leases renewed as long as the node runs. */
  void install(LifecycleEnvironment lifecycle) {
    ScheduledExecutorService executor =
        lifecycle.scheduledExecutorService("turn-claims-%d").build();
    var unused =
        executor.scheduleWithFixedDelay(
            this::renewQuietly,
            RENEWED_EVERY.toMillis(),
            RENEWED_EVERY.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  private void renewQuietly() {
    try {
      renew();
    } catch (RuntimeException e) {
      // Mostly the database; whatever it is, the schedule goes on.
      LOGGER.warn("Claims of Idempotency-Keys could not be renewed: {}", e.toString());
    }
  }
}
