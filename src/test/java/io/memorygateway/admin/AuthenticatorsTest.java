package io.memorygateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.operator.Role;
import io.memorygateway.testing.ManualClock;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;

/** What makes a login good, beside what {@link AdminAccessIT} sends. */
class AuthenticatorsTest {
  private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");
  private static final String SECRET = "msa_" + "0123456789abcdef".repeat(2);

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger lookUps = new AtomicInteger();
  private final AtomicReference<Optional<AdminToken>> stored =
      new AtomicReference<>(Optional.of(token(NOW.plusSeconds(100), null)));
  private boolean away;

  @Test
  void theProxyHasToBeWhereItIsConfiguredToBe() throws Exception {
    HeaderSettings settings =
        new HeaderSettings(
            "U",
            "G",
            "S",
            "a-secret-of-the-proxy",
            Set.of(address("10.0.0.1")),
            Map.of("g", Role.OWNER));
    HeaderAuthenticator headers = new HeaderAuthenticator(settings);
    HttpFields good =
        HttpFields.build().add("U", "ada").add("G", "g").add("S", "a-secret-of-the-proxy");
    assertThat(headers.authenticate(new Credentials(good, address("10.0.0.1")), () -> {}).role())
        .isEqualTo(Role.OWNER);
    assertThatThrownBy(
            () -> headers.authenticate(new Credentials(good, address("10.0.0.2")), () -> {}))
        .isInstanceOf(LoginRefusedException.class);
    assertThatThrownBy(() -> headers.authenticate(new Credentials(good, null), () -> {}))
        .isInstanceOf(LoginRefusedException.class);
  }

  /** All operators come from the address of the proxy. */
  @Test
  void aGoodLoginThroughTheProxyIsNotSlowedDownByOthers() throws Exception {
    HeaderAuthenticator headers =
        new HeaderAuthenticator(
            new HeaderSettings(
                "U",
                "G",
                "S",
                "a-secret-of-the-proxy",
                Set.of(address("10.0.0.1")),
                Map.of("g", Role.OWNER)));
    AdminAuthenticator.Throttle full =
        () -> {
          throw new ApiException(ApiError.rateLimited("Too many failed logins.", "admin", 9));
        };
    HttpFields good =
        HttpFields.build().add("U", "ada").add("G", "g").add("S", "a-secret-of-the-proxy");
    HttpFields guess = HttpFields.build().add("U", "ada").add("G", "g").add("S", "guess");
    assertThat(headers.authenticate(new Credentials(good, address("10.0.0.1")), full)).isNotNull();
    assertThatThrownBy(
            () -> headers.authenticate(new Credentials(guess, address("10.0.0.1")), full))
        .isInstanceOf(ApiException.class);
    assertThatThrownBy(() -> headers.authenticate(new Credentials(good, address("10.0.0.2")), full))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void aTokenIsAskedForOnceInAWhileAndAnExpiredOneIsRefusedAtOnce() throws Exception {
    ManualClock clock = new ManualClock(NOW);
    TokenAuthenticator tokens = new TokenAuthenticator(this::lookUp, clock, nanos::get);
    for (int i = 0; i < 5; i++) {
      assertThat(tokens.authenticate(bearer(), () -> {}).name()).isEqualTo("token ci");
    }
    assertThat(lookUps).hasValue(1);
    clock.advance(Duration.ofSeconds(100));
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(LoginRefusedException.class);
  }

  @Test
  void aRevocationIsHeededWithinSeconds() throws Exception {
    TokenAuthenticator tokens = new TokenAuthenticator(this::lookUp, () -> NOW, nanos::get);
    assertThat(tokens.authenticate(bearer(), () -> {})).isNotNull();
    stored.set(Optional.of(token(NOW.plusSeconds(100), NOW)));
    nanos.addAndGet(TokenAuthenticator.FRESH.toNanos() + 1);
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(LoginRefusedException.class);
    // It is not forgotten again, as long as the database is away.
    away = true;
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void whileTheDatabaseIsAwayOnlyWhatWasGoodIsGoodForAWhile() throws Exception {
    TokenAuthenticator tokens = new TokenAuthenticator(this::lookUp, () -> NOW, nanos::get);
    away = true;
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(ApiException.class);
    away = false;
    assertThat(tokens.authenticate(bearer(), () -> {})).isNotNull();
    away = true;
    nanos.addAndGet(TokenAuthenticator.GRACE.toNanos() - 1);
    assertThat(tokens.authenticate(bearer(), () -> {})).isNotNull();
    nanos.addAndGet(2);
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void aHashThatTakesNoTimeOrTooMuchIsRefused() {
    PasswordHash.require("ada", PasswordHash.UNKNOWN_USER);
    for (String hash :
        new String[] {
          "",
          "secret",
          PasswordHash.UNKNOWN_USER.replace("$12$", "$04$"),
          PasswordHash.UNKNOWN_USER.replace("$12$", "$31$")
        }) {
      assertThatThrownBy(() -> PasswordHash.require("ada", hash))
          .hasMessageContaining("users.ada.password")
          .satisfies(e -> assertThat(hash.isEmpty() || !e.getMessage().contains(hash)).isTrue());
    }
    assertThat(PasswordHash.matches("", PasswordHash.UNKNOWN_USER)).isFalse();
    assertThat(PasswordHash.matches("x".repeat(73), PasswordHash.UNKNOWN_USER)).isFalse();
    assertThat(PasswordHash.matches("guess", PasswordHash.UNKNOWN_USER)).isFalse();
  }

  private Optional<AdminToken> lookUp(String hash) {
    lookUps.incrementAndGet();
    assertThat(hash).isEqualTo(AdminTokenSecret.hash(SECRET));
    if (away) {
      throw new ApiException(ApiError.unavailable("away", 1));
    }
    return stored.get();
  }

  private static Credentials bearer() {
    return new Credentials(HttpFields.build().add("Authorization", "Bearer " + SECRET), null);
  }

  private static AdminToken token(Instant expires, Instant revoked) {
    return new AdminToken(1, "id", "ci", "operator", "msa_0123", NOW, expires, revoked);
  }

  private static InetAddress address(String text) throws Exception {
    return InetAddress.getByName(text);
  }
}
