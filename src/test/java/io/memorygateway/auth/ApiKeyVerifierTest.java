package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.ApiException;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jdbi.v3.core.ConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §1: keys are cheap to check, a revoked one is refused within five seconds. */
class ApiKeyVerifierTest {
  private static final String SECRET = "msk_0123456789abcdef0123456789abcdef";
  private static final String HASH = ApiKeySecret.hash(SECRET);
  private static final Duration GRACE = Duration.ofHours(1);

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-20T09:30:00Z"));
  private final Queue<Runnable> background = new ArrayDeque<>();
  private final Map<String, ApiKey> database = new HashMap<>();
  private boolean databaseIsAway;
  private int lookUps;

  private final ApiKeyVerifier verifier =
      new ApiKeyVerifier(this::lookUp, clock, Runnable::run, background::add, GRACE);

  ApiKeyVerifierTest() {
    database.put(HASH, key(null, null));
  }

  @Test
  void aHotKeyCostsOneLookUpPerRefreshPeriodAndNoCallerWaitsForIt() {
    for (int i = 0; i < 1000; i++) {
      assertThat(verifier.verify(SECRET)).isNotNull();
      clock.advance(Duration.ofMillis(10));
      runBackground();
    }
    // Ten seconds, refreshed every one and a half.
    assertThat(lookUps).isBetween(6, 8);
  }

  @Test
  void manyCallersAskForOneRefresh() {
    verifier.verify(SECRET);
    clock.advance(Duration.ofSeconds(2));
    for (int i = 0; i < 100; i++) {
      assertThat(verifier.verify(SECRET)).isNotNull();
    }
    assertThat(lookUps).isEqualTo(1);
    assertThat(background).hasSize(1);
    runBackground();
    assertThat(lookUps).isEqualTo(2);
  }

