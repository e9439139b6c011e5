package io.memorygateway.ratelimit.window;

import org.jspecify.annotations.Nullable;

/**
 * The callers' side of a lane, which decides for its share of the keys: by a reserved permit, by
 * the cache, by a batch of its {@link LaneWorker}, or without the database, whichever comes first.
 * All of it runs in the threads of the callers.
 */
final class Lane {
  private final RequestQueue queue;
  private final LaneState state;
  private final Reservations reservations;
  private final WindowCache cache;
  private final WindowMetrics metrics;
  private final long patienceNanos;

  /**
   * The callers' side of a queue.
   *
   * @param patienceNanos the longest that a request waits; longer than the database may take to
   *     answer, so that one which is lost is noticed before
   */
  Lane(
      RequestQueue queue,
      LaneState state,
      Reservations reservations,
      WindowCache cache,
      WindowMetrics metrics,
      long patienceNanos) {
    this.queue = queue;
    this.state = state;
    this.reservations = reservations;
    this.cache = cache;
    this.metrics = metrics;
    this.patienceNanos = patienceNanos;
  }

  boolean isShared() {
    return state.isShared();
  }

  /** Decides one request of a key, within the caller's patience. */
  Decision decide(long keyId, RequestKind kind, long[] limits) {
    Decision reserved = state.isShared() ? reservations.take(keyId, kind, limits) : null;
    if (reserved != null) {
      return reserved;
    }
    Decision refused = cache.refused(keyId, kind, limits);
    if (refused != null) {
      return refused;
    }
    while (true) {
      Decision decision =
          state.isShared() ? awaitBatch(new PermitRequest(keyId, kind, limits)) : null;
      if (decision == null) {
        decision = state.decideLocally(keyId, kind, limits);
      }
      if (decision != null) {
        return decision;
      }
      // The shared windows came back in between.
      Thread.onSpinWait();
    }
  }

  private @Nullable Decision awaitBatch(PermitRequest request) {
    queue.add(request);
    if (!state.isShared()) {
      // The worker may have emptied the queue already, and not look at it again for long.
      request.release();
    }
    Decision decision = request.await(patienceNanos);
    if (decision == null && request.isTimedOut()) {
      // The database is slow, or this node is short of processors: no reason to count alone.
      metrics.timedOut();
      return Decision.UNAVAILABLE;
    }
    return decision;
  }
}
