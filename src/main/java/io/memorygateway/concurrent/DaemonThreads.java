package io.memorygateway.concurrent;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Maker of threads that do not keep the process alive, and of pools of them. Where the system gives
 * no thread, work is rejected, as by a pool that is full, so that callers give back what they hold:
 * the JVM's own {@link OutOfMemoryError} passes by whoever expects exceptions.
 */
public final class DaemonThreads {
  private static final long IDLE_SECONDS = 30;

  private DaemonThreads() {}

  public static ThreadFactory named(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Starts a thread, which can be started again if there was none for it. */
  public static void start(Thread thread) {
    orReject(thread::start);
  }

  /** A pool that starts threads when they are needed, and rejects work beyond their number. */
  public static ExecutorService pool(String name, int max) {
    return new Pool(0, max, new SynchronousQueue<>(), named(name));
  }

  /** A pool in which work beyond the number of threads waits. */
  public static ExecutorService queue(String name, int max) {
    return new Pool(max, max, new LinkedBlockingQueue<>(), named(name));
  }

  static final class Pool extends ThreadPoolExecutor {
    Pool(int min, int max, BlockingQueue<Runnable> queue, ThreadFactory threads) {
      super(min, max, IDLE_SECONDS, TimeUnit.SECONDS, queue, threads);
    }

    @Override
    public void execute(Runnable work) {
      orReject(() -> super.execute(work));
    }
  }

  private static void orReject(Runnable start) {
    try {
      start.run();
    } catch (OutOfMemoryError e) {
      throw new RejectedExecutionException("there is no thread for it", e);
    }
  }
}
