package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Health check that answers within a time limit, whatever it waits for. It runs on a separate
 * thread, once at a time: calls made while it hangs do not queue behind it.
 */
final class BoundedHealthCheck extends HealthCheck {
  private final ThreadFactory threads;
  private final Supplier<Result> check;
  private final Duration limit;
  private @Nullable CompletableFuture<Result> running;

  BoundedHealthCheck(String threadName, Supplier<Result> check, Duration limit) {
    this.threads = DaemonThreads.named(threadName);
    this.check = check;
    this.limit = limit;
  }

  @Override
  protected Result check() throws InterruptedException, ExecutionException {
    try {
      return run().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return Result.unhealthy("the database does not answer within " + limit.toMillis() + " ms");
    }
  }

  private synchronized CompletableFuture<Result> run() {
    if (running == null || running.isDone()) {
      running =
          CompletableFuture.supplyAsync(check, work -> DaemonThreads.start(threads.newThread(work)))
              .exceptionally(e -> Result.unhealthy(Objects.requireNonNullElse(e.getCause(), e)));
    }
    return running;
  }
}
