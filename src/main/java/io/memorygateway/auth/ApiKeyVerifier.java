package io.memorygateway.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whose a secret is. What the database said is believed for {@link #TRUSTED}, and asked for
 * again in the background after {@link #FRESH}, so that a hot key costs the callers nothing and a
 * revoked one is refused within five seconds (contract §1). While the database is away, keys that
 * were good go on working for a grace period.
 */
public final class ApiKeyVerifier {
  private static final Logger LOGGER = LoggerFactory.getLogger(ApiKeyVerifier.class);

  private static final Duration FRESH = Duration.ofMillis(1500);
  private static final Duration TRUSTED = Duration.ofSeconds(4);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  /** A database that hangs is one that is away. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final int MOST_KEYS = 100_000;

  private final Function<String, Optional<ApiKey>> store;
  private final Clock clock;
  private final Executor lookUps;
  private final Executor background;
  private final Duration grace;
  private final Cache<String, VerifiedKey> cache;
  private final AtomicLong forgotten = new AtomicLong();
  private final AtomicLong pausedUntilMillis = new AtomicLong();

  /**
   * Verifies secrets.
   *
   * @param store finds a key by its hash; throws {@link JdbiException} when the database cannot be
   *     reached
   * @param lookUps asks the store, while a caller waits for it as long as may be
   * @param background runs refreshes, which wait for look-ups
   * @param grace how long a key may be believed while the database is away
   */
  public ApiKeyVerifier(
      Function<String, Optional<ApiKey>> store,
      Clock clock,
      Executor lookUps,
      Executor background,
      Duration grace) {
    this.store = store;
    this.clock = clock;
    this.lookUps = lookUps;
    this.background = background;
    this.grace = grace;
    this.cache = Caffeine.newBuilder().maximumSize(MOST_KEYS).build();
  }

  /**
   * Finds the caller that a secret belongs to.
   *
   * @return null if the secret opens nothing: malformed, unknown, revoked, expired
   * @throws ApiException 503 if the key is not known here and the database cannot be reached
   */
  public @Nullable Caller verify(String secret) {
    if (!ApiKeySecret.isWellFormed(secret)) {
      return null;
    }
    String hash = ApiKeySecret.hash(secret);
    long now = clock.millis();
    VerifiedKey known = cache.getIfPresent(hash);
    if (known != null) {
      long age = now - known.checkedAtMillis();
      if (age >= TRUSTED.toMillis()) {
        known = recheck(hash, known, now);
      } else if (age >= FRESH.toMillis() && known.claimRefresh()) {
        refreshInBackground(hash, known);
      }
    } else {
      known = load(hash, now);
    }
    if (known == null || !known.key().isValidAt(clock.instant())) {
      return null;
    }
    known.used(now);
    return known.caller();
  }

  /** Believes nothing about this hash any more; the next request asks the database. */
  public void forget(String hash) {
    forgotten.incrementAndGet();
    cache.invalidate(hash);
  }

  /**
   * When each key was last used on this node since this was last asked, in the order of the keys'
   * ids.
   */
  public Map<Long, java.time.Instant> takeUses() {
    Map<Long, java.time.Instant> uses = new TreeMap<>();
    for (VerifiedKey known : cache.asMap().values()) {
      long used = known.takeUse();
      if (used > 0) {
        uses.put(known.key().id(), java.time.Instant.ofEpochMilli(used));
      }
    }
    return uses;
  }

  private @Nullable VerifiedKey recheck(String hash, VerifiedKey known, long now) {
    if (now < pausedUntilMillis.get() && isWithinGrace(known, now)) {
      return known;
    }
    try {
      return load(hash, now);
    } catch (ApiException e) {
      if (isWithinGrace(known, now)) {
        return known;
      }
      throw e;
    }
  }

  private boolean isWithinGrace(VerifiedKey known, long now) {
    return now - known.checkedAtMillis() < grace.toMillis();
  }

  private @Nullable VerifiedKey load(String hash, long now) {
    if (now < pausedUntilMillis.get()) {
      throw unavailable();
    }
    long forgottenBefore = forgotten.get();
    Optional<ApiKey> found = ask(hash);
    if (found.isEmpty() || !found.get().isValidAt(clock.instant())) {
      cache.invalidate(hash);
      return null;
    }
    VerifiedKey verified = new VerifiedKey(found.get(), now);
    cache.put(hash, verified);
    if (forgotten.get() != forgottenBefore) {
      // Perhaps this very key was revoked after its row was read.
      cache.invalidate(hash);
    }
    return verified;
  }

  private Optional<ApiKey> ask(String hash) {
    FutureTask<Optional<ApiKey>> question = new FutureTask<>(() -> store.apply(hash));
    Throwable failure;
    try {
      lookUps.execute(question);
      return question.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof JdbiException)) {
        throw new IllegalStateException(e.getCause());
      }
      failure = e.getCause();
    } catch (TimeoutException | RejectedExecutionException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable();
    }
    question.cancel(true);
    pause(failure);
    throw unavailable();
  }

  /** Many look-ups may fail at once; one of them says so. */
  private void pause(Throwable failure) {
    long now = clock.millis();
    long until = pausedUntilMillis.get();
    if (pausedUntilMillis.compareAndSet(
            until, Math.max(until, now + PAUSE_AFTER_FAILURE.toMillis()))
        && until <= now) {
      LOGGER.warn("API keys cannot be looked up: {}", failure.toString());
    }
  }

  private void refreshInBackground(String hash, VerifiedKey known) {
    background.execute(
        () -> {
          try {
            VerifiedKey renewed = load(hash, clock.millis());
            if (renewed != null) {
              renewed.used(known.takeUse());
            }
          } catch (ApiException e) {
            known.releaseRefresh();
          }
        });
  }

  private static ApiException unavailable() {
    return new ApiException(ApiError.unavailable("API keys cannot be checked at the moment.", 1));
  }
}
