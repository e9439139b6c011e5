package io.memorygateway.observation;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.concurrent.HeapBudget;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Puts the observer together. */
public final class ObservationModule {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private ObservationModule() {}

  /**
   * What observes; {@link ObservationWorkers#start()} begins the work.
   *
   * @param client null if there is none to ask
   * @param pace of all the threads together
   * @param heap where it is reserved for messages; null if it is not bounded
   * @param executor for what is done from time to time
   */
  static ObservationWorkers create(
      ObservationSettings settings,
      Jdbi jdbi,
      Transaction transaction,
      @Nullable ModelClient client,
      Pace pace,
      @Nullable HeapBudget heap,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry,
      ScheduledExecutorService executor) {
    ObservationMetrics metrics = new ObservationMetrics(registry);
    TokenCounter counter = new TokenCounter();
    ObservationSettings.Model model = settings.modelToAsk();
    ModelObserver modelObserver =
        model == null || client == null
            ? null
            : new ModelObserver(
                new PatientModelClient(
                    client, settings.attempts(), FIRST_PAUSE, settings.calls(), metrics, random),
                model,
                counter,
                random);
    ObserverChain observers =
        new ObserverChain(modelObserver, counter, SignalWords.load(), pace, metrics);
    Leases leases = new Leases(jdbi, clock, random, settings.leaseTime());
    Guard guard = new Guard(transaction);
    RecordConfig config = new RecordConfig(model == null ? null : model.name());
    ObservationCommits commits =
        new ObservationCommits(
            guard, counter, config, metrics, clock, random, leases.leaseMillis());
    ThreadObserver observer =
        new ThreadObserver(
            jdbi,
            guard,
            new TailReader(counter, pace),
            new Observing(observers, commits, counter),
            new Reflecting(observers, guard, commits, counter, config, metrics),
            settings,
            pace,
            heap);
    return new ObservationWorkers(
        settings.threads(), settings.poll(), jdbi, leases, observer, metrics, pace, executor);
  }

  /** Lets this node observe from its start to its end. */
  public static void install(
      ObservationSettings settings,
      Jdbi jdbi,
      Transaction transaction,
      ModelClient client,
      HeapBudget heap,
      Clock clock,
      PrometheusRegistry registry,
      Environment environment) {
    ObservationWorkers workers =
        create(
            settings,
            jdbi,
            transaction,
            client,
            Pace.ofThisMachine(settings.threads(), settings.leastShare()),
            heap,
            clock,
            new SecureRandom(),
            registry,
            environment.lifecycle().scheduledExecutorService("observer-clock-%d").build());
    environment.lifecycle().manage(workers);
    environment.healthChecks().register("observer", new ObserverHealthCheck(workers::lagSeconds));
  }
}
