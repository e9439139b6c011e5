package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.ApiKeyVerifier.LookUps.Urgency;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §1: keys are cheap to check, a revoked one is refused within five seconds. */
class ApiKeyVerifierTest {
  private static final String SECRET = "msk_0123456789abcdef0123456789abcdef";
  private static final String HASH = IssuedSecret.hash(SECRET);
  private static final Duration GRACE = Duration.ofHours(1);
  private static final Duration NO_PATIENCE = Duration.ofNanos(1);

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-20T09:30:00Z"));
  private long nanos;
  private final Queue<Runnable> background = new ArrayDeque<>();
  private final Map<String, ApiKey> database = new HashMap<>();
  private LookUpException failure;
  private int lookUps;

  private final ApiKeyVerifier verifier =
      new ApiKeyVerifier(this::lookUp, clock, () -> nanos, GRACE, ApiKeyVerifier.LOOK_UP_TIMEOUT);

  /** Its re-checks are made when the test runs them, and nobody waits for them. */
  private final ApiKeyVerifier slow =
      new ApiKeyVerifier(
          (hash, urgency) -> {
            if (urgency == Urgency.FIRST) {
              return lookUp(hash, urgency);
            }
            CompletableFuture<Boolean> mayRun = new CompletableFuture<>();
            background.add(() -> mayRun.complete(true));
            return mayRun.thenCompose(ran -> lookUp(hash, urgency));
          },
          clock,
          () -> nanos,
          GRACE,
          NO_PATIENCE);

  ApiKeyVerifierTest() {
    database.put(HASH, key(null, null));
  }

  @Test
  void aHotKeyCostsOneLookUpPerRefreshPeriodAndNoCallerWaitsForIt() {
    for (int i = 0; i < 1000; i++) {
      assertThat(verify(slow)).isNotNull();
      pass(Duration.ofMillis(10));
      runBackground();
    }
    // Ten seconds, refreshed every one and a half.
    assertThat(lookUps).isBetween(6, 8);
  }

  @Test
  void manyCallersAskForOneRefresh() {
    verify(slow);
    pass(Duration.ofSeconds(2));
    for (int i = 0; i < 100; i++) {
      assertThat(verify(slow)).isNotNull();
    }
    assertThat(lookUps).isEqualTo(1);
    assertThat(background).hasSize(1);
    runBackground();
    assertThat(lookUps).isEqualTo(2);
  }

  @Test
  void aRevokedKeyIsRefusedAsSoonAsTheRefreshTells() {
    verify(slow);
    database.put(HASH, key(null, clock.instant()));
    pass(Duration.ofSeconds(2));
    assertThat(verify(slow)).isNotNull();
    runBackground();
    assertThat(verify(slow)).isNull();
  }

  @Test
  void aRevokedKeyIsRefusedWithinFiveSecondsThoughNobodyUsedItMeanwhile() {
    verify(verifier);
    database.put(HASH, key(null, clock.instant()));
    pass(Duration.ofMillis(4999));
    assertThat(verify(verifier)).isNull();
  }

  @Test
  void aRotatedKeyIsRefusedSinceNothingHasItsHash() {
    verify(verifier);
    database.remove(HASH);
    pass(Duration.ofMillis(4999));
    assertThat(verify(verifier)).isNull();
  }

  @Test
  void aForgottenKeyIsLookedUpAtOnce() {
    verify(verifier);
    database.put(HASH, key(null, clock.instant()));
    verifier.evict(HASH);
    assertThat(verify(verifier)).isNull();
  }

  @Test
  void aRefreshThatWasUnderWayDoesNotBringAForgottenKeyBack() {
    verify(slow);
    pass(Duration.ofSeconds(2));
    verify(slow);
    ApiKey before = database.get(HASH);
    database.put(HASH, key(null, clock.instant()));
    slow.evict(HASH);
    ApiKey after = database.put(HASH, before);
    runBackground();
    database.put(HASH, after);
    assertThat(verify(slow)).isNull();
  }

