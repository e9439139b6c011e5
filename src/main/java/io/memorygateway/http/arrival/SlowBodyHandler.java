package io.memorygateway.http.arrival;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Fails the reading of a body that arrives too slowly, which is answered with 408: each body that
 * is waited for holds a thread. Only the time of waiting for the client counts, not the gateway's
 * own, and bytes count as they arrive, compressed or not. (The connector's minRequestDataPerSecond
 * has no effect in Jetty 12, and its MinimumDataRateHandler checks only when a byte arrives.)
 */
final class SlowBodyHandler extends Handler.Wrapper {
  private final long graceNanos;
  private final double nanosPerByte;
  private final CounterDataPoint givenUp;

  SlowBodyHandler(SlowRequests configuration, CounterDataPoint givenUp) {
    graceNanos = TimeUnit.MILLISECONDS.toNanos(configuration.bodyGrace().toMilliseconds());
    nanosPerByte = 1e9 / configuration.minBodyRate().toBytes();
    this.givenUp = givenUp;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    return super.handle(
        request.getLength() == 0 ? request : new TimedBody(request, response), response, callback);
  }

  /**
   * Request with timed reads. One thread at a time reads it, like every request; the timer is a
   * second one.
   */
  private final class TimedBody extends Request.Wrapper {
    /** Callback of the waiting reader; called by the thread that removes it. */
    private final AtomicReference<@Nullable Runnable> reader = new AtomicReference<>();

    private final Response response;
    private volatile Content.@Nullable Chunk failure;
    private long received;
    private long waitedNanos;

    TimedBody(Request request, Response response) {
      super(request);
      this.response = response;
    }

    @Override
    public Content.@Nullable Chunk read() {
      Content.Chunk failed = failure;
      if (failed != null) {
        return failed;
      }
      Content.Chunk chunk = super.read();
      if (chunk != null) {
        received += chunk.remaining();
      }
      return chunk;
    }

    @Override
    public void demand(Runnable callback) {
      if (failure != null) {
        callback.run();
        return;
      }
      long since = System.nanoTime();
      long left = (long) (graceNanos + received * nanosPerByte) - waitedNanos;
      reader.set(callback);
      Scheduler.Task timer =
          getComponents()
              .getScheduler()
              .schedule(this::abort, Math.max(0, left), TimeUnit.NANOSECONDS);
      super.demand(
          Invocable.from(
              Invocable.getInvocationType(callback),
              () -> {
                Runnable waiting = reader.getAndSet(null);
                if (waiting != null) {
                  timer.cancel();
                  waitedNanos += System.nanoTime() - since;
                  waiting.run();
                }
              }));
    }

    private void abort() {
      Runnable waiting = reader.getAndSet(null);
      if (waiting != null) {
        givenUp.inc();
        if (!response.isCommitted()) {
          // Bytes that are still to arrive would be taken for the next request.
          response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        }
        failure =
            Content.Chunk.from(
                new HttpException.RuntimeException(
                    HttpStatus.REQUEST_TIMEOUT_408, "the body arrives too slowly"),
                true);
        // Run here, not in the executor, whose threads may all be waiting like this one: the
        // callback only wakes the thread that reads.
        waiting.run();
      }
    }
  }
}
