package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is counted ahead is given back where it does not come, or is of no use any more. */
class UnusedReservationsTest extends MeasuredRequests {
  @Test
  void whatIsRecalledIsGivenBackAndNotTakenAgainBeforeTheWindowsAreKnown() {
    limit(1_000_000);
    becomeBusy();
    assertThat(held()).isPositive();
    reservations.recalled(List.of(KEY));
    giveBack();
    assertThat(held()).isZero();
    assertThat(released).containsExactly(KEY);
    assertThat(reservations.isAnnounced()).isFalse();
    pass(50);
    ask(0);
    assertThat(held()).isZero();
    ask(1);
    assertThat(held()).isZero();
    ask(1);
    assertThat(held()).isPositive();
    assertThat(reservations.isAnnounced()).isTrue();
  }

  @Test
  void aKeyIsAnnouncedOnceAndReleasedWhenItIsNoLongerInUse() {
    limit(1_000_000);
    becomeBusy();
    assertThat(announcements).isOne();
    assertThat(reservations.held(KEY)).containsExactly(held());
    passAwake(3_000);
    assertThat(released).containsExactly(KEY);
    assertThat(reservations.isAnnounced()).isFalse();
    assertThat(reservations.held(KEY)).containsExactly(0);
  }

  @Test
  void aBurstAfterAQuietTimeIsNotABusyKey() {
    limit(1_000_000);
    pass(1_000);
    ask(64);
    passAwake(2_000);
    assertThat(held()).isZero();
    assertThat(announcements).isZero();
  }

  /** As on a virtual machine that was paused: its monotonic clock stood still. */
  @Test
  void whatIsHeldIsOfNoUseAfterAPauseThatOnlyTheWallClockKnowsOf() {
    limit(1_000_000);
    becomeBusy();
    assertThat(held()).isPositive();
    suspendedMillis += WINDOW_MILLIS;
    assertThat(come(1)).isZero();
  }

  @Test
  void aLimitThatIsLoweredHoldsForWhatIsHeldAsWell() {
    limit(1_000_000);
    becomeBusy();
    assertThat(held()).isPositive();
    long[] lowered = {admitted + 1};
    for (int i = 0; i < 100; i++) {
      assertThat(reservations.take(KEY, RequestKind.LLM, lowered)).isNull();
    }
    assertThat(reservations.returnable(KEY)).isOne();
    assertThat(reservations.plan(List.of())).isEmpty();
    assertThat(reservations.returnable(KEY)).as("not yet given back").isOne();
    giveBack();
    assertThat(reservations.returnable(KEY)).isZero();
    assertThat(held()).as("given back").isZero();
    assertThat(come(1)).as("though the limit were raised again").isZero();
  }

  @Test
  void aLimitThatIsLoweredToWhatIsNotUsedUpYetChangesNothing() {
    limit(1_000_000);
    becomeBusy();
    long[] lowered = {windows.used(KEY)[0]};
    assertThat(reservations.take(KEY, RequestKind.LLM, lowered)).isNotNull();
  }

  @Test
  void whereLittleIsLeftNothingIsCountedAhead() {
    limit(LEFT_PER_PERMIT - 1);
    for (int i = 0; i < 10; i++) {
      ask(1);
      assertThat(held()).isZero();
      pass(60);
    }
  }

  @Test
  void onlyASmallPartOfWhatIsLeftIsHeld() {
    limit(50_000);
    while (windows.used(KEY)[0] < 50_000) {
      long left = 50_000 - windows.used(KEY)[0];
      long before = held();
      ask(40);
      assertThat((long) held()).isLessThanOrEqualTo(Math.max(before, left / LEFT_PER_PERMIT));
      come(random.nextInt(20));
      pass(2);
    }
    come(1_000);
    assertThat(admitted).isEqualTo(50_000);
  }

  @Test
  void whatDoesNotComeIsGivenBack() {
    limit(1_000_000);
    becomeBusy();
    come(5);
    passAwake(200);
    assertThat(held()).as("so few that they cost others nothing").isEqualTo(4);
    passAwake(2_500);
    assertThat(windows.used(KEY)[0]).isEqualTo(admitted);
    assertThat(come(10)).isZero();
    assertThat(reservations.isEmpty()).isTrue();
  }

  @Test
  void whatIsHeldIsGivenBackOnce() {
    limit(1_000_000);
    becomeBusy();
    reservations.release();
    giveBack();
    reservations.release();
    giveBack();
    assertThat(windows.used(KEY)[0]).isEqualTo(admitted);
  }

  @Test
  void nothingIsHeldBeyondTheEndOfAWindow() {
    limit(1_000_000);
    while (nanos < 2L * WINDOW_MILLIS * 1_000_000) {
      ask(40);
      long left = WINDOW_MILLIS - nanos / 1_000_000 % WINDOW_MILLIS;
      if (left <= Decisions.UNCERTAIN_MILLIS) {
        assertThat(come(1)).isZero();
      }
      come(random.nextInt(10));
      pass(3);
    }
  }

  @Test
  void aWorkerThatStandsStillLetsNothingIntoTheNextWindow() {
    limit(1_000_000);
    pass(WINDOW_MILLIS - 200);
    becomeBusy();
    assertThat(held()).isPositive();
    assertThat(come(1)).isOne();
    pass(200);
    assertThat(come(1)).isZero();
  }
}
