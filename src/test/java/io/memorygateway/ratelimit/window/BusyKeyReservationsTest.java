package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
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

/** What is counted ahead of its coming, at a time that stands still unless it is moved. */
class BusyKeyReservationsTest {
  private static final long KEY = 7;
  private static final long START = 1_800_000_000_000L;
  private static final int WINDOW_MILLIS = 10_000;

  private final AtomicInteger wakes = new AtomicInteger();
  private final Random random = new Random(20261121);
  private long nanos = 1;
  private long suspendedMillis;
  private RuleSet rules;
  private WindowCache cache;
  private ModelWindows windows;
  private BusyKeyReservations reservations;
  private int admitted;
  private final Set<Long> remainders = new HashSet<>();

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
        new BusyKeyReservations(rules, cache, clock, () -> nanos, wakes::incrementAndGet);
  }

  @Test
  void aBusyKeyNeedNotAsk() {
    limit(1_000_000);
    becomeBusy();
    assertThat(come(60)).isEqualTo(60);
    assertThat(remainders).as("each its own").hasSize(admitted);
    assertThat(windows.used(KEY)[0]).isGreaterThan(admitted);
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
    for (int i = 0; i < 100; i++) {
      ask(1);
      assertThat(held()).isZero();
      pass(10);
    }
  }

  @Test
  void aBurstAfterAQuietTimeIsNotABusyKey() {
    limit(1_000_000);
    pass(1_000);
    ask(64);
    assertThat(held()).isZero();
    assertThat(reservations.isEmpty()).isTrue();
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
    assertThat(reservations.plan(List.of())).isEmpty();
    giveBack();
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
    limit(2_000);
    for (int i = 0; i < 10; i++) {
      ask(40);
      assertThat(held()).isZero();
      pass(4);
    }
  }

  @Test
  void onlyASmallPartOfWhatIsLeftIsHeld() {
    limit(50_000);
    while (windows.used(KEY)[0] < 50_000) {
      long left = 50_000 - windows.used(KEY)[0];
      long before = held();
      ask(40);
      assertThat((long) held()).isLessThanOrEqualTo(Math.max(before, left / 256));
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
    for (int i = 0; i < 3; i++) {
      ask(0);
      pass(50);
    }
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
  void aPauseBetweenTheRequestsBeginsTheMeasurementAnew() {
    limit(1_000_000);
    seen(KEY, 0);
    plan(KEY, 1);
    nanos += Reservations.CHECK_NANOS + 1;
    assertThat(plan(KEY, 100)).isEqualTo(100);
    nanos += Reservations.CHECK_NANOS;
    assertThat(plan(KEY, 100)).isGreaterThan(100);
  }

  @Test
  void eightPermitsAreTheFewestThatAreReservedAndTheyNeed256RequestsLeftEach() {
    limit(1_000_000);
    seen(KEY, 1_000_000 - 8 * 256);
    plan(KEY, 1);
    pass(3);
    assertThat(plan(KEY, 40)).isEqualTo(40 + 8);

    limit(1_000_000);
    seen(KEY, 1_000_000 - 8 * 256 + 1);
    plan(KEY, 1);
    pass(3);
    assertThat(plan(KEY, 40)).isEqualTo(40);
  }

  @Test
  void ofMoreThan4096KeysTheMeasurementsBeginAnew() {
    limit(1_000_000);
    for (long key = 1; key <= 4096; key++) {
      seen(key, 0);
      plan(key, 1);
    }
    pass(3);
    assertThat(plan(1, 8)).as("still measured").isGreaterThan(8);
    plan(5000, 1);
    assertThat(plan(2, 8)).as("as many as before").isGreaterThan(8);
    plan(5001, 1);
    plan(5002, 1);
    assertThat(plan(3, 8)).as("begun anew").isEqualTo(8);
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
    assertThat(reservations.drainUnused()).isEmpty();
  }

  private void seen(long key, long used) {
    long now = now();
    WindowCounts counts =
        new WindowCounts(new long[] {rules.windowStart(0, now)}, new long[] {used});
    cache.put(key, counts);
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
      int granted = 0;
      for (int i = 0; i < batch.wanted(RequestKind.LLM); i++) {
        granted += windows.admit(KEY, RequestKind.LLM, rules.limits(), now()) ? 1 : 0;
      }
      WindowCounts counts =
          new WindowCounts(windows.starts(KEY).clone(), windows.used(KEY).clone());
      Reply reply = new Reply(new int[] {granted, 0, 0, 0}, counts, now());
      cache.put(KEY, counts);
      batch.settle(rules, new Decisions(rules), reply);
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
    for (Adjustment unused : reservations.drainUnused()) {
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

  private void pass(long millis) {
    nanos += millis * 1_000_000;
  }

  private long now() {
    return START + suspendedMillis + nanos / 1_000_000;
  }
}
