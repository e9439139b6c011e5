package io.memorygateway.concurrent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts of what is held of something that is limited, such as connections, with a limit for each
 * holder. Who would exceed one waits for a bounded time; what is given back goes to whom it is
 * enough for and who holds least, so that one with much does not keep out one with nothing.
 * Thread-safe, for platform and virtual threads.
 */
public final class Shares {
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Use> uses = new HashMap<>();

  /** In the order of their arrival. */
  private final Set<Share> waiting = new LinkedHashSet<>();

  private final int maxWaiting;

  /**
   * Creates shares of which nothing is held.
   *
   * @param maxWaiting most that wait for one holder; further ones are refused at once
   */
  public Shares(int maxWaiting) {
    this.maxWaiting = maxWaiting;
  }

  /**
   * Holder, and the most that it may hold.
   *
   * @param of equal for the same holder
   */
  public record Limit(Object of, int most) {}

  /** Counts of one holder, guarded by the lock. */
  private static final class Use {
    private int held;
    private int waiting;
  }

  /**
   * Creates a share that is not held yet.
   *
   * @param limits which it counts for; the first one's holder is who waits
   */
  public Share open(Limit... limits) {
    return new Share(List.of(limits));
  }

  public int held(Object holder) {
    lock.lock();
    try {
      Use use = uses.get(holder);
      return use == null ? 0 : use.held;
    } finally {
      lock.unlock();
    }
  }

  /** The number of those who wait. */
  public int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** The number of holders that hold something or wait. */
  public int holders() {
    lock.lock();
    try {
      return uses.size();
    } finally {
      lock.unlock();
    }
  }

  private void grant() {
    Share next = next();
    while (next != null) {
      stopWaiting(next);
      next.take();
      LockSupport.unpark(next.waiter);
      next = next();
    }
  }

  private @Nullable Share next() {
    return waiting.stream()
        .filter(share -> share.exceeded() == null)
        .min(Comparator.comparingInt(share -> share.uses.get(0).held))
        .orElse(null);
  }

  /** Takes a share from those who wait, if it does. */
  private void stopWaiting(Share share) {
    if (waiting.remove(share)) {
      share.uses.forEach(use -> use.waiting--);
    }
  }

  private void forget(Limit limit) {
    uses.computeIfPresent(limit.of(), (of, use) -> use.held == 0 && use.waiting == 0 ? null : use);
  }

  /** One unit of what is limited, held or waited for by one thread. */
  public final class Share implements AutoCloseable {
    private final List<Limit> limits;
    private List<Use> uses = List.of();
    private volatile boolean held;
    private volatile @Nullable Thread waiter;

    private Share(List<Limit> limits) {
      this.limits = limits;
    }

    /**
     * Waits until it is held.
     *
     * @return the limit that it would exceed, if that is still so when the time is over, or if too
     *     many wait already; null: it is held
     */
    public @Nullable Limit acquire(long maxWaitNanos) {
      lock.lock();
      try {
        uses = new ArrayList<>(limits.size());
        limits.forEach(
            limit -> uses.add(Shares.this.uses.computeIfAbsent(limit.of(), of -> new Use())));
        Limit exceeded = exceeded();
        if (exceeded == null) {
          take();
          return null;
        }
        if (maxWaitNanos <= 0 || uses.get(0).waiting >= maxWaiting) {
          limits.forEach(Shares.this::forget);
          return exceeded;
        }
        uses.forEach(use -> use.waiting++);
        waiter = Thread.currentThread();
        waiting.add(this);
      } finally {
        lock.unlock();
      }
      return await(System.nanoTime() + maxWaitNanos);
    }

    private @Nullable Limit await(long endNanos) {
      long left = endNanos - System.nanoTime();
      while (!held && left > 0 && !Thread.currentThread().isInterrupted()) {
        TimedPark.parkNanos(this, left, () -> held);
        left = endNanos - System.nanoTime();
      }
      lock.lock();
      try {
        if (held) {
          return null;
        }
        Limit exceeded = exceeded();
        stopWaiting(this);
        limits.forEach(Shares.this::forget);
        return exceeded == null ? limits.get(0) : exceeded;
      } finally {
        lock.unlock();
      }
    }

    private @Nullable Limit exceeded() {
      for (int i = 0; i < uses.size(); i++) {
        if (uses.get(i).held >= limits.get(i).most()) {
          return limits.get(i);
        }
      }
      return null;
    }

    private void take() {
      held = true;
      uses.forEach(use -> use.held++);
    }

    /** Gives it back, if it is held; whoever waits for it does so no longer. */
    @Override
    public void close() {
      lock.lock();
      try {
        stopWaiting(this);
        if (held) {
          held = false;
          uses.forEach(use -> use.held--);
          grant();
        }
        limits.forEach(Shares.this::forget);
      } finally {
        lock.unlock();
      }
    }
  }
}
