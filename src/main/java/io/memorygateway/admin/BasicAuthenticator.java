package io.memorygateway.admin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.hash.HashCode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.memorygateway.admin.AdminAuthConfiguration.User;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.AdminCaller;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks names and passwords of config.yml. Checking a password takes a good part of a second of
 * processor time, so few are checked at a time, and a valid one is cached for a while under a hash
 * whose key only this process has.
 */
final class BasicAuthenticator implements AdminAuthenticator {
  private static final int CONCURRENT_CHECKS = 2;
  private static final long WAIT_MILLIS = 2000;
  private static final Duration CACHED_FOR = Duration.ofMinutes(5);
  private static final int MAX_CACHED = 1000;
  private static final int KEY_BYTES = 32;

  private final Map<String, User> users;
  private final int highestCost;
  private final HashFunction digest;
  private final Semaphore checks = new Semaphore(CONCURRENT_CHECKS, true);
  private final Cache<HashCode, AdminCaller> good =
      Caffeine.newBuilder().expireAfterWrite(CACHED_FOR).maximumSize(MAX_CACHED).build();

  BasicAuthenticator(Map<String, User> users, SecureRandom random) {
    this.users = Map.copyOf(users);
    this.highestCost =
        users.values().stream()
            .mapToInt(user -> PasswordHash.cost(user.password()))
            .max()
            .orElseThrow();
    byte[] bytes = new byte[KEY_BYTES];
    random.nextBytes(bytes);
    this.digest = Hashing.hmacSha256(bytes);
  }

  @Override
  public @Nullable AdminCaller authenticate(Credentials credentials, Throttle throttle)
      throws LoginRefusedException {
    String encoded = credentials.authorization("Basic");
    if (encoded == null) {
      return null;
    }
    HashCode presented = digest.hashString(encoded, StandardCharsets.UTF_8);
    AdminCaller remembered = good.getIfPresent(presented);
    if (remembered != null) {
      return remembered;
    }
    String[] parts = decoded(encoded).split(":", 2);
    throttle.admit();
    if (parts.length < 2) {
      throw new LoginRefusedException("", "the credentials are malformed");
    }
    User user = users.get(parts[0]);
    if (user == null || !matches(parts[1], user.password())) {
      PasswordHash.inVain(user == null ? null : user.password(), highestCost)
          .forEach(hash -> matches(parts[1], hash));
      throw new LoginRefusedException(
          user == null ? "" : parts[0], "the user is unknown or the password is wrong");
    }
    AdminCaller caller = new AdminCaller(parts[0], user.role());
    good.put(presented, caller);
    return caller;
  }

  private boolean matches(String password, String hash) {
    try {
      if (!checks.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    }
    try {
      return PasswordHash.matches(password, hash);
    } finally {
      checks.release();
    }
  }

  private static ApiException busy() {
    return ApiException.unavailable("Too many passwords wait to be checked; try again.", 1);
  }

  private static String decoded(String encoded) throws LoginRefusedException {
    try {
      return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new LoginRefusedException("", "the credentials are malformed");
    }
  }
}
