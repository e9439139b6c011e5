package io.memorygateway.memory.replay;

import com.google.common.collect.Lists;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.database.Homes;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.ThreadDao;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims of proxied calls on their Idempotency-Keys (contract §7). A key is claimed before its call
 * goes upstream, in a transaction of its own, and released when the call is over; the response is
 * stored in the transaction that stores the turn. The claim has a lease, renewed as long as the
 * call lives: the claim of a node that died expires. That a turn is stored once rests on the stored
 * response alone.
 */
public final class TurnClaims {
  private static final Logger LOGGER = LoggerFactory.getLogger(TurnClaims.class);

  /** A quarter of the lease. */
  private static final Duration RENEWAL_INTERVAL = Duration.ofSeconds(5);

  /**
   * Age after which a claim is not renewed any more, so that a longer call loses its protection.
   */
  private static final Duration MAX_AGE = Duration.ofHours(2);

  private static final Duration RELEASE_INTERVAL = Duration.ofSeconds(1);

  /**
   * Largest number of claims waiting to be released; those beyond it stay until their leases
   * expire.
   */
  private static final int MAX_UNRELEASED = 10_000;

  /** Claims that are renewed or released together. */
  private static final int ROWS_PER_BATCH = 200;

  private static final int ROWS_PER_DELETE = 500;
  private static final long RETRY_AFTER_SECONDS = 1;

  private final Transactions transactions;
  private final Supplier<String> newId;
  private final Clock clock;
  private final Map<TurnClaimDao.Row, Instant> held = new ConcurrentHashMap<>();
  private final HomeLanes renewals;
  private final HomeLanes releases;

  /**
   * Claims that may still be stored although their calls are over, as the database was not
   * available.
   */
  private final Set<TurnClaimDao.Row> unreleased = ConcurrentHashMap.newKeySet();

  public TurnClaims(Transactions transactions, Supplier<String> newId, Clock clock) {
    this.transactions = transactions;
    this.newId = newId;
    this.clock = clock;
    this.renewals =
        transactions.lanes("claim-renewal", "Claims of Idempotency-Keys could not be renewed");
    this.releases =
        transactions.lanes("claim-release", "Claims of Idempotency-Keys could not be released");
  }

  /**
   * A response that was stored before.
   *
   * @param body the part of it that is not made of messages
   * @param messages of the response, as they were
   */
  public record First(String body, List<MessageRow> messages) {}

  /** Result of claiming a key: a claim that has to be closed, or the stored response. */
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

    /** The response stored for this key; null if the call is to be made. */
    public @Nullable First first() {
      return first;
    }

