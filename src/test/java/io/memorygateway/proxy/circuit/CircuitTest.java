package io.memorygateway.proxy.circuit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.proxy.circuit.Circuit.State;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Contract §10: when a circuit opens, and how it closes again. */
class CircuitTest {
  private static final long KEY = 1;
  private static final long OTHER = 2;
  private static final long THIRD = 3;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
  private final Circuit circuit = new Circuit(clock);

  @Test
  void threeFailuresInARowOpenIt() {
    fail();
    fail();
    succeed();
    fail();
    fail();
    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
    fail();

    assertThat(circuit.view().state()).isEqualTo(State.OPEN);
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    assertThat(circuit.openSince(KEY)).isEqualTo(clock.instant());
  }

  @Test
  void halfOfTwentyCallsOpenIt() {
    for (int i = 0; i < 9; i++) {
      fail();
      succeed();
    }
    succeed();
    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
    fail();

    assertThat(circuit.view().state()).isEqualTo(State.OPEN);
  }

  @Test
  void failuresOfMoreThanHalfAMinuteAgoDoNotCount() {
    for (int i = 0; i < 9; i++) {
      fail();
      succeed();
    }
    clock.advance(Duration.ofSeconds(31));
    succeed();
    fail();

    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
  }

  @Test
  void afterTenSecondsOneProbeIsLetThroughAndClosesIt() {
    open();
    clock.advance(Duration.ofMillis(9_999));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    clock.advance(Duration.ofMillis(2));

    Circuit.Permit probe = requireNonNull(circuit.tryAcquire(KEY, KEY));
    assertThat(circuit.view().state()).isEqualTo(State.HALF_OPEN);
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    probe.succeeded();

    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
    assertThat(circuit.openSince(KEY)).isNull();
  }

  @Test
  void aProbeThatFailsDoublesTheTimeUpToTwoMinutes() {
    open();
    for (int seconds : new int[] {10, 20, 40, 80, 120, 120}) {
      clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
      assertThat(circuit.tryAcquire(KEY, KEY)).as("%d s", seconds).isNull();
      clock.advance(Duration.ofMillis(2));
      requireNonNull(circuit.tryAcquire(KEY, KEY)).failed(null);
    }
    clock.advance(Duration.ofSeconds(121));
    requireNonNull(circuit.tryAcquire(KEY, KEY)).succeeded();
    open();
    clock.advance(Duration.ofMillis(10_001));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();
  }

  @Test
  void aProbeWithoutAnOutcomeMakesPlaceForAnother() {
    open();
    clock.advance(Duration.ofSeconds(11));
    requireNonNull(circuit.tryAcquire(KEY, KEY)).released();

    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();
  }

  @Test
  void whatBeganBeforeItOpenedIsNoProbe() {
    Circuit.Permit slow = requireNonNull(circuit.tryAcquire(KEY, KEY));
    Circuit.Permit failing = requireNonNull(circuit.tryAcquire(KEY, KEY));
    Circuit.Permit leaving = requireNonNull(circuit.tryAcquire(KEY, KEY));
    open();
    slow.succeeded();
    assertThat(circuit.view().state()).isEqualTo(State.OPEN);
    clock.advance(Duration.ofSeconds(11));
    Circuit.Permit probe = requireNonNull(circuit.tryAcquire(KEY, KEY));

    failing.failed(null);
    leaving.released();

    assertThat(circuit.view().state()).isEqualTo(State.HALF_OPEN);
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    probe.succeeded();
    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
  }

  @Test
  void retryAfterOpensItForAsLong() {
    requireNonNull(circuit.tryAcquire(KEY, KEY)).failed(Duration.ofSeconds(47));

    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    clock.advance(Duration.ofMillis(46_999));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    clock.advance(Duration.ofMillis(2));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();
  }

  @Test
  void aLongerRetryAfterOfACallInFlightCounts() {
    Circuit.Permit first = requireNonNull(circuit.tryAcquire(KEY, KEY));
    Circuit.Permit second = requireNonNull(circuit.tryAcquire(KEY, KEY));
    first.failed(Duration.ofSeconds(5));
    second.failed(Duration.ofSeconds(60));

    clock.advance(Duration.ofSeconds(59));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
  }