  @Test
  void aRevokedKeyIsRefusedAsSoonAsTheRefreshTells() {
    verifier.verify(SECRET);
    database.put(HASH, key(null, clock.instant()));
    clock.advance(Duration.ofSeconds(2));
    assertThat(verifier.verify(SECRET)).isNotNull();
    runBackground();
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @Test
  void aRevokedKeyIsRefusedWithinFiveSecondsThoughTheRefreshNeverRuns() {
    verifier.verify(SECRET);
    database.put(HASH, key(null, clock.instant()));
    clock.advance(Duration.ofMillis(4999));
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @Test
  void aRotatedKeyIsRefusedSinceNothingHasItsHash() {
    verifier.verify(SECRET);
    database.remove(HASH);
    clock.advance(Duration.ofMillis(4999));
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @Test
  void aForgottenKeyIsLookedUpAtOnce() {
    verifier.verify(SECRET);
    database.put(HASH, key(null, clock.instant()));
    verifier.forget(HASH);
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @Test
  void aRefreshThatWasUnderWayDoesNotBringAForgottenKeyBack() {
    verifier.verify(SECRET);
    clock.advance(Duration.ofSeconds(2));
    verifier.verify(SECRET);
    database.put(HASH, key(null, clock.instant()));
    verifier.forget(HASH);
    runBackground();
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @Test
  void aLookUpThatBeganBeforeTheRevocationDoesNotOutliveIt() {
    // The row is read, then the key is revoked and forgotten, then the reader goes on.
    ApiKeyVerifier[] self = new ApiKeyVerifier[1];
    self[0] =
        new ApiKeyVerifier(
            hash -> {
              Optional<ApiKey> read = lookUp(hash);
              if (lookUps == 1) {
                database.put(HASH, key(null, clock.instant()));
                self[0].forget(HASH);
              }
              return read;
            },
            clock,
            Runnable::run,
            background::add,
            GRACE);
    self[0].verify(SECRET);

    assertThat(self[0].verify(SECRET)).isNull();
  }

  @Test
  void aKeyExpiresOnTheSpot() {
    database.put(HASH, key(clock.instant().plusMillis(500), null));
    assertThat(verifier.verify(SECRET)).isNotNull();
    clock.advance(Duration.ofMillis(500));
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "msk_",
        "sk-0123456789abcdef",
        "msk_0123456789abcdef0123456789abcde",
        "msk_0123456789abcdef0123456789abcdef0",
        "msk_0123456789ABCDEF0123456789ABCDEF",
        "msk_0123456789abcdef0123456789abcdeé"
      })
  void whatCannotBeAKeyCostsNoLookUp(String secret) {
    assertThat(verifier.verify(secret)).isNull();
    assertThat(lookUps).isZero();
  }

  @Test
  void whileTheDatabaseIsAwayKnownKeysWorkForTheGracePeriod() {
    verifier.verify(SECRET);
    databaseIsAway = true;
    for (Duration passed = Duration.ZERO;
        passed.compareTo(GRACE.minusSeconds(1)) < 0;
        passed = passed.plusSeconds(1)) {
      assertThat(verifier.verify(SECRET)).isNotNull();
      runBackground();
      clock.advance(Duration.ofSeconds(1));
    }
    clock.advance(Duration.ofSeconds(1));
    assertUnavailable(SECRET);
  }

  @Test
  void whileTheDatabaseIsAwayUnknownKeysAre503AndDoNotEachWaitForIt() {
    databaseIsAway = true;
    assertUnavailable(SECRET);
    for (int i = 0; i < 100; i++) {
      assertUnavailable("msk_%032x".formatted(i));
    }
    assertThat(lookUps).isEqualTo(1);
  }

  @Test
  void aDatabaseThatHangsIsOneThatIsAway() {
    Queue<Runnable> neverRun = new ArrayDeque<>();
    boolean[] hangs = new boolean[1];
    ApiKeyVerifier hung =
        new ApiKeyVerifier(
            this::lookUp,
            clock,
            task -> {
              if (hangs[0]) {
                neverRun.add(task);
              } else {
                task.run();
              }
            },
            background::add,
            GRACE);
    assertThat(hung.verify(SECRET)).isNotNull();
    hangs[0] = true;
    clock.advance(Duration.ofSeconds(10));

    assertThat(hung.verify(SECRET)).isNotNull();
    assertThat(neverRun).hasSize(1);
  }

  @Test
  void whenTheDatabaseIsBackAllIsAsBefore() {
    verifier.verify(SECRET);
    databaseIsAway = true;
    clock.advance(Duration.ofSeconds(10));
    assertThat(verifier.verify(SECRET)).isNotNull();
    databaseIsAway = false;
    database.put(HASH, key(null, clock.instant()));
    clock.advance(Duration.ofSeconds(1));
    assertThat(verifier.verify(SECRET)).isNull();
    assertThat(verifier.verify("msk_00000000000000000000000000000000")).isNull();
  }

  @Test
  void aKeyThatExpiresInTheGracePeriodIsRefusedAllTheSame() {
    database.put(HASH, key(clock.instant().plusSeconds(60), null));
    verifier.verify(SECRET);
    databaseIsAway = true;
    clock.advance(Duration.ofSeconds(60));
    assertThat(verifier.verify(SECRET)).isNull();
  }

  @Test
  void usesAreToldOnceWithTheLatestTime() {
    verifier.verify(SECRET);
    clock.advance(Duration.ofSeconds(2));
    verifier.verify(SECRET);
    runBackground();
    assertThat(verifier.takeUses()).isEqualTo(Map.of(7L, clock.instant()));
    assertThat(verifier.takeUses()).isEmpty();
  }

  private void assertUnavailable(String secret) {
    assertThatThrownBy(() -> verifier.verify(secret))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(503);
              assertThat(e.error().retryAfterSeconds()).isPositive();
            });
  }

  private Optional<ApiKey> lookUp(String hash) {
    lookUps++;
    if (databaseIsAway) {
      throw new ConnectionException(new java.sql.SQLException("away"));
    }
    return Optional.ofNullable(database.get(hash));
  }

  private void runBackground() {
    while (!background.isEmpty()) {
      background.remove().run();
    }
  }

  private ApiKey key(Instant expiresAt, Instant revokedAt) {
    return new ApiKey(
        7,
        "018f0000-0000-7000-8000-000000000007",
        1,
        "018f0000-0000-7000-8000-000000000001",
        "test",
        "it",
        SECRET.substring(0, 8),
        HASH,
        null,
        clock.instant(),
        expiresAt,
        revokedAt,
        null);
  }
}
