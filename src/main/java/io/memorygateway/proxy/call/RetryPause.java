package io.memorygateway.proxy.call;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.http.arrival.ClientWatch;
import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A pause before the next attempt, which ends when the client leaves or this node stops. */
final class RetryPause {
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable Kind> why = new AtomicReference<>();

  /**
   * Waits.
   *
   * @return why the wait was interrupted; null if the time is over
   */
  @Nullable Kind await(Duration length, HttpServletRequest client, LiveWork live) {
    Runnable stop = () -> end(Kind.STOPPED);
    live.begin(stop);
    try (ClientWatch watch = new ClientWatch(client, () -> end(Kind.CANCELLED))) {
      watch.arm();
      return ended.await(length.toMillis(), TimeUnit.MILLISECONDS) ? why.get() : null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Kind.STOPPED;
    } finally {
      live.end(stop);
    }
  }

  private void end(Kind cause) {
    why.compareAndSet(null, cause);
    ended.countDown();
  }
}
