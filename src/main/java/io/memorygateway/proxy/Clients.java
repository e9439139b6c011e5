package io.memorygateway.proxy;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.proxy.route.ProviderConfiguration;
import io.memorygateway.proxy.upstream.StreamScheduler;
import io.memorygateway.proxy.upstream.Upstream;
import java.time.Duration;
import java.util.Map;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/** Maker of the HTTP clients of providers; what they share starts before them and ends after. */
final class Clients implements Managed {
  private final QueuedThreadPool executor;
  private final ScheduledExecutorScheduler scheduler =
      new ScheduledExecutorScheduler("upstream-scheduler", true);
  private final StreamScheduler streams =
      new StreamScheduler(Runtime.getRuntime().availableProcessors(), System::nanoTime);
  private final Duration maxWait;
  private final Map<String, String> variables;

  /**
   * @param providers number of them
   * @param maxWait longest wait of a call for a connection
   * @param variables of the environment, which may name proxies
   */
  Clients(int providers, Duration maxWait, Map<String, String> variables) {
    // It only parses and hands over; the threads of the requests do the waiting.
    executor =
        new QueuedThreadPool(
            Math.max(8, 2 * Runtime.getRuntime().availableProcessors() + providers));
    executor.setName("upstream");
    executor.setDaemon(true);
    this.maxWait = maxWait;
    this.variables = variables;
  }

  @Override
  public void start() throws Exception {
    executor.start();
    scheduler.start();
    streams.start();
  }

  @Override
  public void stop() throws Exception {
    streams.stop();
    scheduler.stop();
    executor.stop();
  }

  Upstream of(ProviderConfiguration provider) {
    return new Upstream(
        provider.way(variables), provider.limits(), maxWait, executor, scheduler, streams);
  }
}
