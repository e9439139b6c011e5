package io.memorygateway.memory.api;

import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.IdempotentWrites;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.MessageLookup;
import io.memorygateway.memory.MessagePages;
import io.memorygateway.memory.StorageLimit;
import io.memorygateway.memory.ThreadClones;
import io.memorygateway.memory.ThreadCopies;
import io.memorygateway.memory.ThreadList;
import io.memorygateway.memory.Threads;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.observation.Observations;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Wires the resources of {@code /v1/memory}. */
public final class MemoryApi {
  /** Clients and proxies in between rarely wait longer. */
  private static final Duration LONGEST_COPY = Duration.ofSeconds(50);

  private MemoryApi() {}

  /** Serves the memory API on the application port. */
  public static void install(
      MemoryModule memory,
      ObservationSettings observation,
      ConnectionShares shares,
      Clock clock,
      JerseyEnvironment jersey) {
    jersey.register(QueryFilter.class);
    jersey.register(new AccountFilter(shares));
    resources(memory, observation, clock).forEach(jersey::register);
  }

  /** The resources, without a server. */
  public static List<Object> resources(
      MemoryModule memory, ObservationSettings observation, Clock clock) {
    Transactions transactions = memory.transactions();
    Threads threads = memory.threads();
    IdempotentWrites writes = memory.writes();
    StorageLimit limit = memory.storageLimit();
    return List.of(
        new ThreadResource(threads, new ThreadList(transactions), writes, limit),
        new ThreadCloneResource(
            new ThreadClones(threads),
            new ThreadCopies(transactions, threads, LONGEST_COPY),
            new ClonedMessages(transactions),
            writes,
            limit),
        new MessageResource(
            memory.appends(), memory.messages(), new MessagePages(transactions), writes, limit),
        new SingleMessageResource(
            memory.messages(), new MessageLookup(transactions), writes, limit),
        new ObservationResource(new Observations(clock, observation), transactions, writes));
  }
}