    /** Releases the key, unless a response is stored for it. */
    @Override
    public void close() {
      if (row != null && held.remove(row) != null) {
        try {
          release(List.of(row));
        } catch (RuntimeException e) {
          LOGGER.debug("The claim of an Idempotency-Key is released later", e);
          releaseLater(row);
        }
      }
    }
  }

  /**
   * Claims the key of a call, unless a response is stored for it.
   *
   * @param heap called with the bytes of the messages of a stored response before they are read
   * @throws ApiException 409 if the key is used by another request, or by a call that is still
   *     under way; 404 if it has been answered and the thread or the answer was deleted since; 503
   */
  public Claim claim(IdempotencyClaim key, LongConsumer heap) {
    TurnClaimDao.Row row =
        new TurnClaimDao.Row(
            key.key().projectId(), key.key().hash(), key.requestHash(), newId.get());
    // Looked up first, without a lock: many concurrent repeats of one call would deadlock.
    Seen seen = transactions.read(handle -> readState(handle, row, heap));
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
              handle -> take(handle, row, seen.other() != null, heap));
    } catch (RuntimeException e) {
      held.remove(row);
      if (!(e instanceof ApiException refused) || refused.error().status() >= 500) {
        // The claim may have been committed.
        releaseLater(row);
      }
      throw e;
    }
    if (first != null) {
      held.remove(row);
      return new Claim(key, null, first);
    }
    return new Claim(key, row, null);
  }

  /** State of a key: its stored response, or its present claim. */
  private record Seen(@Nullable First first, TurnClaimDao.@Nullable Found other) {}

  private Seen readState(Handle handle, TurnClaimDao.Row row, LongConsumer heap) {
    // The claim before the response: a call stores its response before it releases its claim.
    Optional<TurnClaimDao.Found> other = handle.attach(TurnClaimDao.class).find(row);
    Optional<StoredResponse> answered =
        handle
            .attach(IdempotencyDao.class)
            .peek(row.projectId(), row.keyHash())
            .filter(answer -> IdempotentWrites.isCurrent(answer, clock.instant()));
    return new Seen(
        answered.map(answer -> first(handle, answer, row.requestHash(), heap)).orElse(null),
        other.orElse(null));
  }

  private @Nullable First take(
      Handle handle, TurnClaimDao.Row row, boolean expired, LongConsumer heap) {
    TurnClaimDao dao = handle.attach(TurnClaimDao.class);
    boolean claimed = dao.insert(row) == 1 || (expired && dao.takeOver(row) == 1);
    Seen seen = readState(handle, row, heap);
    if (seen.first() != null) {
      if (claimed) {
        dao.release(List.of(row));
      }
      return seen.first();
    }
    // Its own claim is found if the commit of an earlier attempt was not answered.
    if (claimed || (seen.other() != null && seen.other().owner().equals(row.owner()))) {
      return null;
    }
    throw conflict(seen.other(), row);
  }

  private static ApiException conflict(TurnClaimDao.@Nullable Found other, TurnClaimDao.Row row) {
    return other != null && !other.requestHash().equals(row.requestHash())
        ? IdempotentWrites.keyReused()
        : inProgress();
  }

  private static First first(
      Handle handle, StoredResponse answered, String requestHash, LongConsumer heap) {
    if (!answered.requestHash().equals(requestHash)) {
      throw IdempotentWrites.keyReused();
    }
    StoredResponse.Content content = answered.content();
    if (content.status() == 404
        || content.threadId() == null
        || content.messages() == null
        || content.body() == null
        || !handle.attach(ThreadDao.class).exists(content.threadId())) {
      throw deleted();
    }
    List<MessageRow> messages = MessageRevisions.read(handle, content, heap);
    if (messages.size() != content.messages().seqs().toList().size()) {
      throw deleted();
    }
    return new First(content.body(), messages);
  }

  private static ApiException deleted() {
    return ApiException.notFound("What was answered to this call has been deleted.");
  }

  private static ApiException inProgress() {
    return new ApiException(
        new ApiError(
            409,
            ErrorType.CONFLICT,
            "The call with this Idempotency-Key is still being answered; try again.",
            null,
            RETRY_AFTER_SECONDS,
            Map.of(),
            null,
            null));
  }

  /** Begins to renew the leases of the claims held here; scheduled by {@link #install}. */
  public CompletableFuture<Void> renew() {
    Instant oldest = clock.instant().minus(MAX_AGE);
    held.values().removeIf(since -> since.isBefore(oldest));
    return begin(
        renewals,
        held.keySet(),
        batch -> transactions.write(handle -> handle.attach(TurnClaimDao.class).renew(batch)));
  }

  /** Removes claims whose leases expired a while ago; returns how many. */
  public long removeAbandoned() {
    long all = 0;
    int removed = ROWS_PER_DELETE;
    while (removed == ROWS_PER_DELETE) {
      List<TurnClaimDao.Row> rows =
          transactions.read(handle -> handle.attach(TurnClaimDao.class).abandoned(ROWS_PER_DELETE));
      Homes.each(
          Home.groups(rows, TurnClaimDao.Row::projectId),
          some -> transactions.write(handle -> handle.attach(TurnClaimDao.class).remove(some)));
      removed = rows.size();
      all += removed;
    }
    return all;
  }

  private void releaseLater(TurnClaimDao.Row row) {
    if (unreleased.size() < MAX_UNRELEASED) {
      unreleased.add(row);
    } else {
      LOGGER.warn("The claim of an Idempotency-Key stays until its lease runs out");
    }
  }

  /** Begins to release claims that could not be released when their calls were over. */
  public CompletableFuture<Void> releaseLate() {
    return begin(
        releases,
        unreleased,
        batch -> {
          release(batch);
          batch.forEach(unreleased::remove);
        });
  }

  private void release(List<TurnClaimDao.Row> rows) {
    transactions.write(handle -> handle.attach(TurnClaimDao.class).release(rows));
  }

  private static CompletableFuture<Void> begin(
      HomeLanes lanes, Collection<TurnClaimDao.Row> claims, Consumer<List<TurnClaimDao.Row>> work) {
    return lanes.begin(
        claims,
        TurnClaimDao.Row::projectId,
        rows -> Lists.partition(rows, ROWS_PER_BATCH).forEach(work));
  }

  /** Schedules renewing leases and releasing claims, as long as the node runs. */
  public void install(LifecycleEnvironment lifecycle) {
    ScheduledExecutorService executor =
        lifecycle.scheduledExecutorService("turn-claims-%d", true).build();
    var unused = renewals.repeat(executor, RENEWAL_INTERVAL.toMillis(), this::renew);
    var unusedToo = releases.repeat(executor, RELEASE_INTERVAL.toMillis(), this::releaseLate);
  }
}