  @Test
  void theKeysOfAProjectAreForgottenWithWhatIsUnderWay() {
    verify(slow);
    pass(Duration.ofSeconds(2));
    verify(slow);
    ApiKey before = database.get(HASH);
    slow.evictProject(before.projectId() + 1);
    assertThat(lookUps).isEqualTo(1);
    verify(slow);
    assertThat(lookUps).as("another project's key is still known").isEqualTo(1);

    database.put(HASH, key(null, clock.instant()));
    slow.evictProject(before.projectId());
    ApiKey after = database.put(HASH, before);
    runBackground();
    database.put(HASH, after);
    assertThat(verify(slow)).isNull();
  }

  @Test
  void aLookUpThatBeganBeforeTheRevocationDoesNotOutliveIt() {
    // The row is read, then the key is revoked and forgotten, then the reader goes on.
    ApiKeyVerifier[] self = new ApiKeyVerifier[1];
    self[0] =
        new ApiKeyVerifier(
            (hash, urgency) -> {
              CompletableFuture<Optional<ApiKey>> read = lookUp(hash, urgency);
              if (lookUps == 1) {
                database.put(HASH, key(null, clock.instant()));
                self[0].evict(HASH);
              }
              return read;
            },
            clock,
            () -> nanos,
            GRACE,
            ApiKeyVerifier.LOOK_UP_TIMEOUT);
    verify(self[0]);

    assertThat(verify(self[0])).isNull();
  }

  @Test
  void aWallClockThatIsSetBackDoesNotMakeAKeyFresher() {
    verify(verifier);
    clock.advance(Duration.ofHours(-1));
    database.put(HASH, key(null, clock.instant()));
    nanos += Duration.ofSeconds(4).toNanos();
    assertThat(verify(verifier)).isNull();
  }

  @Test
  void aMonotonicClockThatStoodStillOrWentBackDoesNotMakeAKeyFresher() {
    verify(verifier);
    database.put(HASH, key(null, clock.instant()));
    // As on a machine that was suspended.
    clock.advance(Duration.ofSeconds(4));
    assertThat(verify(verifier)).isNull();

    database.put(HASH, key(null, null));
    verifier.evict(HASH);
    verify(verifier);
    database.put(HASH, key(null, clock.instant()));
    nanos -= 1;
    assertThat(verify(verifier)).isNull();
  }

  @Test
  void aKeyExpiresOnTheSpot() {
    database.put(HASH, key(clock.instant().plusMillis(500), null));
    assertThat(verify(verifier)).isNotNull();
    pass(Duration.ofMillis(500));
    assertThat(verify(verifier)).isNull();
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
    assertThat(verifier.verify(secret, () -> {})).isNull();
    assertThat(lookUps).isZero();
  }

  @Test
  void whileTheDatabaseCannotBeReachedKnownKeysWorkForTheGracePeriod() {
    verify(verifier);
    failure = LookUpException.unreachable(null);
    for (Duration passed = Duration.ZERO;
        passed.compareTo(GRACE.minusSeconds(1)) < 0;
        passed = passed.plusSeconds(1)) {
      assertThat(verify(verifier)).isNotNull();
      pass(Duration.ofSeconds(1));
    }
    pass(Duration.ofSeconds(1));
    assertUnavailable(verifier);
  }

  @Test
  void whileTheDatabaseCannotBeReachedUnknownKeysAre503() {
    failure = LookUpException.unreachable(null);
    assertUnavailable(verifier);
  }

  @Test
  void aLookUpThatFailsOrIsRejectedIsNoOutage() {
    verify(verifier);
    failure = LookUpException.failed("too many wait", null);
    pass(Duration.ofMillis(3999));
    assertThat(verify(verifier)).isNotNull();
    pass(Duration.ofMillis(1));
    assertUnavailable(verifier);
  }

