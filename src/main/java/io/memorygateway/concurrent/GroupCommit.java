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
 * Lets callers who want the same kind of work done at the same time have it done together. Whoever
 * comes first does the work for all who wait; who comes meanwhile waits for the next round. There
 * are no threads of its own, and who comes alone does not wait.
 *
 * @param <T> a piece of work; carries its result
 */
public final class GroupCommit<T> {
  private final int most;
  private final Consumer<List<T>> work;
  private final Queue<Waiting<T>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();

  /**
   * A place where work comes together.
   *
   * @param most pieces of work in a round
   * @param work does a round; what it throws goes to all who take part
   */
  public GroupCommit(int most, Consumer<List<T>> work) {
    this.most = most;
    this.work = work;
  }

  /** Has a piece of work done; returns when it is. */
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
    while (taking.size() < most) {
      Waiting<T> next = queue.poll();
      if (next == null) {
        break;
      }
      taking.add(next);
      items.add(next.item);
    }
    RuntimeException failure = null;
    boolean ended = false;
    try {
      work.accept(items);
      ended = true;
    } catch (RuntimeException e) {
      failure = e;
      ended = true;
    } finally {
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
