package io.memorygateway.ops;

import io.dropwizard.lifecycle.ServerLifecycleListener;
import io.memorygateway.concurrent.LiveWork;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.ShutdownThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Orderly stop on TERM, before the server stops: report not ready, go on serving for a while, close
 * the port, let calls and streams end. Jetty alone would close the port immediately and cut streams
 * with a pause of more than a second. The server stops everything that requests need after this.
 */
final class OrderlyStop extends AbstractLifeCycle implements ServerLifecycleListener {
  private static final Logger LOGGER = LoggerFactory.getLogger(OrderlyStop.class);
  private static final long POLL_MILLIS = 50;

  /** Time for interrupted calls to report that. */
  private static final Duration INTERRUPTED_CALLS_TIMEOUT = Duration.ofSeconds(2);

  /** Time for calls whose connections were closed to end. */
  private static final long CALL_END_MILLIS = 5000;

  /** Time for Jetty's own stop, which has nothing left to wait for. */
  private static final long JETTY_STOP_MILLIS = 1000;

  private final ShutdownConfiguration configuration;
  private final Drain drain;
  private final LiveWork calls;
  private final InstantSource clock;
  private volatile @Nullable ApplicationPort port;
  private volatile @Nullable Server server;

  OrderlyStop(
      ShutdownConfiguration configuration, Drain drain, LiveWork calls, InstantSource clock) {
    this.configuration = configuration;
    this.drain = drain;
    this.calls = calls;
    this.clock = clock;
  }

  @Override
  public void serverStarted(Server started) {
    server = started;
    port = new ApplicationPort(started);
    LifeCycle.start(this);
    // Before Jetty's own, which closes the port.
    ShutdownThread.register(0, this);
    started.addEventListener(
        new Listener() {
          @Override
          public void lifeCycleStopped(LifeCycle event) {
            ShutdownThread.deregister(OrderlyStop.this);
          }
        });
  }

  int connections() {
    ApplicationPort open = port;
    return open == null ? 0 : open.connections();
  }

  @Override
  protected void doStop() throws InterruptedException {
    ApplicationPort open = port;
    Server stopping = server;
    if (open == null || stopping == null) {
      return;
    }
    Duration delay =
        configuration
            .readinessDelay()
            .toJavaDuration()
            .minus(Duration.between(drain.begin(), clock.instant()));
    LOGGER.info("Stopping: not ready any more; the port closes in {} ms", millis(delay));
    Thread.sleep(millis(delay));

    open.refuseConnections();
    int left = awaitNoConnections(open, configuration.gracePeriod().toJavaDuration());
    if (left > 0) {
      LOGGER.warn("Stopping: {} connections are cut, the grace period is over", left);
      // Clients that still read are told.
      calls.interruptAll();
      awaitNoConnections(open, INTERRUPTED_CALLS_TIMEOUT);
      open.closeConnections();
      awaitRequests(stopping);
    } else {
      LOGGER.info("Stopping: all calls have ended");
    }
    stopping.setStopTimeout(JETTY_STOP_MILLIS);
  }

  /** Waits for the connections to end; returns how many are left when the time is over. */
  private static int awaitNoConnections(ApplicationPort port, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (port.connections() > 0 && System.nanoTime() < deadline) {
      port.closeIdleConnections();
      Thread.sleep(POLL_MILLIS);
    }
    return port.connections();
  }

  /**
   * Waits for requests to end: what they received is still to be stored, and the database is about
   * to be closed.
   */
  private static void awaitRequests(Server server) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CALL_END_MILLIS);
    while (server.getHandler() instanceof GracefulHandler requests
        && requests.getCurrentRequestCount() > 0
        && System.nanoTime() < deadline) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static long millis(Duration duration) {
    return Math.max(0, duration.toMillis());
  }
}
