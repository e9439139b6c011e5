package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** One thread works on a machine whose time goes by only as it works and rests. */
class BackgroundThrottleTest {
  private static final long STEP = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private long now;
  private long worked;

  /** What others use of the machine, in processors. */
  private double others;

  private double leastShare = 0.1;

  private long measuredAt;
  private long measuredWork;

  @Test
  void onABusyMachineAShareOfTheTimeIsWorked() {
    assertThat(share(throttle(2, () -> 1.0))).isBetween(0.09, 0.11);
    leastShare = 0.5;
    assertThat(share(throttle(2, () -> 1.0))).isBetween(0.49, 0.51);
    leastShare = 1;
    assertThat(share(throttle(2, () -> 1.0))).isEqualTo(1);
  }

  @Test
  void whatIsHurriedDoesNotRest() {
    BackgroundThrottle throttle = throttle(2, () -> 1.0);
    throttle.setUrgent(true);
    assertThat(share(throttle)).isEqualTo(1);
    throttle.setUrgent(false);
    assertThat(share(throttle)).isBetween(0.09, 0.11);
  }

  @Test
  void whereTheLoadIsNotKnownTheMachineIsTakenToBeBusy() {
    assertThat(share(throttle(2, () -> -1.0))).isBetween(0.09, 0.11);
  }

  @Test
  void onAnIdleMachineItWorksWithoutResting() {
    assertThat(share(throttle(16, loadOf(16)))).isEqualTo(1);
  }

  @Test
  void ofTwoProcessorsItLeavesOneToOthers() {
    others = 0.3;
    assertThat(share(throttle(2, loadOf(2)))).isBetween(0.65, 0.75);
    others = 0.7;
    assertThat(share(throttle(2, loadOf(2)))).isBetween(0.25, 0.35);
  }

  @Test
  void ofManyProcessorsItLeavesAQuarter() {
    others = 11.3;
    assertThat(share(throttle(16, loadOf(16)))).isBetween(0.65, 0.75);
  }

  @Test
  void itGivesWayWhenOthersComeAndComesBackWhenTheyGo() {
    BackgroundThrottle throttle = throttle(2, loadOf(2));
    share(throttle);
    others = 2;
    assertThat(share(throttle)).isBetween(0.09, 0.11);
    others = 0;
    assertThat(share(throttle)).isEqualTo(1);
  }

  @Test
  void timeWithoutWorkIsNotRestedFor() {
    BackgroundThrottle throttle = throttle(2, () -> 1.0);
    for (int i = 0; i < 100; i++) {
      now += SECOND;
      throttle.begin();
      throttle.rest();
    }
    assertThat(now).isEqualTo(100 * SECOND);
  }

  @Test
  void aLongWaitIsRestedForUpToASecond() {
    BackgroundThrottle throttle = throttle(2, () -> 1.0);
    now += 60 * SECOND;
    throttle.rest();
    assertThat(now).isBetween(60 * SECOND, 61 * SECOND);
  }

  private BackgroundThrottle throttle(int processors, DoubleSupplier load) {
    return new BackgroundThrottle(
        1, processors, leastShare, load, () -> now, nanos -> now += nanos);
  }

  /** As the machine would tell it: the work of others and of this. */
  private DoubleSupplier loadOf(int processors) {
    measuredAt = now;
    measuredWork = worked;
    return () -> {
      double own = (double) (worked - measuredWork) / Math.max(1, now - measuredAt);
      measuredAt = now;
      measuredWork = worked;
      return Math.min(1, (others + own) / processors);
    };
  }

  /** The part of its time that is worked, once the load is known. */
  private double share(BackgroundThrottle throttle) {
    work(throttle, SECOND);
    long from = now;
    long workedThen = worked;
    work(throttle, 5 * SECOND);
    return (double) (worked - workedThen) / (now - from);
  }

  private void work(BackgroundThrottle throttle, long nanos) {
    for (long end = now + nanos; now < end; ) {
      worked += STEP;
      now += STEP;
      throttle.rest();
    }
  }
}
