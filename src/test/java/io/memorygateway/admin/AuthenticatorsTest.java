package io.memorygateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.IssuedSecret;
import io.memorygateway.database.StoreUnreachableException;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.Role;
import io.memorygateway.testing.ManualClock;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  private RuntimeException failure;

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
    failure = new StoreUnreachableException();
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void whileTheDatabaseIsAwayOnlyWhatWasGoodIsGoodForAWhile() throws Exception {
    TokenAuthenticator tokens = new TokenAuthenticator(this::lookUp, () -> NOW, nanos::get);
    failure = new StoreUnreachableException();
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(ApiException.class);
    failure = null;
    assertThat(tokens.authenticate(bearer(), () -> {})).isNotNull();
    failure = new StoreUnreachableException();
    nanos.addAndGet(TokenAuthenticator.GRACE.toNanos() - 1);
    assertThat(tokens.authenticate(bearer(), () -> {})).isNotNull();
    nanos.addAndGet(2);
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {}))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void aDatabaseThatIsOnlyBusyKeepsNoRevokedTokenGood() throws Exception {
    TokenAuthenticator tokens = new TokenAuthenticator(this::lookUp, () -> NOW, nanos::get);
    assertThat(tokens.authenticate(bearer(), () -> {})).isNotNull();
    nanos.addAndGet(TokenAuthenticator.FRESH.toNanos() + 1);
    failure = new ApiException(ApiError.unavailable("All connections are in use.", 1));
    assertThatThrownBy(() -> tokens.authenticate(bearer(), () -> {})).isSameAs(failure);
  }

  /** The work of a check is two to the power of the hash's cost. */
  @Test
  void aRefusedPasswordTakesAsLongWhoeverTheUserIs() {
    int highest = 13;
    assertThat(work(PasswordHash.inVain(null, highest))).isEqualTo(1 << highest);
    for (int cost = 10; cost <= highest; cost++) {
      String hash = PasswordHash.unknown(cost);
      assertThat(work(List.of(hash)) + work(PasswordHash.inVain(hash, highest)))
          .as("cost %d", cost)
          .isEqualTo(1 << highest);
    }
  }

  private static int work(List<String> hashes) {
    return hashes.stream().mapToInt(hash -> 1 << PasswordHash.cost(hash)).sum();
  }

  @Test
  void aHashThatTakesNoTimeOrTooMuchIsRefused() {
    PasswordHash.require("ada", PasswordHash.unknown(12));
    for (String hash :
        new String[] {
          "",
          "secret",
          PasswordHash.unknown(12).replace("$12$", "$04$"),
          PasswordHash.unknown(12).replace("$12$", "$31$")
        }) {
      assertThatThrownBy(() -> PasswordHash.require("ada", hash))
          .hasMessageContaining("users.ada.password")
          .satisfies(e -> assertThat(hash.isEmpty() || !e.getMessage().contains(hash)).isTrue());
    }
    assertThat(PasswordHash.matches("", PasswordHash.unknown(12))).isFalse();
    assertThat(PasswordHash.matches("x".repeat(73), PasswordHash.unknown(12))).isFalse();
    assertThat(PasswordHash.matches("guess", PasswordHash.unknown(12))).isFalse();
  }

  private Optional<AdminToken> lookUp(String hash) {
    lookUps.incrementAndGet();
    assertThat(hash).isEqualTo(IssuedSecret.hash(SECRET));
    if (failure != null) {
      throw failure;
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
