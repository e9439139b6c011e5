package io.memorygateway.proxy;

import io.dropwizard.lifecycle.Managed;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
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
 * waits behind the others, and only so many run at once that half of the processors are left to
 * other requests.
 *
 * <p>A stream whose upstream always has the next bytes ready, and whose client always takes them,
 * never blocks. The JVM does not preempt virtual threads, so two such streams on two processors
 * would be served to their end before any other request is looked at. {@link Thread#yield} does not
 * help: it puts the thread into its carrier's own queue, which a carrier empties before it takes
 * work from outside, new requests included. Here a platform thread wakes the next stream, which so
 * comes from outside as well.
 *
 * <p>A stream that runs may still block, on a slow client or a slow upstream. It loses its turn
 * then, and a stream that takes longer than {@value #FAST_MILLIS} ms for its quantum never waits.
 */
final class StreamScheduler implements Managed {
  /** Bytes that a stream passes on in one turn. */
  static final int QUANTUM_BYTES = 256 << 10;

  /** A stream that takes longer for a quantum leaves the processors to others anyway. */
  private static final int FAST_MILLIS = 250;

  private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(FAST_MILLIS);

  /** The longest turn; a quantum takes a few milliseconds of processor time. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final int atOnce;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Turn> waiting = new ArrayDeque<>();
  private final List<Turn> running = new ArrayList<>();
  private final Thread dispatcher = new Thread(this::dispatch, "stream-scheduler");
  private boolean stopped;

  /**
   * A scheduler that is not started yet; until it is, and after its end, no stream waits.
   *
   * @param processors of this machine
   * @param nanoTime the clock by which turns end
   */
  StreamScheduler(int processors, LongSupplier nanoTime, PrometheusRegistry registry) {
    this.atOnce = Math.max(1, processors / 2);
    this.nanoTime = nanoTime;
    dispatcher.setDaemon(true);
    GaugeWithCallback.builder()
        .name("memory_gateway_llm_waiting_streams")
        .help("Streams that are faster than the processors, and wait for their turn.")
        .callback(gauge -> gauge.call(waiting()))
        .register(registry);
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

  /** A stream that begins; used by one thread at a time. */
  Stream open() {
    return new Stream();
  }

  /** The number of streams that wait for their turn. */
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
        running.removeIf(turn -> turn.isOver(now));
        if (waiting.isEmpty()) {
          changed.await();
        } else if (running.size() < atOnce) {
          Turn next = waiting.removeFirst();
          running.add(next);
          next.grant();
        } else {
          var unused = changed.awaitNanos(TURN_NANOS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopped = true;
      waiting.forEach(Turn::grant);
      waiting.clear();
      lock.unlock();
    }
  }

  private Turn await() throws InterruptedException {
    Turn turn = new Turn(Thread.currentThread());
    lock.lock();
    try {
      if (stopped || !dispatcher.isAlive()) {
        return turn;
      }
      waiting.addLast(turn);
      changed.signal();
    } finally {
      lock.unlock();
    }
    while (!turn.granted) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        end(turn);
        throw new InterruptedException();
      }
    }
    turn.begin(nanoTime.getAsLong());
    return turn;
  }

  private void end(Turn turn) {
    lock.lock();
    try {
      if (!running.remove(turn)) {
        waiting.remove(turn);
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** The account of one stream. */
  final class Stream {
    private long passedOn;
    private long begunNanos = nanoTime.getAsLong();
    private @Nullable Turn turn;

    /**
     * Counts bytes that were passed on, and waits for the next turn if they fill the quantum.
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
        turn = await();
      }
      passedOn = 0;
      begunNanos = nanoTime.getAsLong();
    }

    /** Ends the turn, if there is one: the next stream may run. */
    void close() {
      Turn ended = turn;
      if (ended != null) {
        turn = null;
        end(ended);
      }
    }
  }

  /** A place in the queue, and then among those that run. */
  private static final class Turn {
    private final Thread thread;
    private volatile boolean granted;
    private volatile boolean begun;
    private volatile long begunNanos;

    Turn(Thread thread) {
      this.thread = thread;
    }

    void grant() {
      granted = true;
      LockSupport.unpark(thread);
    }

    /** The time counts from here on: until then it waited for a processor. */
    void begin(long nanos) {
      begunNanos = nanos;
      begun = true;
    }

    boolean isOver(long nanos) {
      return begun && nanos - begunNanos >= TURN_NANOS;
    }
  }
}