  @Test
  void aCallThatHasNowhereElseToGoClosesItIfItIsAnswered() {
    open();
    circuit.acquireWhileOpen(KEY, KEY).failed(null);
    assertThat(circuit.view().state()).isEqualTo(State.OPEN);

    circuit.acquireWhileOpen(KEY, KEY).succeeded();

    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
  }

  @Test
  void anOperatorOpensAndClosesIt() {
    circuit.open();
    clock.advance(Duration.ofDays(1));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    circuit.acquireWhileOpen(KEY, KEY).succeeded();
    assertThat(circuit.view().state()).isEqualTo(State.FORCED_OPEN);

    circuit.close();

    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();
  }

  @Test
  void aProbeThatDoesNotEndLetsTheNextOneIn() {
    open();
    clock.advance(Duration.ofSeconds(11));
    Circuit.Permit slow = requireNonNull(circuit.tryAcquire(KEY, KEY));
    clock.advance(Duration.ofMillis(4_999));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    clock.advance(Duration.ofMillis(2));

    requireNonNull(circuit.tryAcquire(KEY, KEY)).succeeded();

    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
    slow.failed(null);
    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();
  }

  @Test
  void anAnswerThatHasBegunEndsTheProbeOnce() {
    open();
    clock.advance(Duration.ofSeconds(11));
    Circuit.Permit probe = requireNonNull(circuit.tryAcquire(KEY, KEY));

    probe.answering();

    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
    probe.failed(null);
    assertThat(circuit.view().failures()).isEqualTo(1);
  }

  @Test
  void whatOneKeyProvokesClosesTheTargetToThatKeyAlone() {
    for (int i = 0; i < 100; i++) {
      circuit.acquireWhileOpen(KEY, KEY).failed(Duration.ofHours(1));
    }

    assertThat(circuit.tryAcquire(KEY, KEY)).isNull();
    assertThat(circuit.tryAcquire(OTHER, OTHER)).isNotNull();
    assertThat(circuit.openSince(OTHER)).isNull();
    Circuit.View view = circuit.view();
    assertThat(view.state()).isEqualTo(State.OPEN);
    assertThat(view.openForKeys()).isEqualTo(1);
    assertThat(view.openForAll()).isFalse();
  }

  @Test
  void aSlowProbeOfOneKeyHoldsNobodyElseUp() {
    open();
    clock.advance(Duration.ofSeconds(11));
    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();

    assertThat(circuit.tryAcquire(OTHER, OTHER)).isNotNull();
  }

  @Test
  void onceItIsOpenForTwoKeysItIsOpenForAllAndAnyProbeClosesIt() {
    open(KEY);
    open(OTHER);

    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNull();
    assertThat(circuit.openSince(THIRD)).isNotNull();
    assertThat(circuit.view().openForAll()).isTrue();
    clock.advance(Duration.ofMillis(10_001));
    Circuit.Permit probe = requireNonNull(circuit.tryAcquire(THIRD, THIRD));
    assertThat(circuit.tryAcquire(4, 4)).as("one probe at a time, whoever calls").isNull();
    probe.failed(null);
    clock.advance(Duration.ofMillis(19_999));
    assertThat(circuit.tryAcquire(THIRD, THIRD)).as("twice as long").isNull();
    clock.advance(Duration.ofMillis(2));
    requireNonNull(circuit.tryAcquire(THIRD, THIRD)).succeeded();

    assertThat(circuit.view().openForAll()).isFalse();
    assertThat(circuit.tryAcquire(4, 4)).isNotNull();
    requireNonNull(circuit.tryAcquire(KEY, KEY)).succeeded();
    requireNonNull(circuit.tryAcquire(OTHER, OTHER)).succeeded();
    assertThat(circuit.view().state()).isEqualTo(State.CLOSED);
  }

  @Test
  void twoKeysOfOneProjectDoNotCloseItToAnother() {
    requireNonNull(circuit.tryAcquire(THIRD, 20)).succeeded();
    requireNonNull(circuit.tryAcquire(KEY, 10)).failed(Duration.ofHours(1));
    requireNonNull(circuit.tryAcquire(OTHER, 10)).failed(Duration.ofHours(1));

    assertThat(circuit.tryAcquire(THIRD, 20)).isNotNull();
    assertThat(circuit.tryAcquire(4, 10)).isNotNull();
    assertThat(circuit.view().openForAll()).isFalse();
  }

