package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** One thread works on a machine whose time goes by only as it works and rests. */
class PaceTest {
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
    assertThat(share(pace(2, () -> 1.0))).isBetween(0.09, 0.11);
    leastShare = 0.5;
    assertThat(share(pace(2, () -> 1.0))).isBetween(0.49, 0.51);
    leastShare = 1;
    assertThat(share(pace(2, () -> 1.0))).isEqualTo(1);
  }

  @Test
  void whatIsHurriedDoesNotRest() {
    Pace pace = pace(2, () -> 1.0);
    pace.hurry(true);
    assertThat(share(pace)).isEqualTo(1);
    pace.hurry(false);
    assertThat(share(pace)).isBetween(0.09, 0.11);
  }

  @Test
  void whereTheLoadIsNotKnownTheMachineIsTakenToBeBusy() {
    assertThat(share(pace(2, () -> -1.0))).isBetween(0.09, 0.11);
  }

  @Test
  void onAnIdleMachineItWorksWithoutResting() {
    assertThat(share(pace(16, loadOf(16)))).isEqualTo(1);
  }

  @Test
  void ofTwoProcessorsItLeavesOneToOthers() {
    others = 0.3;
    assertThat(share(pace(2, loadOf(2)))).isBetween(0.65, 0.75);
    others = 0.7;
    assertThat(share(pace(2, loadOf(2)))).isBetween(0.25, 0.35);
  }

  @Test
  void ofManyProcessorsItLeavesAQuarter() {
    others = 11.3;
    assertThat(share(pace(16, loadOf(16)))).isBetween(0.65, 0.75);
  }

  @Test
  void itGivesWayWhenOthersComeAndComesBackWhenTheyGo() {
    Pace pace = pace(2, loadOf(2));
    share(pace);
    others = 2;
    assertThat(share(pace)).isBetween(0.09, 0.11);
    others = 0;
    assertThat(share(pace)).isEqualTo(1);
  }

  @Test
  void timeWithoutWorkIsNotRestedFor() {
    Pace pace = pace(2, () -> 1.0);
    for (int i = 0; i < 100; i++) {
      now += SECOND;
      pace.begin();
      pace.rest();
    }
    assertThat(now).isEqualTo(100 * SECOND);
  }

  @Test
  void aLongWaitIsRestedForUpToASecond() {
    Pace pace = pace(2, () -> 1.0);
    now += 60 * SECOND;
    pace.rest();
    assertThat(now).isBetween(60 * SECOND, 61 * SECOND);
  }

  private Pace pace(int processors, DoubleSupplier load) {
    return new Pace(1, processors, leastShare, load, () -> now, nanos -> now += nanos);
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
  private double share(Pace pace) {
    work(pace, SECOND);
    long from = now;
    long workedThen = worked;
    work(pace, 5 * SECOND);
    return (double) (worked - workedThen) / (now - from);
  }

  private void work(Pace pace, long nanos) {
    for (long end = now + nanos; now < end; ) {
      worked += STEP;
      now += STEP;
      pace.rest();
    }
  }
}
