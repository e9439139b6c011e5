package io.memorygateway.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.VerifiedKey.Moment;
import io.memorygateway.http.errors.ApiException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Verifies secrets by a cache over the database. An entry is trusted for {@link
 * #EXPIRES_AFTER_NANOS} and revalidated in the background after {@link #REFRESH_AFTER_NANOS}, so
 * that callers of a hot key never wait and a revoked key is refused within five seconds (contract
 * §1). While the database cannot be reached, and only then, keys that were valid keep working for a
 * grace period; if the database is slow, or a look-up fails, the request is refused with 503.
 *
 * <p>Hashes that the database does not know are cached for {@link #UNKNOWN_CACHED_FOR}, so that a
 * client which repeats a wrong key costs one look-up.
 */
public final class ApiKeyVerifier {
  private static final long REFRESH_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final long EXPIRES_AFTER_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final Duration UNKNOWN_CACHED_FOR = Duration.ofSeconds(5);

  /**
   * Longest wait of a caller for a look-up: longer than it takes to notice that the database cannot
   * be reached.
   */
  static final Duration LOOK_UP_TIMEOUT = Duration.ofSeconds(6);

  private static final int MAX_CACHED_KEYS = 100_000;
  private static final int MAX_CACHED_UNKNOWN = 10_000;

  /** Source of keys in the database. */
  interface LookUps {
    /** Priority of a look-up. */
    enum Urgency {
      /** A key that was valid; goes before the others. */
      REVALIDATION,
      /** A key that is not cached. */
      FIRST
    }

    /** Looks up a key by its hash; the future fails with a {@link LookUpException}. */
    CompletableFuture<Optional<ApiKey>> find(String hash, Urgency urgency);
  }

  private final LookUps lookUps;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Duration grace;
  private final Duration timeout;
  private final Cache<String, VerifiedKey> cache;
  private final Cache<String, Boolean> unknown;
  private final ConcurrentMap<String, CompletableFuture<Optional<VerifiedKey>>> pending =
      new ConcurrentHashMap<>();

  /**
   * @param clock for expiry
   * @param nanoTime for ages, as {@link System#nanoTime()}
   * @param grace how long a cached key is trusted while the database cannot be reached
   * @param timeout longest wait of a caller for a look-up
   */
  ApiKeyVerifier(
      LookUps lookUps, Clock clock, LongSupplier nanoTime, Duration grace, Duration timeout) {
    this.lookUps = lookUps;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.grace = grace;
    this.timeout = timeout;
    this.cache = Caffeine.newBuilder().maximumSize(MAX_CACHED_KEYS).build();
    this.unknown =
        Caffeine.newBuilder()
            .maximumSize(MAX_CACHED_UNKNOWN)
            .expireAfterWrite(UNKNOWN_CACHED_FOR)
            .ticker(nanoTime::getAsLong)
            .build();
  }

  /**
   * Returns the caller that a secret belongs to.
   *
   * @param beforeFirstLookUp called before a look-up of a key that is not cached; its exceptions
   *     are passed on
   * @return null if the secret is not valid: malformed, unknown, revoked or expired
   * @throws ApiException 503 if the key cannot be checked, or its project is being moved
   */
  public @Nullable Caller verify(String secret, Runnable beforeFirstLookUp) {
    if (!IssuedSecret.API_KEY.isWellFormed(secret)) {
      return null;
    }
    String hash = IssuedSecret.hash(secret);
    VerifiedKey cached = cache.getIfPresent(hash);
    if (cached == null) {
      if (unknown.getIfPresent(hash) != null) {
        return null;
      }
      beforeFirstLookUp.run();
      cached = fetchAndCache(hash);
    } else {
      Moment now = now();
      long age = cached.greatestAge(now);
      if (age >= EXPIRES_AFTER_NANOS) {
        cached = revalidate(hash, cached, now);
      } else if (age >= REFRESH_AFTER_NANOS) {
        var unused = lookUp(hash, LookUps.Urgency.REVALIDATION);
      }
    }
    if (cached == null || !cached.key().isValidAt(clock.instant())) {
      return null;
    }
    cached.key().requireOpen();
    cached.used(clock.millis());
    return cached.caller();
  }

  /** Evicts a hash; the next request looks it up. */
  public void evict(String hash) {
    // First, so that the result of a running look-up is not cached afterwards.
    pending.remove(hash);
    cache.asMap().remove(hash);
    unknown.asMap().remove(hash);
  }

  void evictProject(long projectId) {
    pending.clear(); // as above; whose they are is not known yet
    cache.asMap().values().removeIf(cached -> cached.key().projectId() == projectId);
  }

  /**
   * Times at which keys were last used on this node since the previous call, by {@code
   * api_keys.id}, ascending.
   */
  public Map<Long, Instant> drainLastUses() {
    Map<Long, Instant> uses = new TreeMap<>();
    for (VerifiedKey cached : cache.asMap().values()) {
      long used = cached.drainLastUse();
      if (used > 0) {
        uses.put(cached.key().id(), Instant.ofEpochMilli(used));
      }
    }
    return uses;
  }

  private @Nullable VerifiedKey fetchAndCache(String hash) {
    try {
      return await(lookUp(hash, LookUps.Urgency.FIRST));
    } catch (LookUpException e) {
      throw unavailable();
    }
  }

  private @Nullable VerifiedKey revalidate(String hash, VerifiedKey cached, Moment now) {
    try {
      return await(lookUp(hash, LookUps.Urgency.REVALIDATION));
    } catch (LookUpException e) {
      if (e.isUnreachable() && cached.age(now) < grace.toNanos()) {
        return cached;
      }
      throw unavailable();
    }
  }

  private @Nullable VerifiedKey await(CompletableFuture<Optional<VerifiedKey>> answer)
      throws LookUpException {
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS).orElse(null);
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

  /** Looks a key up; concurrent callers with the same key share one look-up. */
  private CompletableFuture<Optional<VerifiedKey>> lookUp(String hash, LookUps.Urgency urgency) {
    CompletableFuture<Optional<VerifiedKey>> other = pending.get(hash);
    if (other != null) {
      return other;
    }
    CompletableFuture<Optional<VerifiedKey>> mine = new CompletableFuture<>();
    other = pending.putIfAbsent(hash, mine);
    if (other != null) {
      return other;
    }
    Moment asked = now();
    var unused =
        lookUps
            .find(hash, urgency)
            .thenApply(found -> cacheUnlessEvicted(hash, found, asked, mine))
            .whenComplete(
                (verified, failure) -> {
                  pending.remove(hash, mine);
                  if (failure == null) {
                    mine.complete(verified);
                  } else {
                    mine.completeExceptionally(
                        failure instanceof CompletionException e && e.getCause() != null
                            ? e.getCause()
                            : failure);
                  }
                });
    return mine;
  }

  /** Caches the result of a look-up, unless the hash was evicted since the look-up began. */
  private Optional<VerifiedKey> cacheUnlessEvicted(
      String hash,
      Optional<ApiKey> found,
      Moment asked,
      CompletableFuture<Optional<VerifiedKey>> mine) {
    if (found.isEmpty() || !found.get().isValidAt(clock.instant())) {
      cache.asMap().computeIfPresent(hash, (h, old) -> pending.get(h) == mine ? null : old);
      unknown.asMap().compute(hash, (h, old) -> pending.get(h) == mine ? Boolean.TRUE : old);
      return Optional.empty();
    }
    VerifiedKey verified = new VerifiedKey(found.get(), asked);
    cache
        .asMap()
        .compute(
            hash,
            (h, old) -> {
              if (pending.get(h) != mine) {
                return old;
              }
              if (old != null) {
                verified.used(old.drainLastUse());
              }
              return verified;
            });
    return Optional.of(verified);
  }

  private Moment now() {
    return new Moment(nanoTime.getAsLong(), clock.millis());
  }

  private static ApiException unavailable() {
    return ApiException.unavailable("API keys cannot be checked at the moment.", 1);
  }
}
