package io.memorygateway.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.TestTimeout;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams that never block take turns; those that do never hold anybody up. */
class StreamSchedulerTest {
  private static final int ALL = StreamScheduler.QUANTUM_BYTES;

  private final AtomicLong nanos = new AtomicLong();

  @AutoClose("stop")
  private final StreamScheduler scheduler = new StreamScheduler(2, nanos::get);

  @AutoClose("shutdownNow")
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private final Queue<String> turns = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start() {
    scheduler.start();
  }

  @Test
  void streamsOfHalfTheProcessorsRunAtOnceAndTheOthersInTheOrderInWhichTheyAsked()
      throws Exception {
    StreamScheduler.Stream first = scheduler.open();
    first.passedOn(ALL);
    Future<StreamScheduler.Stream> second = asking("second", 1);
    Future<StreamScheduler.Stream> third = asking("third", 2);
    assertThat(turns).isEmpty();

    Future<?> firstAgain = threads.submit(() -> passOn("first", first));
    StreamScheduler.Stream running = second.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    assertThat(turns).containsExactly("second");
    running.close();
    third.get(TestTimeout.SECONDS, TimeUnit.SECONDS).close();
    firstAgain.get(TestTimeout.SECONDS, TimeUnit.SECONDS);

    assertThat(turns).containsExactly("second", "third", "first");
  }

  @Test
  void aStreamWithinItsQuantumWaitsForNobody() throws Exception {
    scheduler.open().passedOn(ALL);

    StreamScheduler.Stream other = scheduler.open();
    other.passedOn(ALL - 1);

    assertThat(scheduler.waiting()).isZero();
  }

  @Test
  void aSlowStreamWaitsForNobody() throws Exception {
    scheduler.open().passedOn(ALL);
    StreamScheduler.Stream slow = scheduler.open();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
    scheduler.open().passedOn(ALL);

    slow.passedOn(ALL);

    assertThat(scheduler.waiting()).isZero();
  }

  @Test
  void aStreamThatBlocksInItsTurnLosesIt() throws Exception {
    StreamScheduler.Stream blocked = scheduler.open();
    blocked.passedOn(ALL);
    Future<StreamScheduler.Stream> next = asking("next", 1);
    assertThat(next).isNotDone();

    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));

    next.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aStreamThatEndsGivesItsTurnToTheNext() throws Exception {
    StreamScheduler.Stream first = scheduler.open();
    first.passedOn(ALL);
    Future<StreamScheduler.Stream> next = asking("next", 1);

    first.close();
    first.close();

    next.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aStreamThatIsInterruptedLeavesTheQueue() throws Exception {
    StreamScheduler.Stream first = scheduler.open();
    first.passedOn(ALL);
    Thread[] waiter = new Thread[1];
    Future<?> interrupted =
        threads.submit(
            () -> {
              waiter[0] = Thread.currentThread();
              return passOn("interrupted", scheduler.open());
            });
    await().until(() -> scheduler.waiting() == 1);
    Future<StreamScheduler.Stream> next = asking("next", 2);

    waiter[0].interrupt();

    assertThatThrownBy(() -> interrupted.get(TestTimeout.SECONDS, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    first.close();
    next.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    assertThat(List.copyOf(turns)).containsExactly("next");
  }

  @Test
  void nobodyWaitsAfterTheEnd() throws Exception {
    scheduler.open().passedOn(ALL);
    Future<StreamScheduler.Stream> waiting = asking("waiting", 1);

    scheduler.stop();

    waiting.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    scheduler.open().passedOn(ALL);
    scheduler.open().passedOn(ALL);
  }

  /** A stream that has used its quantum up, and is the last of so many that wait. */
  private Future<StreamScheduler.Stream> asking(String name, int place) {
    Callable<StreamScheduler.Stream> asks = () -> passOn(name, scheduler.open());
    Future<StreamScheduler.Stream> asked = threads.submit(asks);
    await().until(() -> scheduler.waiting() == place);
    return asked;
  }

  private StreamScheduler.Stream passOn(String name, StreamScheduler.Stream stream)
      throws InterruptedException {
    stream.passedOn(ALL);
    turns.add(name);
    return stream;
  }
}
