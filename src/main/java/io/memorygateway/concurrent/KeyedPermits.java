package io.memorygateway.concurrent;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Permits to work, a number for all keys together. A request that finds none waits in the queue of
 * its key, and the keys take turns, so that a key with many requests delays only its own. One key
 * holds at most three quarters. A key that is alone may use every permit: it delays nobody, and
 * larger batches are cheaper.
 *
 * <p>Once the oldest in a queue has waited for {@link #LATE_NANOS}, the newest is served first: a
 * request that arrives then is served quickly or refused, instead of all being served late. A
 * request that returns from a {@link Permit#pause} is served before those of its key that have not
 * started. Waits are bounded: a request that has not started is then refused; one that resumes
 * continues without a permit.
 *
 * <p>Work that takes longer than {@link #LAPSE_NANOS} waits for something other than this node's
 * processors, such as a lock or a database that does not answer; its permit lapses, that is, it is
 * no longer counted. The number of lapsed permits of a key is half of those that may wait in all.
 * Thread-safe, for platform and virtual threads.
 */
public final class KeyedPermits {
  /** Age from which on a permit is not counted. */
  static final long LAPSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Wait of the oldest in a queue from which on the newest is served first. */
  static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Time after the last change from one key to another from which on a key is alone. */
  static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Time without a {@link #tick} after which those who wait call it themselves. */
  private static final long TICKS_MISSED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, KeyQueue> keys = new HashMap<>();

  /** Keys that have somebody waiting and may have one permit more, in the order of their turns. */
  private final ArrayDeque<KeyQueue> turns = new ArrayDeque<>();

  /** The counted permits, the oldest first. */
  private final LinkedHashSet<Permit> counted = new LinkedHashSet<>();

  private final PermitNumber number;
  private final long maxWaitNanos;
  private final int maxWaiting;

  /** How many permits of one key may have lapsed. */
  private final int maxLapsed;

  private final LongSupplier nanoClock;
  private volatile long tickedNanos;
  private long newestKey;
  private long sharedNanos;
  private boolean isShared;
  private int arriving;
  private int returning;
  private long refused;

  /**
   * Creates permits that nobody holds.
   *
   * @param number how many there are
   * @param maxWaitNanos longest wait for a permit
   * @param maxWaiting of all keys together; one more, and the oldest of the longest queue is
   *     refused
   * @param nanoClock {@link System#nanoTime}
   */
  public KeyedPermits(
      PermitNumber number, long maxWaitNanos, int maxWaiting, LongSupplier nanoClock) {
    this.number = number;
    this.maxWaitNanos = maxWaitNanos;
    this.maxWaiting = maxWaiting;
    this.maxLapsed = Math.max(1, maxWaiting / 2);
    this.nanoClock = nanoClock;
    this.tickedNanos = nanoClock.getAsLong();
  }

  /**
   * What can be seen from outside.
   *
   * @param refused since the start
   */
  public record State(int permits, int held, int waiting, long refused) {}

  public State state() {
    lock.lock();
    try {
      return new State(permits(), counted.size(), arriving + returning, refused);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a permit; returns null if there is none in time. To be closed when work is done. */
  public @Nullable Permit acquire(long key) {
    Permit permit;
    lock.lock();
    try {
      KeyQueue queue = keys.computeIfAbsent(key, id -> new KeyQueue());
      queue.open++;
      permit = new Permit(queue);
      long now = nanoClock.getAsLong();
      arrived(key, now);
      permit.sinceNanos = now;
      queue.arriving.addLast(permit);
      arriving++;
      enqueue(queue);
      grant(now);
      refuseTooMany();
    } finally {
      lock.unlock();
    }
    permit.await();
    return permit.state == Permit.Phase.REFUSED ? null : permit;
  }

  private int permits() {
    return isShared ? number.permits() : number.most();
  }

  private void arrived(long key, long now) {
    if (key != newestKey && newestKey != 0) {
      isShared = true;
      sharedNanos = now;
    }
    newestKey = key;
  }

  /**
   * Lets permits lapse, ends the waits that have taken too long, and adjusts the number of permits;
   * to be called every few hundredths of a second.
   */
  public void tick() {
    number.readLoad(nanoClock.getAsLong());
    lock.lock();
    try {
      long now = nanoClock.getAsLong();
      tickedNanos = now;
      isShared &= now - sharedNanos < ALONE_NANOS;
      Iterator<Permit> oldest = counted.iterator();
      while (oldest.hasNext()) {
        Permit permit = oldest.next();
        if (now - permit.sinceNanos < LAPSE_NANOS) {
          break;
        }
        oldest.remove();
        permit.queue.held--;
        permit.queue.lapsed++;
        permit.share = Permit.Share.LAPSED;
        number.ended(now - permit.sinceNanos);
      }
      keys.values().forEach(queue -> endOverdue(queue, now));
      keys.values().removeIf(queue -> queue.open == 0);
      number.adjust(now, arriving + returning > 0, counted.size());
      keys.values().forEach(this::enqueue);
      grant(now);
    } finally {
      lock.unlock();
    }
  }

  /** Stands in for the caller of {@link #tick}, which may have been stopped already. */
  private void tickIfMissed() {
    if (nanoClock.getAsLong() - tickedNanos > TICKS_MISSED_NANOS) {
      tick();
    }
  }

  private void endOverdue(KeyQueue queue, long now) {
    while (isOverdue(queue.arriving.peekFirst(), now)) {
      refuseOldest(queue);
    }
    while (isOverdue(queue.returning.peekFirst(), now)) {
      returning--;
      queue.returning.removeFirst().settle(Permit.Phase.HELD);
    }
  }

  private boolean isOverdue(@Nullable Permit first, long now) {
    return first != null && now - first.sinceNanos > maxWaitNanos;
  }

  /** Refuses the oldest who has not begun, of a queue that has one. */
  private void refuseOldest(KeyQueue queue) {
    Permit permit = queue.arriving.removeFirst();
    queue.open--;
    arriving--;
    refused++;
    permit.settle(Permit.Phase.REFUSED);
  }

  private void refuseTooMany() {
    if (arriving > maxWaiting) {
      keys.values().stream()
          .max(Comparator.comparingInt(queue -> queue.arriving.size()))
          .ifPresent(this::refuseOldest);
    }
  }

  /** Gives a key its turn if somebody waits and it may have one more. */
  private void enqueue(KeyQueue queue) {
    if (!queue.hasTurn
        && !queue.isEmpty()
        && queue.held < (isShared ? number.ofOneKey() : number.most())
        && queue.lapsed < maxLapsed) {
      queue.hasTurn = true;
      turns.addLast(queue);
    }
  }

  private void grant(long now) {
    while (counted.size() < permits()) {
      KeyQueue queue = turns.pollFirst();
      if (queue == null) {
        return;
      }
      queue.hasTurn = false;
      Permit permit = next(queue, now);
      if (permit != null) {
        queue.held++;
        permit.share = Permit.Share.COUNTED;
        permit.sinceNanos = now;
        counted.add(permit);
        number.began(counted.size());
        permit.settle(Permit.Phase.HELD);
        enqueue(queue);
      }
    }
  }

  private @Nullable Permit next(KeyQueue queue, long now) {
    Permit back = queue.returning.pollFirst();
    if (back != null) {
      returning--;
      return back;
    }
    Permit oldest = queue.arriving.peekFirst();
    if (oldest == null) {
      return null;
    }
    arriving--;
    return now - oldest.sinceNanos > LATE_NANOS
        ? queue.arriving.pollLast()
        : queue.arriving.pollFirst();
  }

  private void release(Permit permit) {
    long now = nanoClock.getAsLong();
    KeyQueue queue = permit.queue;
    switch (permit.share) {
      case COUNTED -> {
        queue.held--;
        counted.remove(permit);
        number.ended(now - permit.sinceNanos);
      }
      case LAPSED -> queue.lapsed--;
      case NONE -> {}
    }
    permit.share = Permit.Share.NONE;
    enqueue(queue);
    grant(now);
  }

  /** Those of one key, guarded by the lock. */
  private static final class KeyQueue {
    private final ArrayDeque<Permit> returning = new ArrayDeque<>();
    private final ArrayDeque<Permit> arriving = new ArrayDeque<>();
    private int open;
    private int held;
    private int lapsed;
    private boolean hasTurn;

    boolean isEmpty() {
      return returning.isEmpty() && arriving.isEmpty();
    }
  }

  /** One request's permit, used by one thread at a time. */
  public final class Permit implements AutoCloseable {
    private enum Phase {
      WAITING,
      HELD,
      PAUSED,
      REFUSED,
      CLOSED
    }

    /** What a permit takes of its key's share. */
    private enum Share {
      NONE,
      COUNTED,
      LAPSED
    }

    private final KeyQueue queue;
    private Share share = Share.NONE;

    /** When it was asked for, or granted. */
    private long sinceNanos;

    private volatile Phase state = Phase.WAITING;
    private volatile @Nullable Thread waiter;

    Permit(KeyQueue queue) {
      this.queue = queue;
    }

    private void settle(Phase phase) {
      state = phase;
      Thread thread = waiter;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }

    private void await() {
      if (state != Phase.WAITING) {
        return;
      }
      boolean interrupted = false;
      waiter = Thread.currentThread();
      while (state == Phase.WAITING) {
        TimedPark.parkNanos(this, TICKS_MISSED_NANOS, () -> state != Phase.WAITING);
        interrupted |= Thread.interrupted();
        tickIfMissed();
      }
      waiter = null;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    /** Gives the permit to others while the request waits for somebody else. */
    public void pause() {
      lock.lock();
      try {
        if (state == Phase.HELD) {
          state = Phase.PAUSED;
          release(this);
        }
      } finally {
        lock.unlock();
      }
    }

    /** Waits for the permit again; never refused. */
    public void resume() {
      lock.lock();
      try {
        if (state != Phase.PAUSED) {
          return;
        }
        state = Phase.WAITING;
        sinceNanos = nanoClock.getAsLong();
        queue.returning.addLast(this);
        returning++;
        enqueue(queue);
        grant(sinceNanos);
      } finally {
        lock.unlock();
      }
      await();
    }

    /** Gives the permit back, if it is not given back yet. */
    @Override
    public void close() {
      lock.lock();
      try {
        if (state == Phase.HELD || state == Phase.PAUSED) {
          state = Phase.CLOSED;
          queue.open--;
          release(this);
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
