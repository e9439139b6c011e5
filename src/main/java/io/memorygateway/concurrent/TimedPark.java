package io.memorygateway.concurrent;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.CyclicTimeouts;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * Replacement of {@link LockSupport#parkNanos} for waits that mostly end long before their timeout.
 * When a virtual thread parks with a timeout, the JVM sets and cancels a timer, and on Java 25 each
 * wakes the timer thread, which costs more than the wait. Here one timer serves all waiting
 * threads, and is set for the earliest timeout only.
 */
public final class TimedPark {
  private static final Waits WAITS = new Waits();

  private TimedPark() {}

  /**
   * Waits for {@link LockSupport#unpark}, an interrupt or the timeout; may return spuriously, as
   * the JDK's own does.
   *
   * @param blocker shown in thread dumps
   * @param isDone condition that is checked again after the timer is set: acquiring its lock may
   *     consume an unpark meant for this wait
   */
  public static void parkNanos(Object blocker, long nanos, BooleanSupplier isDone) {
    if (nanos > 0) {
      WAITS.park(blocker, nanos, isDone);
    }
  }

  private static final class Waits extends CyclicTimeouts<Wait> {
    private final Set<Wait> open = ConcurrentHashMap.newKeySet();

    Waits() {
      super(scheduler());
    }

    private static ScheduledExecutorScheduler scheduler() {
      ScheduledExecutorScheduler scheduler = new ScheduledExecutorScheduler("timed-park", true);
      LifeCycle.start(scheduler);
      return scheduler;
    }

    void park(Object blocker, long nanos, BooleanSupplier isDone) {
      Wait wait = new Wait(Thread.currentThread(), System.nanoTime() + nanos);
      open.add(wait);
      try {
        schedule(wait);
        if (!isDone.getAsBoolean()) {
          LockSupport.park(blocker);
        }
      } finally {
        open.remove(wait);
      }
    }

    @Override
    protected Iterator<Wait> iterator() {
      return open.iterator();
    }

    @Override
    protected boolean onExpired(Wait wait) {
      LockSupport.unpark(wait.thread);
      return true;
    }
  }

  private record Wait(Thread thread, long getExpireNanoTime) implements CyclicTimeouts.Expirable {}
}
