package io.memorygateway.memory.api;

import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.memory.IdempotentWrites;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.MessagePages;
import io.memorygateway.memory.StorageLimit;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.Observations;
import io.memorygateway.search.Search;
import java.time.Clock;
import java.util.List;

/** Wires the resources of {@code /v1/memory}. */
public final class MemoryApi {
  private MemoryApi() {}

  /** Serves the memory API on the application port. */
  public static void install(
      MemoryModule memory,
      ContextSettings context,
      Search search,
      ConnectionShares shares,
      Clock clock,
      JerseyEnvironment jersey) {
    jersey.register(QueryFilter.class);
    jersey.register(new AccountFilter(shares));
    resources(memory, context, clock).forEach(jersey::register);
    jersey.register(new SearchResource(search));
  }

  /** The resources of threads and what is in them, without a server. */
  public static List<Object> resources(MemoryModule memory, ContextSettings context, Clock clock) {
    IdempotentWrites writes = memory.writes();
    StorageLimit limit = memory.storageLimit();
    MessagePages pages = memory.messagePages();
    return List.of(
        new ThreadResource(memory.threads(), memory.threadList(), writes, limit),
        new ThreadCloneResource(memory.cloner(), memory.messageBatches()),
        new MessageResource(memory.appends(), memory.messages(), pages, writes, limit),
        new SingleMessageResource(memory.messages(), pages, writes, limit),
        new ObservationResource(new Observations(clock, context), memory.transactions(), writes));
  }
}
