package io.memorygateway.concurrent;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.io.CyclicTimeouts;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * Replacement of {@link LockSupport#parkNanos} for waits that mostly end long before their time. A
 * virtual thread that parks for a time has the JVM set and cancel a timer, and on Java 25 each
 * wakes the thread that keeps the timers; that costs more than the wait. Here one timer serves all
 * who wait, and is set for the earliest of them only.
 */
public final class TimedPark {
  private static final Waits WAITS = new Waits();

  private TimedPark() {}

  /**
   * Waits for {@link LockSupport#unpark}, an interrupt or the time; may return for no reason, as
   * the JDK's own does.
   *
   * @param blocker shown in thread dumps
   */
  public static void parkNanos(Object blocker, long nanos) {
    if (nanos > 0) {
      WAITS.park(blocker, nanos);
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

    void park(Object blocker, long nanos) {
      Wait wait = new Wait(Thread.currentThread(), System.nanoTime() + nanos);
      open.add(wait);
      schedule(wait);
      try {
        LockSupport.park(blocker);
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

  private static final class Wait implements CyclicTimeouts.Expirable {
    private final Thread thread;
    private final long expiresNanoTime;

    Wait(Thread thread, long expiresNanoTime) {
      this.thread = thread;
      this.expiresNanoTime = expiresNanoTime;
    }

    @Override
    public long getExpireNanoTime() {
      return expiresNanoTime;
    }
  }
}
