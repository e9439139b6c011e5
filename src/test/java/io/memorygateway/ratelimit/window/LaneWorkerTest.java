package io.memorygateway.ratelimit.window;

import static io.memorygateway.ratelimit.window.TestLane.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.ratelimit.window.Decision.Outcome;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a lane's worker begins, notices a lost database, and ends. */
class LaneWorkerTest {
  private @Nullable TestLane opened;

  private TestLane open(TestLane lane) {
    opened = lane;
    return lane;
  }

  private TestLane unstarted(Duration storeTimeout) {
    return open(
        new TestLane(StorageFailurePolicy.LOCAL, LONG, new NoReservations(1), storeTimeout));
  }

  @AfterEach
  void close() throws InterruptedException {
    if (opened != null) {
      opened.close();
    }
  }

  @Test
  void onceItHasStartedTheSharedWindowsDecide() throws Exception {
    TestLane lane = unstarted(LONG);
    lane.startWorker();
    lane.awaitStarted(LONG);
    await().until(lane::isShared);
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.ALLOWED);
  }

  @Test
  void itWarmsUpBeforeTheFirstRequestAndNotAgainWhenItRejoins() {
    TestLane lane = open(TestLane.shared());
    assertThat(lane.store.probes()).as("a hundred, and one that is timed").isEqualTo(101);
    lane.store.failOnce(timedOut());
    lane.decide();
    await().until(() -> lane.store.probes() > 101);
    lane.awaitShared();
    assertThat(lane.store.probes()).isEqualTo(102);
  }

  @Test
  void withoutADatabaseTheStartIsNotHeldUp() throws Exception {
    TestLane lane = unstarted(LONG);
    lane.store.refuseConnections(LaneWorkerTest::broken);
    lane.startWorker();
    lane.awaitStarted(LONG);
    assertThat(lane.isShared()).isFalse();
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
  }

  @Test
  void theStartWaitsNoLongerThanItIsTold() throws Exception {
    TestLane lane = unstarted(LONG);
    lane.awaitStarted(Duration.ofMillis(1));
    assertThat(lane.isShared()).isFalse();
    lane.startWorker();
  }

  @Test
  void aStoreThatAnswersSlowlyDoesNotDecideAgain() {
    TestLane lane = unstarted(Duration.ofNanos(1));
    lane.startWorker();
    await().until(() -> lane.store.probes() > 150);
    assertThat(lane.isShared()).isFalse();
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
  }

  @Test
  void noConnectionIsLeftOpen() throws Exception {
    TestLane lane = open(TestLane.shared());
    assertThat(lane.store.openConnections()).isOne();
    lane.store.failOnce(broken());
    lane.decide();
    assertThat(lane.store.connections()).isEqualTo(2);
    assertThat(lane.store.openConnections()).isOne();
    lane.store.failOnce(timedOut());
    lane.decide();
    lane.awaitShared();
    assertThat(lane.store.openConnections()).isOne();

    lane.stopWorker();
    assertThat(lane.store.openConnections()).isZero();
    assertThat(lane.isShared()).isFalse();
  }

  @Test
  void anIdleWorkerNoticesAConnectionThatWasLost() {
    TestLane lane = open(TestLane.shared());
    lane.store.failPingOnce(broken());
    await().until(() -> lane.store.connections() == 2);
    await().until(() -> lane.store.pings() >= 2);
    assertThat(lane.isShared()).isTrue();
  }

  @Test
  void anIdleWorkerNoticesADatabaseThatDoesNotAnswer() {
    TestLane lane = open(TestLane.shared());
    lane.store.refuseConnections(LaneWorkerTest::broken);
    lane.store.failPingOnce(timedOut());
    lane.awaitLocal();
    assertThat(lane.decide().outcome()).isEqualTo(Outcome.LOCAL);
  }

  private static SQLException broken() {
    return new SQLException("broken pipe", "08S01");
  }

  private static SQLException timedOut() {
    return new SQLException("no answer", "08S01", new SocketTimeoutException());
  }
}
