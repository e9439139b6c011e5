package io.memorygateway.memory;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.LockWaits;
import io.memorygateway.database.Transactions;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.observation.Observations;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;

/**
 * The memory API and what it is made of.
 *
 * @param transactions for whoever works on threads and messages besides, as turns of proxied calls
 * @param resources of {@code /v1/memory}
 */
public record MemoryModule(
    Transactions transactions,
    Threads threads,
    Messages messages,
    Appends appends,
    TurnClaims turnClaims,
    StorageLimit storageLimit,
    List<Object> resources) {

  /** As those of the pool in config.yml. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  private static final Duration CLEANED_EVERY = Duration.ofMinutes(5);

  /** Clients and proxies in between rarely wait longer. */
  private static final Duration LONGEST_COPY = Duration.ofSeconds(50);

  private static final Duration REMOVED_EVERY = Duration.ofSeconds(2);

  public MemoryModule {
    resources = List.copyOf(resources);
  }

  public static MemoryModule create(
      ObservationSettings observation,
      Jdbi jdbi,
      ConnectionSource connections,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry) {
    return create(
        observation,
        LimitsConfiguration.defaults(),
        new Transactions(jdbi, random, registry),
        connections,
        clock,
        random,
        registry);
  }

  private static MemoryModule create(
      ObservationSettings observation,
      LimitsConfiguration limits,
      Transactions transactions,
      ConnectionSource connections,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry) {
    Threads threads = new Threads(transactions, clock, random, observation.firstLook());
    Messages messages = new Messages(threads);
    IdempotentWrites writes = new IdempotentWrites(transactions, clock, registry);
    Appends appends = new Appends(transactions, threads, messages, writes, connections);
    StorageLimit limit = StorageLimit.of(limits, transactions, registry);
    Observations observations = new Observations(clock, observation);
    return new MemoryModule(
        transactions,
        threads,
        messages,
        appends,
        new TurnClaims(transactions, threads, clock),
        limit,
        List.of(
            new ThreadResource(threads, new ThreadList(transactions), writes, limit),
            new ThreadCloneResource(
                new ThreadClones(threads),
                new ThreadCopies(transactions, threads, LONGEST_COPY),
                new ClonedMessages(transactions),
                writes,
                limit),
            new MessageResource(appends, messages, new MessagePages(transactions), writes, limit),
            new SingleMessageResource(messages, new MessageLookup(transactions), writes, limit),
            new ObservationResource(observations, transactions, writes)));
  }

  /** Serves the memory API on the application port. */
  public static MemoryModule install(
      ObservationSettings observation,
      LimitsConfiguration limits,
      DataSourceFactory database,
      Jdbi jdbi,
      Clock clock,
      PrometheusRegistry registry,
      Environment environment) {
    DatabaseAddress address = DatabaseAddress.of(database);
    RandomGenerator random = new SecureRandom();
    LockWaits lockWaits = new LockWaits(registry, System::nanoTime);
    ConnectionShares shares = new ConnectionShares(database.getMaxSize(), registry);
    MemoryModule module =
        create(
            observation,
            limits,
            new Transactions(jdbi, random, shares, lockWaits, registry),
            () -> address.connect(CONNECT_TIMEOUT, Transactions.ANSWER_TIMEOUT),
            clock,
            random,
            registry);
    environment.healthChecks().register("locks", lockWaits);
    environment.jersey().register(QueryFilter.class);
    environment.jersey().register(new AccountFilter(shares));
    module.resources().forEach(environment.jersey()::register);
    environment.lifecycle().manage(onStop(module.appends::close));
    module.turnClaims().install(environment.lifecycle());
    Cleaner.install(
        environment.lifecycle(),
        "turn-claims",
        CLEANED_EVERY,
        module.turnClaims()::removeAbandoned);
    Cleaner.install(
        environment.lifecycle(),
        "idempotency-keys",
        CLEANED_EVERY,
        () -> OldIdempotencyKeys.remove(jdbi, clock.instant()));
    Cleaner.install(
        environment.lifecycle(),
        "former-messages",
        CLEANED_EVERY,
        () -> OldFormerMessages.remove(jdbi, clock.instant()));
    RemovedThreads.Remover remover = new RemovedThreads.Remover(jdbi, registry);
    Cleaner.install(environment.lifecycle(), "removed-threads", REMOVED_EVERY, remover::run);
    return module;
  }

  private static Managed onStop(Runnable work) {
    return new Managed() {
      @Override
      public void stop() {
        work.run();
      }
    };
  }
}
