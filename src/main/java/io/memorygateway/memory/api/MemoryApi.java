package io.memorygateway.memory.api;

import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.observation.Observations;
import java.util.List;

/** Wires the resources of {@code /v1/memory}. */
public final class MemoryApi {
  private MemoryApi() {}

  /** Serves the memory API on the application port. */
  public static void install(
      MemoryModule memory,
      Observations observations,
      ThreadViews views,
      SearchView search,
      ConnectionShares shares,
      JerseyEnvironment jersey) {
    jersey.register(QueryFilter.class);
    jersey.register(new AccountFilter(shares));
    resources(memory, observations, views).forEach(jersey::register);
    jersey.register(new SearchResource(search));
  }

  /** The resources of threads and their contents, without a server. */
  public static List<Object> resources(
      MemoryModule memory, Observations observations, ThreadViews views) {
    IdempotentWrites writes = memory.writes();
    StorageLimit limit = memory.storageLimit();
    return List.of(
        new ThreadResource(views, memory.threads(), writes, limit),
        new ThreadCloneResource(memory.cloner(), memory.messageBatches()),
        new MessageResource(views, memory.appends(), memory.messages(), writes, limit),
        new SingleMessageResource(memory.messages(), memory.messagePages(), writes, limit),
        new ObservationResource(views, observations, writes),
        new ResourceObservationResource(views));
  }
}
