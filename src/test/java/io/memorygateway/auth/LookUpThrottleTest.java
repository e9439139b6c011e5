package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Contract §2: guesses are refused in memory, and no good key is locked out by them. */
class LookUpThrottleTest {
  private static final String ADDRESS = "10.0.0.1";
  private static final String GOOD = "msk_0123456789abcdef0123456789abcdef";
  private static final String GUESS = "msk_00000000000000000000000000000000";

  private final List<String> issued = new ArrayList<>(List.of(GOOD));
  private final Queue<Runnable> background = new ArrayDeque<>();
  private long nanos = 7;
  private int loads;
  private final FailedAttempts failedAttempts = new FailedAttempts(2, () -> nanos);
  private final LookUpThrottle throttle =
      new LookUpThrottle(failedAttempts, new IssuedKeys(this::load, background::add, () -> nanos));

  @Test
  void aGoodKeyIsLookedUpThoughGuessesUseUpWhatItsAddressMayDo() {
    failUntilSlowedDown();
    assertThat(throttle.waitBeforeLookUp(ADDRESS, GUESS)).isZero();
    runBackground();
    for (int i = 0; i < 100; i++) {
      assertThat(throttle.waitBeforeLookUp(ADDRESS, GUESS)).isPositive();
      assertThat(throttle.waitBeforeLookUp(ADDRESS, GOOD)).isZero();
    }
  }

  @Test
  void aKeyThatWasIssuedMeanwhileIsKnownAfterASecond() {
    failUntilSlowedDown();
    throttle.waitBeforeLookUp(ADDRESS, GUESS);
    runBackground();
    String fresh = "msk_11111111111111111111111111111111";
    issued.add(fresh);
    assertThat(throttle.waitBeforeLookUp(ADDRESS, fresh)).isPositive();

    pass(Duration.ofSeconds(1));
    assertThat(throttle.waitBeforeLookUp(ADDRESS, GUESS)).isZero();
    runBackground();
    assertThat(throttle.waitBeforeLookUp(ADDRESS, GUESS)).isPositive();
    assertThat(throttle.waitBeforeLookUp(ADDRESS, fresh)).isZero();
  }

  @Test
  void keysAreLoadedOnceASecondAtMostAndOnlyWhileSomebodyGuesses() {
    throttle.waitBeforeLookUp(ADDRESS, GUESS);
    assertThat(background).isEmpty();
    failUntilSlowedDown();
    for (int i = 0; i < 100; i++) {
      throttle.waitBeforeLookUp(ADDRESS, GUESS);
    }
    assertThat(background).hasSize(1);
    runBackground();
    throttle.waitBeforeLookUp(ADDRESS, GUESS);
    assertThat(background).isEmpty();
    assertThat(loads).isEqualTo(1);
  }

  @Test
  void loadingThatFailsOrTakesLongIsTriedAgainLater() {
    failUntilSlowedDown();
    throttle.waitBeforeLookUp(ADDRESS, GUESS);
    Runnable load = background.remove();
    issued.add("no key, so that it fails");
    load.run();
    issued.remove(1);
    pass(Duration.ofSeconds(1));
    throttle.waitBeforeLookUp(ADDRESS, GUESS);
    runBackground();
    assertThat(throttle.waitBeforeLookUp(ADDRESS, GOOD)).isZero();
  }

  private LongStream load() {
    loads++;
    return issued.stream()
        .peek(secret -> assertWellFormed(secret))
        .mapToLong(secret -> IssuedKeys.fingerprint(IssuedSecret.hash(secret)));
  }

  private static void assertWellFormed(String secret) {
    if (!IssuedSecret.API_KEY.isWellFormed(secret)) {
      throw new IllegalStateException("the database is away");
    }
  }

  private void failUntilSlowedDown() {
    failedAttempts.countAndGetWait(ADDRESS);
    failedAttempts.countAndGetWait(ADDRESS);
  }

  private void runBackground() {
    while (!background.isEmpty()) {
      background.remove().run();
    }
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }
}
