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
  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
  private final Circuit circuit = new Circuit("p/m", clock);

  @Test
  void threeFailuresInARowOpenIt() {
    fail();
    fail();
    succeed();
    fail();
    fail();
    assertThat(circuit.state()).isEqualTo(State.CLOSED);
    fail();

    assertThat(circuit.state()).isEqualTo(State.OPEN);
    assertThat(circuit.tryAcquire()).isNull();
    assertThat(circuit.openSince()).isEqualTo(clock.instant());
  }

  @Test
  void halfOfTwentyCallsOpenIt() {
    for (int i = 0; i < 9; i++) {
      fail();
      succeed();
    }
    succeed();
    assertThat(circuit.state()).isEqualTo(State.CLOSED);
    fail();

    assertThat(circuit.state()).isEqualTo(State.OPEN);
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

    assertThat(circuit.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void afterTenSecondsOneProbeIsLetThroughAndClosesIt() {
    open();
    clock.advance(Duration.ofMillis(9_999));
    assertThat(circuit.tryAcquire()).isNull();
    clock.advance(Duration.ofMillis(2));

    Circuit.Permit probe = requireNonNull(circuit.tryAcquire());
    assertThat(circuit.state()).isEqualTo(State.HALF_OPEN);
    assertThat(circuit.tryAcquire()).isNull();
    circuit.succeeded(probe);

    assertThat(circuit.state()).isEqualTo(State.CLOSED);
    assertThat(circuit.openSince()).isNull();
  }

  @Test
  void aProbeThatFailsDoublesTheTimeUpToTwoMinutes() {
    open();
    for (int seconds : new int[] {10, 20, 40, 80, 120, 120}) {
      clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
      assertThat(circuit.tryAcquire()).as("%d s", seconds).isNull();
      clock.advance(Duration.ofMillis(2));
      circuit.failed(requireNonNull(circuit.tryAcquire()), null);
    }
    clock.advance(Duration.ofSeconds(121));
    circuit.succeeded(requireNonNull(circuit.tryAcquire()));
    open();
    clock.advance(Duration.ofMillis(10_001));
    assertThat(circuit.tryAcquire()).isNotNull();
  }

  @Test
  void aProbeWithoutAnOutcomeMakesPlaceForAnother() {
    open();
    clock.advance(Duration.ofSeconds(11));
    circuit.released(requireNonNull(circuit.tryAcquire()));

    assertThat(circuit.tryAcquire()).isNotNull();
  }

  @Test
  void whatBeganBeforeItOpenedIsNoProbe() {
    Circuit.Permit slow = requireNonNull(circuit.tryAcquire());
    Circuit.Permit failing = requireNonNull(circuit.tryAcquire());
    Circuit.Permit leaving = requireNonNull(circuit.tryAcquire());
    open();
    circuit.succeeded(slow);
    assertThat(circuit.state()).isEqualTo(State.OPEN);
    clock.advance(Duration.ofSeconds(11));
    Circuit.Permit probe = requireNonNull(circuit.tryAcquire());

    circuit.failed(failing, null);
    circuit.released(leaving);

    assertThat(circuit.state()).isEqualTo(State.HALF_OPEN);
    assertThat(circuit.tryAcquire()).isNull();
    circuit.succeeded(probe);
    assertThat(circuit.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void retryAfterOpensItForAsLong() {
    circuit.failed(requireNonNull(circuit.tryAcquire()), Duration.ofSeconds(47));

    assertThat(circuit.tryAcquire()).isNull();
    clock.advance(Duration.ofMillis(46_999));
    assertThat(circuit.tryAcquire()).isNull();
    clock.advance(Duration.ofMillis(2));
    assertThat(circuit.tryAcquire()).isNotNull();
  }

  @Test
  void aLongerRetryAfterOfACallInFlightCounts() {
    Circuit.Permit first = requireNonNull(circuit.tryAcquire());
    Circuit.Permit second = requireNonNull(circuit.tryAcquire());
    circuit.failed(first, Duration.ofSeconds(5));
    circuit.failed(second, Duration.ofSeconds(60));

    clock.advance(Duration.ofSeconds(59));
    assertThat(circuit.tryAcquire()).isNull();
  }

  @Test
  void aCallThatHasNowhereElseToGoClosesItIfItIsAnswered() {
    open();
    circuit.failed(circuit.acquireWhileOpen(), null);
    assertThat(circuit.state()).isEqualTo(State.OPEN);

    circuit.succeeded(circuit.acquireWhileOpen());

    assertThat(circuit.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void anOperatorOpensAndClosesIt() {
    circuit.open();
    clock.advance(Duration.ofDays(1));
    assertThat(circuit.tryAcquire()).isNull();
    circuit.succeeded(circuit.acquireWhileOpen());
    assertThat(circuit.state()).isEqualTo(State.FORCED_OPEN);

    circuit.close();

    assertThat(circuit.tryAcquire()).isNotNull();
  }

  private void open() {
    fail();
    fail();
    fail();
    assertThat(circuit.state()).isEqualTo(State.OPEN);
  }

  private void fail() {
    circuit.failed(requireNonNull(circuit.tryAcquire()), null);
  }

  private void succeed() {
    circuit.succeeded(requireNonNull(circuit.tryAcquire()));
  }
}
