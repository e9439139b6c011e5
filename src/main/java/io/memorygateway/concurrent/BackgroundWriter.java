package io.memorygateway.concurrent;

import io.dropwizard.lifecycle.Managed;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that writes queued work as long as the node runs, with a limited time for the rest of it
 * when the node stops.
 */
public abstract class BackgroundWriter implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(BackgroundWriter.class);
  private static final long PAUSE_MILLIS = 1000;

  private final String name;
  private final Duration lastMoment;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Thread thread;

  protected BackgroundWriter(String name, Duration lastMoment) {
    this.name = name;
    this.lastMoment = lastMoment;
  }

  /** Writes until the node stops; is called again, after a pause, if it throws. */
  protected abstract void run() throws InterruptedException;

  /** Waits; returns true, immediately, when the node stops. */
  protected final boolean stopsWithin(long millis) throws InterruptedException {
    return stopping.await(millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public final void start() {
    Thread started =
        DaemonThreads.named(name)
            .newThread(
                () -> {
                  try {
                    runRepeatedly();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    started.start();
    thread = started;
  }

  /**
   * Calls {@link #run} again after a failure, so that a defect costs one batch and not all later
   * ones.
   */
  private void runRepeatedly() throws InterruptedException {
    boolean stops = false;
    while (!stops) {
      try {
        run();
        return;
      } catch (RuntimeException | StackOverflowError e) {
        // The pause bounds how often this is logged.
        LOGGER.error("{} met a defect and goes on", name, e);
      }
      stops = stopsWithin(PAUSE_MILLIS);
    }
  }

  /** Lets the thread write what is left, and end. */
  public final void end() {
    stopping.countDown();
  }

  /** Stops the thread; returns when everything is written, or the time is over. */
  @Override
  public final void stop() throws InterruptedException {
    end();
    if (thread != null) {
      thread.join(lastMoment.toMillis());
    }
  }
}
