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
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Requests of a key that are measured, at a time that stands still unless it is moved. */
abstract class MeasuredRequests {
  static final long KEY = 7;
  static final long START = 1_800_000_000_000L;
  static final int WINDOW_MILLIS = 10_000;
  static final int LEFT_PER_PERMIT = 32;

  final AtomicInteger wakes = new AtomicInteger();
  final Random random = new Random(20261121);
  long nanos = 1;
  long suspendedMillis;
  RuleSet rules;
  WindowCache cache;
  ModelWindows windows;
  MeasuredReservations reservations;
  int maxMeasured = 4096;
  int admitted;
  int announcements;
  final Set<Long> remainders = new HashSet<>();
  final List<Long> released = new ArrayList<>();

  void limit(long limit) {
    limit(Map.of(AppliesTo.LLM, limit));
  }

  void limit(Map<AppliesTo, Long> limits) {
    Duration window = Duration.ofMillis(WINDOW_MILLIS);
    rules =
        new RuleSet(
            limits.entrySet().stream()
                .map(each -> new RateLimitRule("a", each.getKey(), each.getValue(), window))
                .toList());
    windows = new ModelWindows(rules);
    InstantSource wall = () -> Instant.ofEpochMilli(now());
    DatabaseClock clock = new DatabaseClock(wall, () -> nanos);
    cache = new WindowCache(rules, clock);
    reservations =
        new MeasuredReservations(
            rules, cache, clock, () -> nanos, wakes::incrementAndGet, maxMeasured);
  }

  void seen(long key, long used) {
    long now = now();
    WindowCounts counts =
        new WindowCounts(new long[] {rules.windowStart(0, now)}, new long[] {used});
    cache.put(key, counts, rules.limits());
  }

  /** So many wait; returns for how many permits the transaction would ask for this key. */
  int plan(long key, int waiting) {
    List<PermitRequest> requests =
        IntStream.range(0, waiting)
            .mapToObj(i -> new PermitRequest(key, RequestKind.LLM, rules.limits()))
            .toList();
    return reservations.plan(requests).stream()
        .filter(batch -> batch.keyId() == key)
        .mapToInt(KeyBatch::wanted)
        .sum();
  }

  long window = START;
  int inWindow;

  void admitted(Decision decision) {
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
  void becomeBusy() {
    for (int i = 0; i < 4; i++) {
      ask(40);
      pass(4);
    }
  }

  /**
   * So many wait for a transaction, which decides at once; returns for how many keys there was one.
   */
  int ask(int waiting) {
    return ask(RequestKind.LLM, waiting);
  }

  int ask(RequestKind kind, int waiting) {
    List<PermitRequest> requests =
        IntStream.range(0, waiting)
            .mapToObj(i -> new PermitRequest(KEY, kind, rules.limits()))
            .toList();
    requests.forEach(PermitRequest::send);
    List<KeyBatch> plan = reservations.plan(requests);
    for (KeyBatch batch : plan) {
      announcements += Integer.bitCount(batch.announced(rules));
      int[] granted = new int[RequestKind.values().length];
      for (RequestKind each : RequestKind.values()) {
        for (int i = 0; i < batch.wanted(each); i++) {
          granted[each.index()] += windows.admit(KEY, each, rules.limits(), now()) ? 1 : 0;
        }
      }
      WindowCounts counts =
          new WindowCounts(windows.starts(KEY).clone(), windows.used(KEY).clone());
      Reply reply = new Reply(granted, counts, 0, now());
      cache.put(KEY, counts, rules.limits());
      long[] ahead = reservations.granted(batch, reply);
      batch.settle(rules, new Decisions(rules), reply, ahead, 0);
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

  void giveBack() {
    Returned returned = reservations.drainUnused();
    released.addAll(returned.keys());
    for (Adjustment unused : returned.unused()) {
      for (int i = 0; i < rules.size(); i++) {
        windows.giveBack(KEY, i, unused.counts().starts()[i], unused.counts().used()[i]);
      }
    }
  }

  /** So many come that need not ask, at most; returns how many found their place. */
  int come(int requests) {
    return come(RequestKind.LLM, requests);
  }

  int come(RequestKind kind, int requests) {
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      Decision decision = reservations.take(KEY, kind, rules.limits());
      if (decision != null) {
        decisions.add(decision);
      }
    }
    decisions.forEach(this::admitted);
    return decisions.size();
  }

  int held() {
    return (int) (windows.used(KEY)[0] - inWindow);
  }

  /** As {@link #pass}, with a worker that looks as often as it should. */
  void passAwake(long millis) {
    for (long left = millis; left > 0; left -= 10) {
      pass(Math.min(10, left));
      ask(0);
    }
  }

  void pass(long millis) {
    nanos += millis * 1_000_000;
  }

  long now() {
    return START + suspendedMillis + nanos / 1_000_000;
  }
}
