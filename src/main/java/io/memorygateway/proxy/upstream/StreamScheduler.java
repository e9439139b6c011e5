package io.memorygateway.proxy.upstream;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.concurrent.DaemonThreads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A round-robin scheduler of fast streams: each passes on {@value #QUANTUM_BYTES} bytes and then
 * waits behind the others, and the number that run at once leaves half of the processors to other
 * requests.
 *
 * <p>A stream whose upstream always has the next bytes ready, and whose client always takes them,
 * never blocks. The JVM does not preempt virtual threads, so two such streams on two processors
 * would run to their end before any other request. {@link Thread#yield} does not help: it puts the
 * thread into its carrier's local queue, which a carrier empties before it takes work from outside,
 * including new requests. Here a platform thread wakes the next stream, which therefore arrives
 * from outside as well.
 *
 * <p>A stream that runs may still block, on a slow client or a slow upstream. It loses its slice
 * then, and a stream that takes longer than {@value #FAST_MILLIS} ms for its quantum never waits.
 */
public final class StreamScheduler implements Managed {
  /** Bytes that a stream passes on in one slice. */
  static final int QUANTUM_BYTES = 256 << 10;

  /**
   * A stream that takes longer for a quantum blocks often enough to leave the processors to others.
   */
  private static final int FAST_MILLIS = 250;

  private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(FAST_MILLIS);

  /** Longest slice; a quantum takes a few milliseconds of processor time. */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final int atOnce;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Slice> waiting = new ArrayDeque<>();
  private final List<Slice> running = new ArrayList<>();
  private final Thread dispatcher =
      DaemonThreads.named("stream-scheduler").newThread(this::dispatch);
  private boolean stopped;

  /**
   * Creates a scheduler; before its start and after its end no stream waits.
   *
   * @param processors of this machine
   * @param nanoTime clock that measures slices
   */
  public StreamScheduler(int processors, LongSupplier nanoTime) {
    this.atOnce = Math.max(1, processors / 2);
    this.nanoTime = nanoTime;
  }

  @Override
  public void start() {
    dispatcher.start();
  }

  @Override
  public void stop() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Registers a stream that begins; the result is used by one thread at a time. */
  Stream open() {
    return new Stream();
  }

  /** The number of streams that wait for their next slice. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  private void dispatch() {
    lock.lock();
    try {
      while (!stopped) {
        long now = nanoTime.getAsLong();
        running.removeIf(slice -> slice.isOver(now));
        if (waiting.isEmpty()) {
          changed.await();
        } else if (running.size() < atOnce) {
          Slice next = waiting.removeFirst();
          running.add(next);
          next.grant();
        } else {
          var unused = changed.awaitNanos(SLICE_NANOS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopped = true;
      waiting.forEach(Slice::grant);
      waiting.clear();
      lock.unlock();
    }
  }

  private Slice await() throws InterruptedException {
    Slice slice = new Slice(Thread.currentThread());
    lock.lock();
    try {
      if (stopped || !dispatcher.isAlive()) {
        return slice;
      }
      waiting.addLast(slice);
      changed.signal();
    } finally {
      lock.unlock();
    }
    while (!slice.granted) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        end(slice);
        throw new InterruptedException();
      }
    }
    slice.begin(nanoTime.getAsLong());
    return slice;
  }

  private void end(Slice slice) {
    lock.lock();
    try {
      if (!running.remove(slice)) {
        waiting.remove(slice);
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  final class Stream {
    private long passedOn;
    private long begunNanos = nanoTime.getAsLong();
    private @Nullable Slice slice;

    /**
     * Counts bytes that were passed on, and waits for the next slice if they fill the quantum.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void passedOn(int bytes) throws InterruptedException {
      passedOn += bytes;
      if (passedOn < QUANTUM_BYTES) {
        return;
      }
      boolean fast = nanoTime.getAsLong() - begunNanos < FAST_NANOS;
      close();
      if (fast) {
        slice = await();
      }
      passedOn = 0;
      begunNanos = nanoTime.getAsLong();
    }

    /** Ends the slice, if there is one: the next stream may run. */
    void close() {
      Slice ended = slice;
      if (ended != null) {
        slice = null;
        end(ended);
      }
    }
  }

  /** A stream's slice: queued first, then running. */
  private static final class Slice {
    private final Thread thread;
    private volatile boolean granted;
    private volatile boolean begun;
    private volatile long begunNanos;

    Slice(Thread thread) {
      this.thread = thread;
    }

    void grant() {
      granted = true;
      LockSupport.unpark(thread);
    }

    /** Starts the time of the slice, which does not include the wait for a processor. */
    void begin(long nanos) {
      begunNanos = nanos;
      begun = true;
    }

    boolean isOver(long nanos) {
      return begun && nanos - begunNanos >= SLICE_NANOS;
    }
  }
}
