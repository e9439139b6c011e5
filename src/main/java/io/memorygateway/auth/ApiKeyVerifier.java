package io.memorygateway.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.VerifiedKey.Moment;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whose a secret is. What the database said is believed for {@link #TRUSTED}, and asked for
 * again in the background after {@link #FRESH}, so that a hot key costs the callers nothing and a
 * revoked one is refused within five seconds (contract §1). Only while the database cannot be
 * reached do keys that were good go on working, for a grace period; a database that is slow, or a
 * look-up that fails, is no such outage: the request is refused with 503.
 *
 * <p>What the database does not know is remembered for {@link #UNKNOWN}, so that a client which
 * repeats a wrong key costs one look-up.
 */
public final class ApiKeyVerifier {
  private static final long FRESH = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final long TRUSTED = TimeUnit.SECONDS.toNanos(4);
  private static final Duration UNKNOWN = Duration.ofSeconds(5);

  /** Longer than it takes to tell that the database cannot be reached. */
  private static final Duration PATIENCE = Duration.ofSeconds(6);

  private static final int MOST_KEYS = 100_000;
  private static final int MOST_UNKNOWN = 10_000;

  /** Asks the database for keys. */
  interface LookUps {
    /** How soon a look-up is to be made. */
    enum Urgency {
      /** Of a key that was good: before the others. */
      RECHECK,
      /** Of a key of which nothing is known here. */
      FIRST
    }

    /** Fails with a {@link LookUpException}. */
    CompletableFuture<Optional<ApiKey>> find(String hash, Urgency urgency);
  }

  private final LookUps lookUps;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Duration grace;
  private final Duration patience;
  private final Cache<String, VerifiedKey> cache;
  private final Cache<String, Boolean> unknown;
  private final ConcurrentMap<String, CompletableFuture<Optional<VerifiedKey>>> underWay =
      new ConcurrentHashMap<>();

  /**
   * Verifies secrets.
   *
   * @param clock for expiry
   * @param nanoTime for ages, as {@link System#nanoTime()}
   * @param grace how long a key may be believed while the database cannot be reached
   */
  ApiKeyVerifier(LookUps lookUps, Clock clock, LongSupplier nanoTime, Duration grace) {
    this(lookUps, clock, nanoTime, grace, PATIENCE);
  }

  /**
   * The same.
   *
   * @param patience how long a caller waits for a look-up
   */
  ApiKeyVerifier(
      LookUps lookUps, Clock clock, LongSupplier nanoTime, Duration grace, Duration patience) {
    this.lookUps = lookUps;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.grace = grace;
    this.patience = patience;
    this.cache = Caffeine.newBuilder().maximumSize(MOST_KEYS).build();
    this.unknown =
        Caffeine.newBuilder()
            .maximumSize(MOST_UNKNOWN)
            .expireAfterWrite(UNKNOWN)
            .ticker(nanoTime::getAsLong)
            .build();
  }

  /**
   * Finds the caller that a secret belongs to.
   *
   * @param beforeFirstLookUp called before the database is asked for a key that is not known to
   *     have been good; what it throws is thrown
   * @return null if the secret opens nothing: malformed, unknown, revoked, expired
   * @throws ApiException 503 if the key cannot be checked
   */
  public @Nullable Caller verify(String secret, Runnable beforeFirstLookUp) {
    if (!ApiKeySecret.isWellFormed(secret)) {
      return null;
    }
    String hash = ApiKeySecret.hash(secret);
    VerifiedKey known = cache.getIfPresent(hash);
    if (known == null) {
      if (unknown.getIfPresent(hash) != null) {
        return null;
      }
      beforeFirstLookUp.run();
      known = loaded(hash);
    } else {
      Moment now = now();
      long age = known.greatestAge(now);
      if (age >= TRUSTED) {
        known = rechecked(hash, known, now);
      } else if (age >= FRESH) {
        var unused = lookUp(hash, LookUps.Urgency.RECHECK);
      }
    }
    if (known == null || !known.key().isValidAt(clock.instant())) {
      return null;
    }
    known.used(clock.millis());
    return known.caller();
  }

  /** Believes nothing about this hash any more; the next request asks the database. */
  public void forget(String hash) {
    // First, so that what was read before is not kept after.
    underWay.remove(hash);
    cache.asMap().remove(hash);
    unknown.asMap().remove(hash);
  }

  /**
   * When each key was last used on this node since this was last asked, in the order of the keys'
   * ids.
   */
  public Map<Long, Instant> takeUses() {
    Map<Long, Instant> uses = new TreeMap<>();
    for (VerifiedKey known : cache.asMap().values()) {
      long used = known.takeUse();
      if (used > 0) {
        uses.put(known.key().id(), Instant.ofEpochMilli(used));
      }
    }
    return uses;
  }

  private @Nullable VerifiedKey loaded(String hash) {
    try {
      return await(lookUp(hash, LookUps.Urgency.FIRST));
    } catch (LookUpException e) {
      throw unavailable();
    }
  }

  private @Nullable VerifiedKey rechecked(String hash, VerifiedKey known, Moment now) {
    try {
      return await(lookUp(hash, LookUps.Urgency.RECHECK));
    } catch (LookUpException e) {
      if (e.isUnreachable() && known.age(now) < grace.toNanos()) {
        return known;
      }
      throw unavailable();
    }
  }

  private @Nullable VerifiedKey await(CompletableFuture<Optional<VerifiedKey>> answer)
      throws LookUpException {
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS).orElse(null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LookUpException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw LookUpException.failed("no answer in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable();
    }
  }

  /** Asks the database; of all who ask for the same key at once, only the first one does. */
  private CompletableFuture<Optional<VerifiedKey>> lookUp(String hash, LookUps.Urgency urgency) {
    CompletableFuture<Optional<VerifiedKey>> other = underWay.get(hash);
    if (other != null) {
      return other;
    }
    CompletableFuture<Optional<VerifiedKey>> mine = new CompletableFuture<>();
    other = underWay.putIfAbsent(hash, mine);
    if (other != null) {
      return other;
    }
    Moment asked = now();
    var unused =
        lookUps
            .find(hash, urgency)
            .thenApply(found -> keep(hash, found, asked, mine))
            .whenComplete(
                (verified, failure) -> {
                  underWay.remove(hash, mine);
                  if (failure == null) {
                    mine.complete(verified);
                  } else {
                    mine.completeExceptionally(
                        failure instanceof java.util.concurrent.CompletionException e
                                && e.getCause() != null
                            ? e.getCause()
                            : failure);
                  }
                });
    return mine;
  }

  /** Remembers what was found, unless it was forgotten since it was asked for. */
  private Optional<VerifiedKey> keep(
      String hash,
      Optional<ApiKey> found,
      Moment asked,
      CompletableFuture<Optional<VerifiedKey>> mine) {
    if (found.isEmpty() || !found.get().isValidAt(clock.instant())) {
      cache.asMap().computeIfPresent(hash, (h, old) -> underWay.get(h) == mine ? null : old);
      unknown.asMap().compute(hash, (h, old) -> underWay.get(h) == mine ? Boolean.TRUE : old);
      return Optional.empty();
    }
    VerifiedKey verified = new VerifiedKey(found.get(), asked);
    cache
        .asMap()
        .compute(
            hash,
            (h, old) -> {
              if (underWay.get(h) != mine) {
                return old;
              }
              if (old != null) {
                verified.used(old.takeUse());
              }
              return verified;
            });
    return Optional.of(verified);
  }

  private Moment now() {
    return new Moment(nanoTime.getAsLong(), clock.millis());
  }

  private static ApiException unavailable() {
    return new ApiException(ApiError.unavailable("API keys cannot be checked at the moment.", 1));
  }
}
