package io.memorygateway.admin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.IssuedSecret;
import io.memorygateway.database.StoreUnreachableException;
import io.memorygateway.operator.AdminCaller;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks tokens up in the database. A valid token is cached for a few seconds, so that the requests
 * of a page cause one look-up; and longer while the database cannot be reached, because that is
 * when a node has to be drained. A database that is merely slow or busy gives no such grace.
 */
final class TokenAuthenticator implements AdminAuthenticator {
  static final Duration FRESH = Duration.ofSeconds(3);
  static final Duration GRACE = Duration.ofMinutes(15);
  private static final int MAX_CACHED = 1000;

  private final Function<String, Optional<AdminToken>> lookUp;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Cache<String, VerifiedToken> good =
      Caffeine.newBuilder().expireAfterWrite(GRACE).maximumSize(MAX_CACHED).build();

  /** A token that was valid, and the time of its look-up. */
  private record VerifiedToken(AdminToken token, long atNanos) {}

  /**
   * @param lookUp finds a token by the hash of its secret
   * @param nanoTime as {@link System#nanoTime()}
   */
  TokenAuthenticator(
      Function<String, Optional<AdminToken>> lookUp, InstantSource clock, LongSupplier nanoTime) {
    this.lookUp = lookUp;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  @Override
  public @Nullable AdminCaller authenticate(Credentials credentials, Throttle throttle)
      throws LoginRefusedException {
    String secret = credentials.authorization("Bearer");
    if (secret == null) {
      return null;
    }
    if (!IssuedSecret.ADMIN_TOKEN.isWellFormed(secret)) {
      throttle.admit();
      throw new LoginRefusedException("", "the bearer token is not an admin token");
    }
    String hash = IssuedSecret.hash(secret);
    VerifiedToken found = good.getIfPresent(hash);
    if (found == null) {
      throttle.admit();
    }
    if (found == null || nanoTime.getAsLong() - found.atNanos() > FRESH.toNanos()) {
      found = lookedUp(hash, found);
    }
    String prefix = IssuedSecret.ADMIN_TOKEN.shown(secret);
    if (found == null) {
      throw new LoginRefusedException(prefix, "the token is unknown");
    }
    if (!found.token().isValidAt(clock.instant())) {
      good.invalidate(hash);
      throw new LoginRefusedException(prefix, "the token is revoked or expired");
    }
    return found.token().caller();
  }

  private @Nullable VerifiedToken lookedUp(String hash, @Nullable VerifiedToken before) {
    // Read before the query, so that the age is never underestimated.
    long now = nanoTime.getAsLong();
    try {
      Optional<AdminToken> token = lookUp.apply(hash);
      if (token.isEmpty()) {
        good.invalidate(hash);
        return null;
      }
      VerifiedToken found = new VerifiedToken(token.get(), now);
      good.put(hash, found);
      return found;
    } catch (StoreUnreachableException e) {
      if (before != null && now - before.atNanos() < GRACE.toNanos()) {
        return before;
      }
      throw e;
    }
  }
}
