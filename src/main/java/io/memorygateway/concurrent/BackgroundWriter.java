package io.memorygateway.concurrent;

import io.dropwizard.lifecycle.Managed;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread that writes what others put into a queue, as long as the node runs, and has a moment for
 * what is left when it stops.
 */
public abstract class BackgroundWriter implements Managed {
  private final String name;
  private final Duration lastMoment;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Thread thread;

  protected BackgroundWriter(String name, Duration lastMoment) {
    this.name = name;
    this.lastMoment = lastMoment;
  }

  /** Writes until the node stops. */
  protected abstract void run() throws InterruptedException;

  /** Waits; returns at once, and true, when the node stops. */
  protected final boolean stopsWithin(long millis) throws InterruptedException {
    return stopping.await(millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public final void start() {
    Thread started =
        new Thread(
            () -> {
              try {
                run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    started.setDaemon(true);
    started.start();
    thread = started;
  }

  /** Returns when all is written, or the moment is over. */
  @Override
  public final void stop() throws InterruptedException {
    stopping.countDown();
    if (thread != null) {
      thread.join(lastMoment.toMillis());
    }
  }
}
