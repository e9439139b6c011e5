package io.memorygateway.memory.api;

import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.read.MessagePages;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.Observations;
import io.memorygateway.search.Search;
import java.time.Clock;
import java.util.List;

/** Wires the resources of {@code /v1/memory}. */
public final class MemoryApi {
  private MemoryApi() {}

  /** Resources that other ports use to show threads, by the same rules and in the same format. */
  public record Views(
      ThreadResource threads,
      MessageResource messages,
      ObservationResource observations,
      SearchResource search) {}

  /** Creates resources that are not registered on a server. */
  public static Views views(
      MemoryModule memory, ContextSettings context, Search search, Clock clock) {
    return new Views(
        new ThreadResource(
            memory.threads(), memory.threadList(), memory.writes(), memory.storageLimit()),
        new MessageResource(
            memory.appends(),
            memory.messages(),
            memory.messagePages(),
            memory.writes(),
            memory.storageLimit()),
        new ObservationResource(
            new Observations(clock, context), memory.transactions(), memory.writes()),
        new SearchResource(search));
  }

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

  /** The resources of threads and their contents, without a server. */
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