  @Test
  void aLookUpThatTakesLongIsNoOutage() {
    verify(slow);
    pass(Duration.ofSeconds(4));
    assertUnavailable(slow);
    database.put(HASH, key(null, clock.instant()));
    runBackground();
    assertThat(verify(slow)).isNull();
  }

  @Test
  void oneFailedLookUpFailsNoOther() {
    failure = LookUpException.failed("killed", null);
    assertUnavailable(verifier);
    failure = null;
    assertThat(verify(verifier)).isNotNull();
  }

  @Test
  void aWrongKeyIsLookedUpOnceInAWhile() {
    String wrong = "msk_00000000000000000000000000000000";
    for (int i = 0; i < 100; i++) {
      assertThat(verifier.verify(wrong, () -> {})).isNull();
    }
    assertThat(lookUps).isEqualTo(1);
    pass(Duration.ofSeconds(5));
    assertThat(verifier.verify(wrong, () -> {})).isNull();
    assertThat(lookUps).isEqualTo(2);
  }

  @Test
  void aKeyThatWasWrongAndIsIssuedNowIsGoodAtOnceOnThisNode() {
    ApiKey issued = database.remove(HASH);
    assertThat(verify(verifier)).isNull();
    database.put(HASH, issued);
    verifier.evict(HASH);
    assertThat(verify(verifier)).isNotNull();
  }

  @Test
  void theDatabaseIsAskedForUnknownKeysOnlyIfTheCallerMayAsk() {
    ApiException refusal = new ApiException(ApiError.rateLimited("", "", 1));
    Runnable refuse =
        () -> {
          throw refusal;
        };
    assertThatThrownBy(() -> verifier.verify(SECRET, refuse)).isSameAs(refusal);
    assertThat(lookUps).isZero();

    verify(verifier);
    for (int i = 0; i < 10; i++) {
      assertThat(verifier.verify(SECRET, refuse)).as("a key that was good").isNotNull();
      pass(Duration.ofSeconds(5));
    }
  }

  @Test
  void whenTheDatabaseIsBackAllIsAsBefore() {
    verify(verifier);
    failure = LookUpException.unreachable(null);
    pass(Duration.ofSeconds(10));
    assertThat(verify(verifier)).isNotNull();
    failure = null;
    database.put(HASH, key(null, clock.instant()));
    assertThat(verify(verifier)).isNull();
    assertThat(verifier.verify("msk_00000000000000000000000000000000", () -> {})).isNull();
  }

  @Test
  void aKeyThatExpiresInTheGracePeriodIsRefusedAllTheSame() {
    database.put(HASH, key(clock.instant().plusSeconds(60), null));
    verify(verifier);
    failure = LookUpException.unreachable(null);
    pass(Duration.ofSeconds(60));
    assertThat(verify(verifier)).isNull();
  }

  @Test
  void usesAreToldOnceWithTheLatestTime() {
    verify(slow);
    pass(Duration.ofSeconds(2));
    verify(slow);
    runBackground();
    assertThat(slow.drainLastUses()).isEqualTo(Map.of(7L, clock.instant()));
    assertThat(slow.drainLastUses()).isEmpty();
  }

  private static Caller verify(ApiKeyVerifier verifier) {
    return verifier.verify(SECRET, () -> {});
  }

  private void pass(Duration time) {
    clock.advance(time);
    nanos += time.toNanos();
  }

  private static void assertUnavailable(ApiKeyVerifier verifier) {
    assertThatThrownBy(() -> verify(verifier))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(503);
              assertThat(e.error().retryAfterSeconds()).isPositive();
            });
  }

  private CompletableFuture<Optional<ApiKey>> lookUp(String hash, Urgency urgency) {
    lookUps++;
    return failure == null
        ? CompletableFuture.completedFuture(Optional.ofNullable(database.get(hash)))
        : CompletableFuture.failedFuture(failure);
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
        null,
        null,
        null,
        clock.instant(),
        expiresAt,
        revokedAt,
        null,
        false);
  }
}
