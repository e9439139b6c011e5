package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted ahead of its coming, at a time that stands still unless it is moved. */
class MeasuredReservationsTest {
  private static final long KEY = 7;
  private static final long START = 1_800_000_000_000L;
  private static final int WINDOW_MILLIS = 10_000;
  private static final int LEFT_PER_PERMIT = 32;

  private final AtomicInteger wakes = new AtomicInteger();
  private final Random random = new Random(20261121);
  private long nanos = 1;
  private long suspendedMillis;
  private RuleSet rules;
  private WindowCache cache;
  private ModelWindows windows;
  private MeasuredReservations reservations;
  private int maxMeasured = 4096;
  private int admitted;
  private int announcements;
  private final Set<Long> remainders = new HashSet<>();
  private final List<Long> released = new ArrayList<>();

  private void limit(long limit) {
    rules =
        new RuleSet(
            List.of(
                new RateLimitRule("only", AppliesTo.LLM, limit, Duration.ofMillis(WINDOW_MILLIS))));
    windows = new ModelWindows(rules);
    InstantSource wall = () -> Instant.ofEpochMilli(now());
    DatabaseClock clock = new DatabaseClock(wall, () -> nanos);
    cache = new WindowCache(rules, clock);
    reservations =
        new MeasuredReservations(
            rules, cache, clock, () -> nanos, wakes::incrementAndGet, maxMeasured);
  }

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

  private void seen(long key, long used) {
    long now = now();
    WindowCounts counts =
        new WindowCounts(new long[] {rules.windowStart(0, now)}, new long[] {used});
    cache.put(key, counts, rules.limits());
  }

  /** So many wait; returns for how many permits the transaction would ask for this key. */
  private int plan(long key, int waiting) {
    List<PermitRequest> requests =
        IntStream.range(0, waiting)
            .mapToObj(i -> new PermitRequest(key, RequestKind.LLM, rules.limits()))
            .toList();
    return reservations.plan(requests).stream()
        .filter(batch -> batch.keyId() == key)
        .mapToInt(KeyBatch::wanted)
        .sum();
  }

  private long window = START;
  private int inWindow;

  private void admitted(Decision decision) {
    long own = decision.shown().resetEpochSecond() * 1000 - WINDOW_MILLIS;
    if (own > window) {
      window = own;
      inWindow = 0;
    }
    assertThat(own).as("of the window that runs").isEqualTo(window);
    admitted++;
    inWindow++;
    remainders.add(decision.shown().remaining());
  }

  /** Many come at more than one time. */
  private void becomeBusy() {
    for (int i = 0; i < 4; i++) {
      ask(40);
      pass(4);
    }
  }

  /**
   * So many wait for a transaction, which decides at once; returns for how many keys there was one.
   */
  private int ask(int waiting) {
    List<PermitRequest> requests =
        IntStream.range(0, waiting)
            .mapToObj(i -> new PermitRequest(KEY, RequestKind.LLM, rules.limits()))
            .toList();
    requests.forEach(PermitRequest::send);
    List<KeyBatch> plan = reservations.plan(requests);
    for (KeyBatch batch : plan) {
      announcements += Integer.bitCount(batch.announced(rules));
      int granted = 0;
      for (int i = 0; i < batch.wanted(RequestKind.LLM); i++) {
        granted += windows.admit(KEY, RequestKind.LLM, rules.limits(), now()) ? 1 : 0;
      }
      WindowCounts counts =
          new WindowCounts(windows.starts(KEY).clone(), windows.used(KEY).clone());
      Reply reply = new Reply(new int[] {granted, 0, 0, 0}, counts, 0, now());
      cache.put(KEY, counts, rules.limits());
      batch.settle(rules, new Decisions(rules), reply, 0);
      reservations.granted(batch, reply);
    }
    for (PermitRequest request : requests) {
      Decision decision = request.await(1);
      if (decision.outcome() == Decision.Outcome.ALLOWED) {
        admitted(decision);
      }
    }
    giveBack();
    return plan.size();
  }

  private void giveBack() {
    Returned returned = reservations.drainUnused();
    released.addAll(returned.keys());
    for (Adjustment unused : returned.unused()) {
      windows.giveBack(KEY, 0, unused.counts().starts()[0], unused.counts().used()[0]);
    }
  }

  /** So many come that need not ask, at most; returns how many found their place. */
  private int come(int requests) {
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      Decision decision = reservations.take(KEY, RequestKind.LLM, rules.limits());
      if (decision != null) {
        decisions.add(decision);
      }
    }
    decisions.forEach(this::admitted);
    return decisions.size();
  }

  private int held() {
    return (int) (windows.used(KEY)[0] - inWindow);
  }

  /** As {@link #pass}, with a worker that looks as often as it should. */
  private void passAwake(long millis) {
    for (long left = millis; left > 0; left -= 10) {
      pass(Math.min(10, left));
      ask(0);
    }
  }

  private void pass(long millis) {
    nanos += millis * 1_000_000;
  }

  private long now() {
    return START + suspendedMillis + nanos / 1_000_000;
  }
}
