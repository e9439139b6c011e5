package io.memorygateway.concurrent;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leader and follower group commit: callers that need the same kind of work at the same time share
 * one round of it. The first caller is the leader and does the work of all who wait; callers that
 * arrive meanwhile wait for the next round. It has no thread of its own, and a single caller never
 * waits.
 *
 * @param <T> an item of work; carries its result
 */
public final class GroupCommit<T> {
  private final int max;
  private final Consumer<List<T>> work;
  private final Queue<Waiting<T>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();

  /** When the current round began, of {@link System#nanoTime()}; null if there is none. */
  private volatile @Nullable Long began;

  /**
   * Creates a group without work.
   *
   * @param max items in a round
   * @param work does a round; its exception is thrown to all callers in the round
   */
  public GroupCommit(int max, Consumer<List<T>> work) {
    this.max = max;
    this.work = work;
  }

  /** Performs an item, together with waiting ones; returns when it is done. */
  public void perform(T item) {
    Waiting<T> own = new Waiting<>(item, Thread.currentThread());
    queue.add(own);
    boolean interrupted = false;
    while (!own.done) {
      if (busy.compareAndSet(false, true)) {
        lead(own);
      } else {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (own.failure != null) {
      throw own.failure;
    }
  }

  /** How long the current round has taken so far, in nanoseconds; 0 if there is none. */
  public long roundNanos() {
    Long since = began;
    return since == null ? 0 : System.nanoTime() - since;
  }

  private void lead(Waiting<T> own) {
    try {
      while (!own.done) {
        round();
      }
    } finally {
      busy.set(false);
      Waiting<T> next = queue.peek();
      if (next != null) {
        LockSupport.unpark(next.thread);
      }
    }
  }

  private void round() {
    List<Waiting<T>> taking = new ArrayList<>();
    List<T> items = new ArrayList<>();
    while (taking.size() < max) {
      Waiting<T> next = queue.poll();
      if (next == null) {
        break;
      }
      taking.add(next);
      items.add(next.item);
    }
    RuntimeException failure = null;
    boolean ended = false;
    began = System.nanoTime();
    try {
      work.accept(items);
      ended = true;
    } catch (RuntimeException e) {
      failure = e;
      ended = true;
    } finally {
      began = null;
      if (!ended) {
        failure = new IllegalStateException("the work was broken off");
      }
      for (Waiting<T> each : taking) {
        each.failure = failure;
        each.done = true;
        LockSupport.unpark(each.thread);
      }
    }
  }

  private static final class Waiting<T> {
    private final T item;
    private final Thread thread;
    private @Nullable RuntimeException failure;
    private volatile boolean done;

    Waiting(T item, Thread thread) {
      this.item = item;
      this.thread = thread;
    }
  }
}
