package io.memorygateway.ratelimit.window;

import static io.memorygateway.ratelimit.window.TestLane.KEY;
import static io.memorygateway.ratelimit.window.TestLane.LIMIT;
import static io.memorygateway.ratelimit.window.TestLane.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.ratelimit.window.Decision.Outcome;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §4: only a database that cannot be reached makes a node count alone. */
class LaneTest {
  private static final Duration MOMENT = Duration.ofNanos(1);

  private @Nullable TestLane opened;

  private TestLane open(TestLane lane) {
    opened = lane;
    return lane;
  }

  @AfterEach
  void close() throws InterruptedException {
    if (opened != null) {
      opened.close();
    }
  }

  @Test
  void aDatabaseThatAnswersLateIsWaitedFor() {
    TestLane lane = open(TestLane.shared());
    lane.store.keepSilent();
    List<CompletableFuture<Decision>> waiting = lane.calls(12, KEY);
    await().until(() -> lane.store.asked() == 1);
    await()
        .during(Duration.ofMillis(1500))
        .until(() -> waiting.stream().noneMatch(w -> w.isDone()));
    assertThat(lane.isShared()).isTrue();

    lane.store.speak();
    assertThat(outcomes(waiting)).hasSize(12).containsOnly(Outcome.ALLOWED, Outcome.LIMITED);
    assertThat(outcomes(waiting).stream().filter(o -> o == Outcome.ALLOWED)).hasSize(LIMIT);
    assertThat(lane.store.used(KEY)).isEqualTo(LIMIT);
  }

