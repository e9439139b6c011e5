package io.memorygateway.memory;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.limit.LimitsConfiguration;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.read.MessagePages;
import io.memorygateway.memory.read.ThreadList;
import io.memorygateway.memory.replay.ExpiredIdempotencyKeys;
import io.memorygateway.memory.replay.ExpiredMessageRevisions;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.replay.MessageBatches;
import io.memorygateway.memory.replay.TurnClaims;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.Messages;
import io.memorygateway.memory.write.OrphanedRows;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.memory.write.ThreadCloner;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.observation.ObservationSettings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;

/** Wires threads and messages: for the memory API, and for turns of proxied calls. */
public record MemoryModule(
    Transactions transactions,
    Threads threads,
    ThreadCloner cloner,
    Messages messages,
    Appends appends,
    IdempotentWrites writes,
    TurnClaims turnClaims,
    StorageLimit storageLimit) {

  /** Same as the timeout of the pool in config.yml. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(5);

  private static final Duration REMOVAL_INTERVAL = Duration.ofSeconds(2);

  private static final Duration ORPHANS_INTERVAL = Duration.ofHours(1);

  public ThreadList threadList() {
    return new ThreadList(transactions);
  }

  public MessagePages messagePages() {
    return new MessagePages(transactions);
  }

  public MessageBatches messageBatches() {
    return new MessageBatches(transactions);
  }

  public static MemoryModule create(
      ObservationSettings observation,
      LimitsConfiguration limits,
      Transactions transactions,
      ConnectionSource connections,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry) {
    Threads threads = new Threads(transactions, clock, random, observation.firstCheck());
    Messages messages = new Messages(threads);
    IdempotentWrites writes = new IdempotentWrites(transactions, clock, registry);
    StorageLimit limit = StorageLimit.of(limits, transactions, registry);
    Appends appends = new Appends(transactions, threads, messages, writes, limit, connections);
    return new MemoryModule(
        transactions,
        threads,
        new ThreadCloner(transactions, threads, writes, limit),
        messages,
        appends,
        writes,
        new TurnClaims(transactions, threads::newId, clock),
        limit);
  }

  /**
   * Creates the module and schedules its cleaners.
   *
   * @param shares of the pool's connections
   */
  public static MemoryModule install(
      ObservationSettings observation,
      LimitsConfiguration limits,
      DataSourceFactory database,
      ConnectionShares shares,
      Jdbi jdbi,
      Clock clock,
      PrometheusRegistry registry,
      Environment environment) {
    DatabaseAddress address = DatabaseAddress.of(database);
    RandomGenerator random = new SecureRandom();
    MemoryModule module =
        create(
            observation,
            limits,
            new Transactions(jdbi, random, shares, registry),
            () -> address.connect(CONNECT_TIMEOUT, Transactions.ANSWER_TIMEOUT),
            clock,
            random,
            registry);
    environment.lifecycle().manage(onStop(module.appends::close));
    module.turnClaims().install(environment.lifecycle());
    Cleaner.install(
        environment.lifecycle(),
        "turn-claims",
        CLEANING_INTERVAL,
        module.turnClaims()::removeAbandoned);
    Cleaner.install(
        environment.lifecycle(),
        "idempotency-keys",
        CLEANING_INTERVAL,
        () -> ExpiredIdempotencyKeys.remove(jdbi, clock.instant()));
    Cleaner.install(
        environment.lifecycle(),
        "former-messages",
        CLEANING_INTERVAL,
        () -> ExpiredMessageRevisions.remove(jdbi, clock.instant()));
    Cleaner.install(
        environment.lifecycle(),
        "orphaned-rows",
        ORPHANS_INTERVAL,
        OrphanedRows.work(jdbi, ORPHANS_INTERVAL));
    Cleaner.install(
        environment.lifecycle(),
        "removed-threads",
        REMOVAL_INTERVAL,
        () -> RemovedThreads.removeResting(jdbi));
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
