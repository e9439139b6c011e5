package io.memorygateway.ratelimit.window;

import static org.awaitility.Awaitility.await;

import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** A lane with one rule of ten requests a day, its worker, and the store that they share. */
final class TestLane {
  static final long KEY = 7;
  static final int LIMIT = 10;
  static final Duration LONG = Duration.ofMinutes(5);
  private static final long NOW = 1_800_000_000_000L;

  final RuleSet rules =
      new RuleSet(List.of(new RateLimitRule("only", AppliesTo.LLM, LIMIT, Duration.ofDays(1))));
  final FakeStore store = new FakeStore(rules, NOW);
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final List<Thread> callers = new ArrayList<>();
  private final Lane lane;
  private final LaneWorker worker;
  private final Thread thread;

  /** Neither its worker nor its callers have begun. */
  TestLane(StorageFailurePolicy onStorageFailure, Duration timeout, Reservations reservations) {
    this(onStorageFailure, timeout, reservations, LONG);
  }

  /**
   * @param timeout longest wait of a caller
   * @param storeTimeout within half of which the store has to answer to decide again
   */
  TestLane(
      StorageFailurePolicy onStorageFailure,
      Duration timeout,
      Reservations reservations,
      Duration storeTimeout) {
    DatabaseClock clock = new DatabaseClock(() -> Instant.ofEpochMilli(NOW), () -> 0);
    WindowCache cache = new WindowCache(rules, clock);
    WindowMetrics metrics = new WindowMetrics(registry, () -> true);
    RequestQueue queue = new RequestQueue();
    LaneState state = new LaneState(rules, queue, cache, clock, metrics, onStorageFailure);
    BatchDecider decider =
        new BatchDecider(
            store, Home.FIRST.first(), rules, reservations, cache, metrics, storeTimeout.toNanos());
    lane = new Lane(queue, state, reservations, cache, metrics, timeout.toNanos());
    worker =
        new LaneWorker(queue, state, reservations, decider, storeTimeout, Duration.ofMillis(5));
    thread = new Thread(worker, "worker");
  }

  /** Starts the worker; returns when the shared windows decide. */
  static TestLane shared(StorageFailurePolicy onStorageFailure, Duration timeout) {
    TestLane lane = new TestLane(onStorageFailure, timeout, new NoReservations(1));
    lane.startWorker();
    lane.awaitShared();
    return lane;
  }

  static TestLane shared() {
    return shared(StorageFailurePolicy.LOCAL, LONG);
  }

  void startWorker() {
    thread.start();
  }

  /** Waits for the worker's first attempt to connect. */
  void awaitStarted(Duration atMost) throws InterruptedException {
    worker.awaitStarted(atMost);
  }

  boolean isShared() {
    return lane.isShared();
  }

  void awaitShared() {
    await().until(lane::isShared);
  }

  void awaitLocal() {
    await().until(() -> !lane.isShared());
  }

  Decision decide() {
    return decide(KEY);
  }

  Decision decide(long key) {
    return lane.decide(key, RequestKind.LLM, rules.limits());
  }

  /** A caller in a thread of its own. */
  CompletableFuture<Decision> call(long key) {
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    Thread caller = new Thread(() -> decided.complete(decide(key)), "caller");
    callers.add(caller);
    caller.start();
    return decided;
  }

  List<CompletableFuture<Decision>> calls(int number, long key) {
    return IntStream.range(0, number).mapToObj(i -> call(key)).toList();
  }

  /** Returns when every caller waits for its decision. */
  void awaitAllWaiting() {
    await()
        .until(
            () ->
                callers.stream()
                    .allMatch(
                        caller ->
                            caller.getState() == Thread.State.TIMED_WAITING
                                || caller.getState() == Thread.State.WAITING));
  }

  /** How often a caller was refused because it waited too long. */
  double timeouts() {
    return registry.scrape("memory_gateway_rate_limit_timeouts"::equals).stream()
        .map(CounterSnapshot.class::cast)
        .mapToDouble(snapshot -> snapshot.getDataPoints().get(0).getValue())
        .sum();
  }

  void stopWorker() throws InterruptedException {
    worker.stop();
    thread.interrupt();
    thread.join();
  }

  /** Ends the worker; returns once every caller has its decision. */
  void close() throws InterruptedException {
    store.speak();
    store.letAdd();
    stopWorker();
    for (Thread caller : callers) {
      caller.join();
    }
  }
}
