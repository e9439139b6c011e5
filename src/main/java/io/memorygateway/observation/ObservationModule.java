package io.memorygateway.observation;

import com.codahale.metrics.health.HealthCheck;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.database.Transactions;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.ModelObserver;
import io.memorygateway.observation.text.ObserverChain;
import io.memorygateway.observation.text.TokenCounter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Wires the observer. */
public final class ObservationModule {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private ObservationModule() {}

  /**
   * Creates the workers; {@link ObservationWorkers#start()} begins the work.
   *
   * @param context decides which threads give to their resource, and how much
   * @param client null if there is no model to ask
   * @param throttle shared by all worker threads
   * @param heap in which heap is reserved for messages; null if it is not bounded
   * @param executor runs periodic work
   */
  static ObservationWorkers create(
      ObservationSettings settings,
      ContextSettings context,
      Jdbi jdbi,
      Transactions transactions,
      @Nullable ModelClient client,
      BackgroundThrottle throttle,
      @Nullable HeapBudget heap,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry,
      ScheduledExecutorService executor) {
    ObservationMetrics metrics = new ObservationMetrics(registry);
    TokenCounter counter = new TokenCounter();
    String model = settings.model();
    ModelObserver modelObserver =
        model == null || client == null
            ? null
            : new ModelObserver(
                new RetryingModelClient(
                    client,
                    settings.callAttempts(),
                    FIRST_PAUSE,
                    settings.parallelCalls(),
                    metrics,
                    random),
                model,
                settings.maxOutputTokens(),
                settings.callTimeout().toJavaDuration(),
                settings.images(),
                counter,
                random);
    ObserverChain observers =
        new ObserverChain(
            modelObserver,
            counter,
            settings.extractiveShare(),
            throttle::rest,
            metrics::modelFailed);
    HomeLanes lanes =
        transactions.lanes("observer-leases", "Leases of observers could not be prolonged");
    Leases leases = new Leases(jdbi, clock, random, lanes);
    LeaseGuard guard = new LeaseGuard(transactions);
    RecordConfig config = new RecordConfig(model);
    ObservationCommits commits =
        new ObservationCommits(guard, counter, config, metrics, clock, random);
    ThreadObserver observer =
        new ThreadObserver(
            jdbi,
            guard,
            new UnobservedMessagesReader(counter, throttle),
            new MessageObservation(observers, commits, counter),
            new LogReflection(observers, guard, commits, counter, config, metrics),
            new ResourceReflection(
                jdbi, observers, guard, commits, counter, context, config, metrics),
            context,
            throttle,
            heap);
    return new ObservationWorkers(
        settings.workers(),
        settings.pollInterval().toJavaDuration(),
        jdbi,
        leases,
        observer,
        metrics,
        throttle,
        executor);
  }

  /** Starts and stops the observer with this node. */
  public static void install(
      ObservationSettings settings,
      ContextSettings context,
      Jdbi jdbi,
      Transactions transactions,
      ModelClient client,
      HeapBudget heap,
      Clock clock,
      PrometheusRegistry registry,
      Environment environment) {
    ObservationWorkers workers =
        create(
            settings,
            context,
            jdbi,
            transactions,
            client,
            BackgroundThrottle.ofThisMachine(settings.workers(), settings.minShare()),
            heap,
            clock,
            new SecureRandom(),
            registry,
            environment.lifecycle().scheduledExecutorService("observer-clock-%d", true).build());
    environment.lifecycle().manage(workers);
    environment
        .healthChecks()
        .register(
            "observer",
            new HealthCheck() {
              // Always healthy: callers do not wait for observers.
              @Override
              protected Result check() {
                double lag = workers.lagSeconds();
                return Result.healthy(
                    lag == 0
                        ? "nothing waits to be observed"
                        : String.format(Locale.ROOT, "a thread has been waiting for %.0f s", lag));
              }
            });
  }
}
