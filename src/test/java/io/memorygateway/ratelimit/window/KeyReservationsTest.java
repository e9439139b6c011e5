package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.memorygateway.http.api.RequestKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The permits held for one key, and the rate that is measured of its requests. */
class KeyReservationsTest {
  private static final long END = 1_000_000;
  private static final long EVERY = Reservations.CHECK_NANOS;

  private final AtomicInteger wakes = new AtomicInteger();
  private final List<Integer> dropped = new ArrayList<>();
  private final KeyReservations key =
      new KeyReservations(
          7, RequestKind.LLM, new long[] {1_000}, 0, low -> wakes.incrementAndGet());

  @Test
  void eachPermitIsTakenOnceAndTheOldestReservationGoesFirst() {
    reserve(2);
    Reservation newer = new Reservation(1, new long[] {0}, END);
    key.add(1, newer);
    assertThat(take()).isTrue();
    assertThat(take()).isTrue();
    assertThat(newer.isEmpty()).isFalse();
    assertThat(key.permits(0, 0)).isEqualTo(1);
    assertThat(key.permits(0, END)).isZero();
    assertThat(take()).isTrue();
    assertThat(take()).isFalse();
    assertThat(key.permits()).isZero();
  }

  @Test
  void theWorkerIsWokenOnceWhenThePermitsFallToTheLowWatermark() {
    reserve(5);
    key.setLowWatermark(3);
    take();
    assertThat(key.isLow()).isFalse();
    assertThat(wakes).hasValue(0);
    take();
    assertThat(key.isLow()).isTrue();
    assertThat(wakes).hasValue(1);
    take();
    assertThat(key.isLow()).isTrue();
    assertThat(wakes).hasValue(1);
  }

  @Test
  void withoutALowWatermarkThePermitsRunOut() {
    reserve(2);
    key.setLowWatermark(1);
    key.clearLowWatermark();
    take();
    take();
    assertThat(key.isLow()).isFalse();
    assertThat(wakes).hasValue(0);
  }

  @Test
  void aShorterTimeOrFewerRequestsGiveNoRate() {
    key.measure(100, KeyReservations.MEASURED_NANOS - 1);
    assertThat(expectedInAMillisecond(KeyReservations.MEASURED_NANOS - 1)).isZero();
    key.measure(0, KeyReservations.MEASURED_NANOS);
    assertThat(expectedInAMillisecond(KeyReservations.MEASURED_NANOS)).isPositive();

    KeyReservations other = new KeyReservations(8, RequestKind.LLM, new long[1], 0, low -> {});
    other.measure(KeyReservations.MEASURED_REQUESTS - 1, EVERY - 1);
    assertThat(other.expected(1_000_000, EVERY - 1)).isZero();
  }

  @Test
  void theFirstRateCountsAloneAndEachLaterOneAsMuchAsAllBefore() {
    key.measure(KeyReservations.MEASURED_REQUESTS, KeyReservations.MEASURED_NANOS);
    assertThat(expectedInAMillisecond(KeyReservations.MEASURED_NANOS)).isCloseTo(3.2, within(1e-9));
    long later = 2 * KeyReservations.MEASURED_NANOS;
    key.measure(2 * KeyReservations.MEASURED_REQUESTS, later);
    assertThat(expectedInAMillisecond(later)).isCloseTo(4.8, within(1e-9));
  }

  @Test
  void afterTheLongestIntervalASingleRequestGivesARate() {
    key.measure(1, EVERY - 1);
    assertThat(expectedInAMillisecond(EVERY - 1)).isZero();
    key.measure(0, EVERY);
    assertThat(expectedInAMillisecond(EVERY)).isCloseTo(0.02, within(1e-9));
  }

  @Test
  void theLongerNoneHasComeTheFewerAreExpected() {
    key.measure(10, EVERY);
    assertThat(expectedInAMillisecond(EVERY)).isCloseTo(0.2, within(1e-9));
    assertThat(expectedInAMillisecond(3 * EVERY)).isCloseTo(0.2, within(1e-9));
    assertThat(expectedInAMillisecond(4 * EVERY)).isCloseTo(0.02, within(1e-9));
    key.measure(0, 4 * EVERY);
    assertThat(expectedInAMillisecond(5 * EVERY)).isCloseTo(0.01, within(1e-9));
    assertThat(key.isIdle(100_000_000, EVERY + 100_000_000)).isFalse();
    assertThat(key.isIdle(100_000_000, EVERY + 100_000_001)).isTrue();
  }

  @Test
  void requestsWithAndWithoutAPermitAreMeasuredAndReturnedPermitsAreNot() {
    reserve(10);
    take();
    take();
    take();
    key.shrink(0, 0, (reservation, permits) -> dropped.add(permits));
    key.measure(2, EVERY);
    assertThat(expectedInAMillisecond(EVERY)).isCloseTo(5 / 50.0, within(1e-9));
  }

  @Test
  void asManyPermitsAsMayBeHeldAreKept() {
    reserve(4);
    key.shrink(4, 0, (reservation, permits) -> dropped.add(permits));
    assertThat(dropped).isEmpty();
    assertThat(key.permits()).isEqualTo(4);
    key.shrink(3, 0, (reservation, permits) -> dropped.add(permits));
    assertThat(dropped).containsExactly(4);
    assertThat(key.permits()).isZero();
  }

  @Test
  void aReservationThatIsUsedUpReturnsNothing() {
    reserve(1);
    reserve(2);
    take();
    key.shrink(2, 0, (reservation, permits) -> dropped.add(permits));
    assertThat(dropped).isEmpty();
    key.shrink(0, 0, (reservation, permits) -> dropped.add(permits));
    assertThat(dropped).containsExactly(2);
  }

  @Test
  void aReservationWhoseWindowMayHaveEndedIsDroppedAndGrantsNothing() {
    reserve(3);
    assertThat(key.take(END)).isFalse();
    key.shrink(100, END - 1, (reservation, permits) -> dropped.add(permits));
    assertThat(dropped).isEmpty();
    key.shrink(100, END, (reservation, permits) -> dropped.add(permits));
    assertThat(dropped).containsExactly(3);
  }

  private void reserve(int permits) {
    key.add(permits, new Reservation(permits, new long[] {0}, END));
  }

  private boolean take() {
    return key.take(0);
  }

  private double expectedInAMillisecond(long now) {
    return key.expected(1_000_000, now);
  }
}