  /** As on a node whose worker gets no processor. */
  @ParameterizedTest
  @ValueSource(strings = {"LOCAL", "DENY"})
  void whoWaitsTooLongIsRefusedAndNobodyCountsAlone(StorageFailurePolicy onStorageFailure) {
    TestLane lane = open(TestLane.shared(onStorageFailure, MOMENT));
    lane.store.keepSilent();
    for (int i = 0; i < 20; i++) {
      assertThat(lane.decide().outcome()).isEqualTo(Outcome.UNAVAILABLE);
    }
    assertThat(lane.timeouts()).isEqualTo(20);
    assertThat(lane.isShared()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1205, 1213, 3101, 1317, 1114})
  void aServerThatSaysNoIsReachable(int errorCode) {
    TestLane lane = open(TestLane.shared());
    lane.store.failOnce(new SQLException("no", "HY000", errorCode));
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.UNAVAILABLE);
    assertThat(lane.isShared()).isTrue();
    for (int i = 0; i < LIMIT; i++) {
      assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
    }
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LIMITED);
  }

  @Test
  void aConnectionThatBreaksIsMadeAgain() {
    TestLane lane = open(TestLane.shared());
    lane.store.failOnce(broken());
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(lane.isShared()).isTrue();
    assertThat(lane.store.connections()).isEqualTo(2);
  }

  @Test
  void aRequestWhoseReplyIsLostIsDecidedOnceAndNeverCountedTooLow() {
    TestLane lane = open(TestLane.shared());
    lane.store.loseReplyOnce(broken());
    int admitted = 0;
    for (int i = 0; i < LIMIT + 5; i++) {
      admitted += lane.decide().outcome() == Outcome.ALLOWED ? 1 : 0;
    }
    assertThat(lane.isShared()).isTrue();
    assertThat(admitted).as("the one whose reply was lost counts twice").isEqualTo(LIMIT - 1);
    assertThat(lane.store.used(KEY)).isEqualTo(LIMIT);
  }

  @Test
  void requestsThatArriveDuringATransactionAreOneBatchWithKeysAscending() {
    TestLane lane = open(TestLane.shared());
    lane.store.keepSilent();
    List<CompletableFuture<Decision>> calls = new ArrayList<>(lane.calls(1, 99));
    await().until(() -> lane.store.asked() == 1);
    // One below the number at which the worker stops gathering, so that all are one batch.
    LongStream.iterate(30, key -> key > 0, key -> key - 1)
        .forEach(key -> calls.add(lane.call(key)));
    lane.awaitAllWaiting();
    lane.store.speak();

    assertThat(outcomes(calls)).containsOnly(Outcome.ALLOWED);
    assertThat(lane.store.batches()).hasSize(2);
    assertThat(lane.store.batches().get(1))
        .isSortedAccordingTo(Comparator.naturalOrder())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 30).boxed().toList());
  }

  @Test
  void aFullWindowRefusesFromTheCacheWithoutTheDatabase() {
    TestLane lane = open(TestLane.shared());
    for (int i = 0; i < LIMIT; i++) {
      lane.decide();
    }
    int before = lane.store.asked();
    for (int i = 0; i < 100; i++) {
      assertThat(lane.decide().outcome()).isEqualTo(Outcome.LIMITED);
    }
    assertThat(lane.store.asked()).isEqualTo(before);
  }

  @Test
  void aServerThatTakesNoConnectionCannotBeReached() {
    TestLane lane = open(TestLane.shared());
    fallBack(lane);
    for (int i = 1; i < LIMIT; i++) {
      assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
    }
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LIMITED);
    lane.store.refuseConnections(null);
    lane.awaitShared();
    await().until(() -> lane.store.used(KEY) == LIMIT);
  }

  @Test
  void aServerThatSaysNothingInTimeCannotBeReachedAndIsNotAskedAgain() {
    TestLane lane = open(TestLane.shared());
    Queue<Boolean> sharedAtReconnect = new ConcurrentLinkedQueue<>();
    lane.store.refuseConnections(
        () -> {
          sharedAtReconnect.add(lane.isShared());
          return broken();
        });
    lane.store.failOnce(
        new SQLException("no answer", "08S01", new SocketTimeoutException("Read timed out")));
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
    await().until(() -> !sharedAtReconnect.isEmpty());
    assertThat(sharedAtReconnect).as("nobody waits for another connection").containsOnly(false);
  }

  @Test
  void aServerThatTakesNoWritesIsAsGoodAsNone() {
    TestLane lane = open(TestLane.shared(StorageFailurePolicy.DENY, LONG));
    lane.store.failOnce(new SQLException("read-only", "HY000", 1290));
    lane.store.failOnce(new SQLException("read-only", "HY000", 1290));
    lane.store.refuseConnections(LaneTest::broken);
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.UNAVAILABLE);
    lane.awaitLocal();
  }

  @Test
  void beforeItIsConnectedItDecidesAlone() {
    TestLane lane = open(new TestLane(StorageFailurePolicy.LOCAL, LONG, new NoReservations(1)));
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
    lane.startWorker();
    lane.awaitShared();
    await().until(() -> lane.store.used(KEY) == 1);
  }

  @Test
  void whileItRejoinsRequestsAreAdmittedAndCountedOnce() {
    TestLane lane = open(TestLane.shared());
    fallBack(lane);
    lane.store.holdAdditions();
    lane.store.refuseConnections(null);
    await().until(() -> lane.store.additions() == 1);
    assertThat(lane.decide().outcome()).as("still alone").isEqualTo(Outcome.LOCAL);

    lane.store.letAdd();
    lane.awaitShared();
    for (int i = 2; i < LIMIT; i++) {
      assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
    }
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LIMITED);
    assertThat(lane.store.used(KEY)).isEqualTo(LIMIT);
  }

  @Test
  void aRejoinThatFailsLosesNoPermitThatWasAdmittedAlone() {
    TestLane lane = open(TestLane.shared());
    fallBack(lane);
    lane.store.failAddition(1, broken());
    lane.store.refuseConnections(null);
    await().until(() -> lane.store.additions() == 2);
    lane.awaitShared();
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(lane.store.used(KEY)).isEqualTo(2);
  }

  @Test
  void whatWasAddedBeforeARejoinFailedIsNotAddedAgain() {
    TestLane lane = open(TestLane.shared());
    fallBack(lane);
    int keys = WindowStore.MAX_ADDED + 1;
    for (int key = 1; key <= keys; key++) {
      lane.decide(1_000 + key);
    }
    lane.store.failAddition(2, broken());
    lane.store.refuseConnections(null);
    await().until(() -> lane.store.additions() > 2);
    lane.awaitShared();
    for (int key = 1; key <= keys; key++) {
      assertThat(lane.store.used(1_000 + key)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOCAL", "DENY"})
  void onceItIsStoppedNobodyWaitsForIt(StorageFailurePolicy onStorageFailure) throws Exception {
    TestLane lane = open(TestLane.shared(onStorageFailure, LONG));
    lane.store.keepSilent();
    List<CompletableFuture<Decision>> waiting = new ArrayList<>(lane.calls(1, KEY));
    await().until(() -> lane.store.asked() == 1);
    waiting.addAll(lane.calls(4, KEY));
    lane.awaitAllWaiting();
    lane.stopWorker();

    Outcome alone =
        onStorageFailure == StorageFailurePolicy.LOCAL ? Outcome.LOCAL : Outcome.UNAVAILABLE;
    assertThat(outcomes(waiting)).hasSize(5).containsOnly(alone);
    assertThat(lane.decide().outcome()).isEqualTo(alone);
  }

  @Test
  void reservedPermitsAreReturnedWhenItStops() throws Exception {
    FixedReservations reservations = new FixedReservations(KEY, 4);
    TestLane lane = open(new TestLane(StorageFailurePolicy.LOCAL, LONG, reservations));
    lane.startWorker();
    lane.awaitShared();
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
    await().until(() -> !reservations.isEmpty());
    assertThat(lane.store.used(KEY)).isEqualTo(1 + 4);
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(lane.store.asked()).as("the second one had a permit").isEqualTo(1);

    lane.stopWorker();
    assertThat(lane.store.used(KEY)).isEqualTo(2);
  }

  /** A lane that has reserved 4 permits of KEY, used one more, and lost its store. */
  private TestLane loseTheStoreWithReservedPermits() {
    FixedReservations reservations = new FixedReservations(KEY, 4);
    TestLane lane = open(new TestLane(StorageFailurePolicy.LOCAL, LONG, reservations));
    lane.startWorker();
    lane.awaitShared();
    lane.decide();
    await().until(() -> !reservations.isEmpty());
    lane.store.refuseConnections(LaneTest::broken);
    lane.store.failOnce(broken());
    assertThat(lane.decide(KEY + 1).outcome()).isEqualTo(Outcome.LOCAL);
    return lane;
  }

  @Test
  void reservedPermitsAreNotUsedWhileTheLaneIsAloneAndAreReturnedWhenItRejoins() {
    TestLane lane = loseTheStoreWithReservedPermits();
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);

    lane.store.refuseConnections(null);
    lane.awaitShared();
    await().until(() -> lane.store.used(KEY) == 2);
  }

  @Test
  void permitsThatCouldNotBeReturnedStayCountedAndTheLaneRejoinsOverANewConnection() {
    TestLane lane = loseTheStoreWithReservedPermits();
    int connections = lane.store.connections();

    lane.store.failReturnOnce(broken());
    lane.store.refuseConnections(null);
    lane.awaitShared();
    await().until(() -> lane.store.used(KEY + 1) == 1);
    assertThat(lane.store.used(KEY)).as("too many counted, never too few").isEqualTo(1 + 4);
    assertThat(lane.store.connections()).isEqualTo(connections + 2);
    assertThat(lane.store.openConnections()).isOne();
  }

  /** One request of {@link TestLane#KEY} is admitted alone. */
  private static void fallBack(TestLane lane) {
    lane.store.refuseConnections(LaneTest::broken);
    lane.store.failOnce(broken());
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
  }

  private static SQLException broken() {
    return new SQLException("broken pipe", "08S01");
  }

  private static List<Outcome> outcomes(List<CompletableFuture<Decision>> decisions) {
    return decisions.stream().map(decision -> decision.join().outcome()).toList();
  }
}
