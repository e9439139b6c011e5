package io.memorygateway.search;

import io.memorygateway.http.admission.ClientPresence;
import io.memorygateway.http.admission.DedicatedThreads;
import io.memorygateway.http.errors.ApiException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Runs large searches on dedicated threads, and small ones on the request's own. */
final class ScanThreads {
  /** Bytes that are indexed, or scanned, on the request's own thread. */
  private static final long MAX_INLINE_INDEXED_BYTES = 64 << 10;

  private static final long MAX_INLINE_SCANNED_BYTES = 4 << 20;

  /** Bytes that a recall scans on its own thread: there are few of these threads. */
  private static final long MAX_INLINE_RECALL_BYTES = 10 << 20;

  private static final int MAX_WAITING = 64;

  private final DedicatedThreads threads;

  ScanThreads(int maxThreads, SearchMetrics metrics) {
    this.threads = new DedicatedThreads("search", maxThreads, MAX_WAITING, () -> refusal(metrics));
  }

  private static ApiException refusal(SearchMetrics metrics) {
    metrics.refused();
    return ApiException.unavailable("Too many searches wait at the moment; try again.", 1);
  }

  /**
   * The amount of work of a search.
   *
   * @param key {@code api_keys.id} of the caller
   * @param project {@code projects.id} of the caller
   * @param indexed bytes of content that have to be indexed first
   * @param scanned bytes of content that are searched
   */
  record Size(long key, long project, long indexed, long scanned) {
    /** The size with more bytes to be read first. */
    Size plus(long more) {
      return new Size(key, project, indexed + more, scanned);
    }

    private boolean isSmall(long maxScanned) {
      return indexed <= MAX_INLINE_INDEXED_BYTES && scanned <= maxScanned;
    }
  }

  /** As {@link DedicatedThreads#run}. */
  <T> T run(Size size, ClientPresence client, Supplier<T> work) {
    return size.isSmall(MAX_INLINE_SCANNED_BYTES)
        ? work.get()
        : threads.run(size.key, size.project, client, work);
  }

  /** As {@link DedicatedThreads#runWithin}. */
  <T> Optional<T> runWithin(Duration timeout, Size size, Supplier<T> work) {
    return size.isSmall(MAX_INLINE_RECALL_BYTES)
        ? Optional.of(work.get())
        : threads.runWithin(timeout, size.key, size.project, work);
  }

  void close() {
    threads.close();
  }
}
