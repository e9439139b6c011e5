package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import org.jspecify.annotations.Nullable;

/**
 * The callers' side of a lane, which decides for its share of the keys: by a reserved permit, by
 * the cache, by a batch of its {@link LaneWorker}, or without the database, whichever comes first.
 * Runs in the threads of the callers.
 *
 * @param timeoutNanos longest wait of a request; longer than the database's timeout, so that a lost
 *     database is noticed before
 */
record Lane(
    RequestQueue queue,
    LaneState state,
    Reservations reservations,
    WindowCache cache,
    WindowMetrics metrics,
    long timeoutNanos) {
  boolean isShared() {
    return state.isShared();
  }

  /** Decides one request of a key, waiting at most for {@code timeoutNanos}. */
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
      // The lane returned to the shared windows in between.
      Thread.onSpinWait();
    }
  }

  private @Nullable Decision awaitBatch(PermitRequest request) {
    queue.add(request);
    if (!state.isShared()) {
      // The worker may have emptied the queue already, and not poll it again for long.
      request.release();
    }
    Decision decision = request.await(timeoutNanos);
    if (decision == null && request.isTimedOut()) {
      // The database is slow, or this node lacks processor time: no reason to count alone.
      metrics.timedOut();
      return Decision.UNAVAILABLE;
    }
    return decision;
  }
}
