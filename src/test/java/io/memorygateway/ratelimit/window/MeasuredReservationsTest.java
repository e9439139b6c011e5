package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted ahead of its coming, and for whom. */
class MeasuredReservationsTest extends MeasuredRequests {
  @Test
  void aBusyKeyNeedNotAsk() {
    limit(1_000_000);
    becomeBusy();
    assertThat(come(60)).isEqualTo(60);
    assertThat(remainders).as("each its own").hasSize(admitted);
    assertThat(windows.used(KEY)[0]).isGreaterThan(admitted);
  }

  /** With {@code countAhead: false} every request waits for the transaction that counts it. */
  @Test
  void nothingIsCountedAheadWhereNothingIsMeasured() {
    maxMeasured = 0;
    limit(1_000_000);
    becomeBusy();
    assertThat(come(60)).isZero();
    assertThat(held()).isZero();
    assertThat(reservations.isEmpty()).isTrue();
    assertThat(reservations.isAnnounced()).isFalse();
    reservations.release();
    assertThat(reservations.drainUnused().isEmpty()).isTrue();
  }

  @Test
  void theWorkerIsWokenBeforeAllOfItHasCome() {
    limit(1_000_000);
    becomeBusy();
    while (wakes.get() == 0) {
      assertThat(come(1)).isOne();
    }
    assertThat(held()).isGreaterThan(8);
  }

  @Test
  void aFewHundredInASecondAreBusyEnough() {
    limit(1_000_000);
    int waited = 0;
    int asked = 0;
    for (int i = 0; i < 300; i++) {
      int before = wakes.get();
      if (come(1) == 0) {
        waited++;
        asked += ask(1);
      } else if (wakes.get() > before) {
        asked += ask(0);
      }
      pass(3);
    }
    assertThat(waited).isLessThan(20);
    assertThat(asked - waited).as("transactions in 0.9 seconds").isBetween(9, 22);
  }

  @Test
  void oneTransactionServesAllThatAreHalfwayToAskingForOne() {
    limit(1_000_000);
    becomeBusy();
    int full = held();
    for (int millis = 0; millis < 40; millis++) {
      pass(1);
      come(full / 100);
    }
    assertThat(wakes.get()).isZero();
    assertThat(ask(0)).as("nobody asks").isZero();
    ask(1);
    assertThat(held()).isGreaterThan(full * 3 / 4);
  }

  @Test
  void whatComesSeldomAsksEachTime() {
    limit(1_000_000);
    for (int i = 0; i < 10; i++) {
      ask(1);
      assertThat(held()).isZero();
      passAwake(2_600);
    }
  }

  /** As a user with the shipped limits: 400 in 10 seconds, at so many requests a second. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10, 20, 30, 39, 80})
  void nineOfTenNeedNotAskAtAnyRate(int perSecond) {
    limit(perSecond == 80 ? 1_000 : 400);
    pass(500);
    int waited = 0;
    int requests = 60 * perSecond;
    for (int i = 0; i < requests; i++) {
      if (come(1) == 0) {
        waited++;
        ask(1);
      }
      passAwake(1_000 / perSecond);
    }
    assertThat(admitted).isEqualTo(requests);
    assertThat(waited).isLessThanOrEqualTo(requests / 10);
  }

  @Test
  void whatRemainsFallsByOneWithEachRequestOfASingleCaller() {
    limit(400);
    for (int i = 1; i <= 300; i++) {
      if (come(1) == 0) {
        ask(1);
      }
      assertThat(remainders).hasSize(i).contains(400L - i);
      passAwake(random.nextInt(60));
      if (window + WINDOW_MILLIS - now() < 200) {
        return;
      }
    }
  }

  /** Contract §4: also while permits of several kinds are held, added and given back. */
  @Test
  void whatRemainsIsExactWhateverKindsASingleCallerSends() {
    limit(Map.of(AppliesTo.ALL, 2_000L));
    List<RequestKind> kinds =
        List.of(RequestKind.LLM, RequestKind.MEMORY_READ, RequestKind.MEMORY_WRITE);
    for (int i = 0; i < 2_000; i++) {
      RequestKind kind = kinds.get(random.nextInt(3));
      remainders.clear();
      if (come(kind, 1) == 0) {
        ask(kind, 1);
      }
      assertThat(remainders).containsExactly(2_000L - inWindow);
      passAwake(random.nextInt(20) == 0 ? 150 : random.nextInt(20));
      if (random.nextInt(50) == 0) {
        // What is no longer needed is given back behind the next batch.
        pass(2_600);
      }
    }
  }

  @Test
  void asManyComeAsWereCountedWhateverTheOrder() {
    limit(200_000);
    for (int i = 0; i < 20_000; i++) {
      ask(random.nextInt(50));
      come(random.nextInt(80));
      pass(random.nextInt(8));
    }
    reservations.release();
    giveBack();
    assertThat(windows.used(KEY)[0]).isEqualTo(inWindow);
  }

  @Test
  void whatIsHeldForOneKeyIsForNoOther() {
    limit(1_000_000);
    becomeBusy();
    assertThat(reservations.isEmpty()).isFalse();
    for (long other = 0; other < 40; other++) {
      if (other != KEY) {
        assertThat(reservations.take(other, RequestKind.LLM, rules.limits())).isNull();
      }
    }
    for (RequestKind kind : RequestKind.values()) {
      if (kind != RequestKind.LLM) {
        assertThat(reservations.take(KEY, kind, rules.limits())).isNull();
      }
    }
  }

  @Test
  void eightInTwoAndAHalfMillisecondsAreBusyAndFewerOrFasterAreNot() {
    for (int requests = 7; requests <= 8; requests++) {
      for (long elapsed = 2_499_999; elapsed <= 2_500_000; elapsed++) {
        limit(1_000_000);
        seen(KEY, 0);
        plan(KEY, 1);
        nanos += elapsed;
        boolean busy = plan(KEY, requests) > requests;
        assertThat(busy).isEqualTo(requests == 8 && elapsed == 2_500_000);
      }
    }
  }

  @Test
  void onePermitNeeds32RequestsLeft() {
    for (int left = LEFT_PER_PERMIT - 1; left <= LEFT_PER_PERMIT; left++) {
      limit(1_000_000);
      seen(KEY, 1_000_000 - left);
      plan(KEY, 1);
      pass(60);
      assertThat(plan(KEY, 1)).isEqualTo(left < LEFT_PER_PERMIT ? 1 : 2);
    }
  }

  @Test
  void ofMoreThan4096KeysNoFurtherOneIsMeasuredUntilOneIsNoLongerInUse() {
    limit(1_000_000);
    for (long key = 1; key <= 4097; key++) {
      seen(key, 0);
      plan(key, 1);
    }
    pass(3);
    assertThat(plan(1, 8)).isGreaterThan(8);
    assertThat(plan(4097, 8)).isEqualTo(8);
    pass(2_600);
    plan(4097, 1);
    plan(4097, 1);
    pass(3);
    assertThat(plan(4097, 8)).isGreaterThan(8);
  }

  @Test
  void nearTheEndOfAWindowWhatIsHeldRunsOutAndNothingIsAdded() {
    limit(1_000_000);
    pass(WINDOW_MILLIS - 150);
    becomeBusy();
    pass(20);
    int held = held();
    assertThat(held).isPositive();
    assertThat(plan(KEY, 5)).isEqualTo(5);
    int before = wakes.get();
    assertThat(come(held)).isEqualTo(held);
    assertThat(wakes).hasValue(before);
    assertThat(reservations.drainUnused().isEmpty()).isTrue();
  }
}
