package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestTimeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(TestTimeout.SECONDS)
class TimedParkTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  @Test
  void everyWaitEndsWhenItsTimeIsOverWhateverTheirOrder() {
    List<CompletableFuture<Long>> waits = new ArrayList<>();
    for (int millis : new int[] {300, 5, 100, 1, 40, 5}) {
      waits.add(CompletableFuture.supplyAsync(() -> late(millis * 1_000_000L), this::onNewThread));
    }
    assertThat(waits).allSatisfy(wait -> assertThat(wait.join()).isNotNegative());
  }

  @Test
  void whoIsWokenDoesNotWaitForTheTime() {
    AtomicBoolean woken = new AtomicBoolean();
    Thread waiting = Thread.currentThread();
    onNewThread(
        () -> {
          woken.set(true);
          LockSupport.unpark(waiting);
        });
    while (!woken.get()) {
      TimedPark.parkNanos(this, HOUR, woken::get);
    }
  }

  @Test
  void whatHappensWhileTheTimerIsSetEndsTheWait() {
    // Nobody unparks this thread: its permit was used up by a lock on the way.
    TimedPark.parkNanos(this, HOUR, () -> true);
  }

  @Test
  void anInterruptEndsTheWaitAndIsKept() {
    Thread.currentThread().interrupt();
    TimedPark.parkNanos(this, HOUR, () -> false);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void noTimeIsNoWait() {
    TimedPark.parkNanos(this, 0, () -> false);
    TimedPark.parkNanos(this, -1, () -> false);
  }

  /** Waits to the end; how much later it is then. */
  private long late(long nanos) {
    long end = System.nanoTime() + nanos;
    long left = nanos;
    while (left > 0) {
      TimedPark.parkNanos(this, left, () -> false);
      left = end - System.nanoTime();
    }
    return -left;
  }

  private void onNewThread(Runnable work) {
    new Thread(work).start();
  }
}
