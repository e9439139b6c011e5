package io.memorygateway.memory;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.observation.ObservationConfig;
import io.memorygateway.observation.Observations;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;

/**
 * The memory API and what it is made of.
 *
 * @param transactions for whoever works on threads and messages besides
 * @param resources of {@code /v1/memory}
 */
public record MemoryModule(
    Transactions transactions, Threads threads, Messages messages, List<Object> resources) {

  public MemoryModule {
    resources = List.copyOf(resources);
  }

  public static MemoryModule create(
      Jdbi jdbi, Clock clock, RandomGenerator random, PrometheusRegistry registry) {
    Transactions transactions = new Transactions(jdbi, random, registry);
    Threads threads = new Threads(transactions, clock, random);
    Messages messages = new Messages(threads);
    Observations observations = new Observations(clock, ObservationConfig.DEFAULT);
    IdempotentWrites writes = new IdempotentWrites(transactions, clock, registry);
    return new MemoryModule(
        transactions,
        threads,
        messages,
        List.of(
            new ThreadResource(threads, new ThreadList(transactions), writes),
            new ThreadCloneResource(
                new ThreadClones(threads), new ClonedMessages(transactions), writes),
            new MessageResource(messages, new MessagePages(transactions), writes),
            new SingleMessageResource(messages, new MessageLookup(transactions), writes),
            new ObservationResource(observations, transactions, writes)));
  }

  /** Serves the memory API on the application port. */
  public static MemoryModule install(
      Jdbi jdbi,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry,
      Environment environment) {
    MemoryModule module = create(jdbi, clock, random, registry);
    module.resources().forEach(environment.jersey()::register);
    environment
        .lifecycle()
        .manage(
            new IdempotencyKeyCleaner(
                jdbi,
                clock,
                environment.lifecycle().scheduledExecutorService("idempotency-keys-%d").build()));
    return module;
  }
}