  @Test
  void whileOneProjectAloneCallsTwoOfItsKeysCloseItUntilAnotherProjectComes() {
    requireNonNull(circuit.tryAcquire(KEY, 10)).failed(Duration.ofHours(1));
    requireNonNull(circuit.tryAcquire(OTHER, 10)).failed(Duration.ofHours(1));
    assertThat(circuit.tryAcquire(THIRD, 10)).isNull();

    assertThat(circuit.tryAcquire(4, 20)).isNotNull();
    circuit.acquireWhileOpen(KEY, 10).failed(Duration.ofHours(1));
    assertThat(circuit.tryAcquire(4, 20)).isNotNull();
    assertThat(circuit.tryAcquire(KEY, 10)).isNull();
    circuit.open();
    assertThat(circuit.tryAcquire(5, 30)).as("opened by an operator").isNull();
  }

  @Test
  void whatTakesAllTheTimeOfTheCallsOfAKeyIsKeptFromThatKeyAlone() {
    for (long key : new long[] {KEY, OTHER}) {
      for (int i = 0; i < 3; i++) {
        requireNonNull(circuit.tryAcquire(key, key)).late();
      }
      assertThat(circuit.tryAcquire(key, key)).isNull();
    }
    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNotNull();

    circuit.close();
    open(KEY);
    open(OTHER);
    clock.advance(Duration.ofSeconds(11));
    requireNonNull(circuit.tryAcquire(THIRD, THIRD)).late();
    assertThat(circuit.tryAcquire(THIRD, THIRD))
        .as("a late probe lets the next one in")
        .isNotNull();
  }

  @Test
  void twoKeysThatAreOpenOneAfterTheOtherDoNotCloseItToAll() {
    open(KEY);
    clock.advance(Duration.ofSeconds(11));
    open(OTHER);

    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNotNull();
  }

  @Test
  void theRetryAfterOfTwoKeysHoldsForAllUntilTheShorterOne() {
    requireNonNull(circuit.tryAcquire(KEY, KEY)).failed(Duration.ofMinutes(50));
    requireNonNull(circuit.tryAcquire(OTHER, OTHER)).failed(Duration.ofSeconds(47));

    clock.advance(Duration.ofMillis(46_999));
    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNull();
    clock.advance(Duration.ofMillis(2));
    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNotNull();
    clock.advance(Duration.ofMinutes(49));
    assertThat(circuit.tryAcquire(KEY, KEY))
        .as("of the key itself, though it was not used")
        .isNull();
  }

  @Test
  void anOperatorsActIsForAllKeys() {
    open(KEY);
    circuit.open();
    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNull();
    assertThat(circuit.view().state()).isEqualTo(State.FORCED_OPEN);

    circuit.close();

    assertThat(circuit.tryAcquire(KEY, KEY)).isNotNull();
    assertThat(circuit.tryAcquire(THIRD, THIRD)).isNotNull();
  }

  @Test
  void aKeyThatIsNotUsedIsForgotten() {
    open(KEY);
    clock.advance(Duration.ofMinutes(11));

    assertThat(circuit.view()).isEqualTo(new Circuit.View(State.CLOSED, null, null, 0, 0, false));
  }

  @Test
  void manyKeysPushOutThoseThatHaveNotFailed() {
    Circuit small = new Circuit(clock, 10);
    small.acquireWhileOpen(KEY, KEY).failed(Duration.ofMinutes(1));
    for (int i = 10; i < 1_000; i++) {
      requireNonNull(small.tryAcquire(i, i)).succeeded();
    }

    assertThat(small.tryAcquire(KEY, KEY)).isNull();
    for (int i = 1_000; i < 2_000; i++) {
      small.acquireWhileOpen(i, i).failed(Duration.ofMinutes(1));
    }
    assertThat(small.view().openForKeys()).isEqualTo(10);
  }

  private void open(long key) {
    for (int i = 0; i < 3; i++) {
      requireNonNull(circuit.tryAcquire(key, key)).failed(null);
    }
  }

  private void open() {
    fail();
    fail();
    fail();
    assertThat(circuit.view().state()).isEqualTo(State.OPEN);
  }

  private void fail() {
    requireNonNull(circuit.tryAcquire(KEY, KEY)).failed(null);
  }

  private void succeed() {
    requireNonNull(circuit.tryAcquire(KEY, KEY)).succeeded();
  }
}
