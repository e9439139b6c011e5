package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §4: only a database that cannot be reached makes a node count alone. */
class LaneTest {
  private static final long KEY = 7;
  private static final long NOW = 1_800_000_000_000L;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration MOMENT = Duration.ofNanos(1);

  private final RuleSet rules =
      new RuleSet(List.of(new RateLimitRule("only", AppliesTo.LLM, 10, Duration.ofDays(1))));
  private final FakeStore store = new FakeStore(rules, NOW);
  private final List<Thread> callers = new ArrayList<>();
  private Lane lane;
  private LaneWorker worker;
  private Thread thread;

  private void start(StorageFailure onStorageFailure, Duration patience) {
    LastSeen lastSeen = new LastSeen(rules);
    DatabaseClock clock = new DatabaseClock(() -> Instant.ofEpochMilli(NOW), () -> 0);
    WindowMetrics metrics = new WindowMetrics(new PrometheusRegistry(), () -> true);
    lane = new Lane(rules, lastSeen, clock, metrics, onStorageFailure, patience.toNanos());
    worker =
        new LaneWorker(
            lane, rules, store, lastSeen, metrics, LONG.toNanos(), Duration.ofMillis(5).toNanos());
    thread = new Thread(worker, "worker");
    thread.start();
    await().until(lane::isShared);
  }

  @AfterEach
  void stop() throws Exception {
    worker.stop();
    store.speak();
    thread.interrupt();
    thread.join();
    for (Thread caller : callers) {
      caller.join();
    }
  }

  @Test
  void aDatabaseThatAnswersLateIsWaitedFor() {
    start(StorageFailure.LOCAL, LONG);
    store.keepSilent();
    List<CompletableFuture<Decision>> waiting = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      waiting.add(call());
    }
    await().until(() -> store.asked() == 1);
    await()
        .during(Duration.ofMillis(1500))
        .until(() -> waiting.stream().noneMatch(w -> w.isDone()));
    assertThat(lane.isShared()).isTrue();

    store.speak();
    assertThat(waiting.stream().map(w -> w.join().outcome()))
        .hasSize(12)
        .containsOnly(Outcome.ALLOWED, Outcome.LIMITED);
    assertThat(waiting.stream().filter(w -> w.join().outcome() == Outcome.ALLOWED)).hasSize(10);
    assertThat(store.used(KEY)).isEqualTo(10);
  }

  /** As on a node whose worker gets no processor. */
  @ParameterizedTest
  @ValueSource(strings = {"LOCAL", "DENY"})
  void whoWaitsTooLongIsRefusedAndNobodyCountsAlone(StorageFailure onStorageFailure) {
    start(onStorageFailure, MOMENT);
    store.keepSilent();
    for (int i = 0; i < 20; i++) {
      assertThat(decide().outcome()).isEqualTo(Outcome.UNAVAILABLE);
    }
    assertThat(lane.isShared()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1205, 1213, 3101, 1317, 1114})
  void aServerThatSaysNoIsReachable(int errorCode) {
    start(StorageFailure.LOCAL, LONG);
    store.failOnce(new SQLException("no", "HY000", errorCode));
    assertThat(decide().outcome()).isEqualTo(Outcome.UNAVAILABLE);
    assertThat(lane.isShared()).isTrue();
    for (int i = 0; i < 10; i++) {
      assertThat(decide().outcome()).isEqualTo(Outcome.ALLOWED);
    }
    assertThat(decide().outcome()).isEqualTo(Outcome.LIMITED);
  }

  @Test
  void aConnectionThatBreaksIsMadeAgain() {
    start(StorageFailure.LOCAL, LONG);
    store.failOnce(broken());
    assertThat(decide().outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(lane.isShared()).isTrue();
    assertThat(store.connections()).isEqualTo(2);
  }

  @Test
  void aServerThatTakesNoConnectionCannotBeReached() {
    start(StorageFailure.LOCAL, LONG);
    store.refuseConnections(LaneTest::broken);
    store.failOnce(broken());
    for (int i = 0; i < 10; i++) {
      assertThat(decide().outcome()).isEqualTo(Outcome.LOCAL);
    }
    assertThat(decide().outcome()).isEqualTo(Outcome.LIMITED);
    store.refuseConnections(null);
    await().until(lane::isShared);
    await().until(() -> store.used(KEY) == 10);
  }

  @Test
  void aServerThatSaysNothingInTimeCannotBeReachedAndIsNotAskedAgain() {
    start(StorageFailure.LOCAL, LONG);
    store.refuseConnections(LaneTest::broken);
    store.failOnce(
        new SQLException("no answer", "08S01", new SocketTimeoutException("Read timed out")));
    assertThat(decide().outcome()).isEqualTo(Outcome.LOCAL);
    assertThat(store.asked()).isEqualTo(1);
  }

  @Test
  void aServerThatTakesNoWritesIsAsGoodAsNone() {
    start(StorageFailure.DENY, LONG);
    store.failOnce(new SQLException("read-only", "HY000", 1290));
    store.failOnce(new SQLException("read-only", "HY000", 1290));
    store.refuseConnections(LaneTest::broken);
    assertThat(decide().outcome()).isEqualTo(Outcome.UNAVAILABLE);
    await().until(() -> !lane.isShared());
  }

  private static SQLException broken() {
    return new SQLException("broken pipe", "08S01");
  }

  private Decision decide() {
    return lane.decide(KEY, RequestKind.LLM, rules.limits());
  }

  private CompletableFuture<Decision> call() {
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    Thread caller = new Thread(() -> decided.complete(decide()), "caller");
    callers.add(caller);
    caller.start();
    return decided;
  }
}
