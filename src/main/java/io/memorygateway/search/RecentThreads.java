package io.memorygateway.search;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The threads of resources that changed last, kept for some seconds, so that a call reads those
 * alone that changed since. What was changed by a node whose clock lags, shared again or imported
 * is seen within these seconds. Threads that were deleted or became private may be among them:
 * {@link SearchStatements#rows} leaves them out.
 */
final class RecentThreads {
  /** The most threads of a resource. */
  static final int MAX_THREADS = 256;

  private static final Duration KEPT = Duration.ofSeconds(10);

  /** How long a change may take to be committed, and how far the clocks of nodes may differ. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private static final long MAX_BYTES = 16 << 20;
  private static final int BYTES_OF_RESOURCE = 300;
  private static final int BYTES_OF_THREAD = 200;

  private final Transactions transactions;
  private final InstantSource clock;
  private final Cache<Resource, Kept> kept =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MAX_BYTES)
          .weigher((Resource resource, Kept threads) -> bytes(resource, threads.threads))
          .build();

  RecentThreads(Transactions transactions, InstantSource clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  private record Resource(long project, String id) {}

  /**
   * The threads of a resource.
   *
   * @param since later changes may be missing
   * @param until they are read anew
   */
  private record Kept(List<ThreadScope> threads, Instant since, Instant until) {
    /** These and those that changed since, read at a time. */
    Kept with(List<ThreadScope> changed, Instant now) {
      if (changed.isEmpty()) {
        return this;
      }
      Map<Long, ThreadScope> all = new LinkedHashMap<>();
      changed.forEach(thread -> all.put(thread.id(), thread));
      threads.forEach(thread -> all.putIfAbsent(thread.id(), thread));
      Instant last = changed.get(0).updatedAt();
      Instant read = (last.isBefore(now) ? last : now).minus(MARGIN);
      return new Kept(
          all.values().stream().limit(MAX_THREADS).toList(),
          read.isAfter(since) ? read : since,
          until);
    }
  }

  /** The threads of a resource, those that changed last first. */
  List<ThreadScope> of(long project, String resource) {
    Resource key = new Resource(project, resource);
    Instant now = clock.instant();
    Kept before = kept.getIfPresent(key);
    if (before == null || before.until.isBefore(now)) {
      before = new Kept(List.of(), Instant.EPOCH, now.plus(KEPT));
    }
    Kept read = before.with(changed(key, before.since), now);
    if (!read.threads.isEmpty()) {
      kept.put(key, read);
    }
    return read.threads;
  }

  /** Has the threads of a resource be read anew. */
  void forget(long project, String resource) {
    kept.invalidate(new Resource(project, resource));
  }

  private List<ThreadScope> changed(Resource resource, Instant since) {
    return transactions.read(
        handle ->
            SearchStatements.shared(handle, resource.project, resource.id, since, MAX_THREADS));
  }

  private static int bytes(Resource resource, List<ThreadScope> threads) {
    return BYTES_OF_RESOURCE
        + 2 * resource.id.length()
        + threads.stream().mapToInt(each -> BYTES_OF_THREAD + 2 * each.publicId().length()).sum();
  }
}
