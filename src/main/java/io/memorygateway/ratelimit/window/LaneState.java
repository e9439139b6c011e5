package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of a lane: whether the windows in the database decide, or, while that cannot be reached,
 * the node's own as the policy says. A lane begins without the database.
 *
 * <p>{@link #isShared} and {@link #decideLocally} are for any thread, all else for the lane's
 * worker.
 */
final class LaneState {
  private static final Logger LOGGER = LoggerFactory.getLogger(LaneState.class);

  private final RequestQueue queue;
  private final WindowCache cache;
  private final DatabaseClock clock;
  private final WindowMetrics metrics;
  private final StorageFailurePolicy onStorageFailure;
  private final LocalWindows local;
  private volatile boolean shared;

  LaneState(
      RuleSet rules,
      RequestQueue queue,
      WindowCache cache,
      DatabaseClock clock,
      WindowMetrics metrics,
      StorageFailurePolicy onStorageFailure) {
    this.queue = queue;
    this.cache = cache;
    this.clock = clock;
    this.metrics = metrics;
    this.onStorageFailure = onStorageFailure;
    this.local = new LocalWindows(rules);
    local.open();
  }

  boolean isShared() {
    return shared;
  }

  /** Decides without the database; null if the shared windows decide again. */
  @Nullable Decision decideLocally(long keyId, RequestKind kind, long[] limits) {
    return switch (onStorageFailure) {
      case DENY -> shared ? null : Decision.UNAVAILABLE;
      case LOCAL -> local.decide(keyId, kind, limits, clock.earliest(), cache.get(keyId));
    };
  }

  /** Leaves the shared windows because they cannot be reached. */
  void fallBack(String reason) {
    if (leave()) {
      metrics.fellBack();
      LOGGER.warn(
          "Rate limits: the shared windows cannot be reached ({}); now: {}",
          reason,
          onStorageFailure);
    }
  }

  /**
   * Leaves the shared windows and releases the requests that wait for them; returns whether the
   * shared windows decided before.
   */
  boolean leave() {
    boolean left = local.open();
    shared = false;
    queue.releaseAll();
    return left;
  }

  /** Permits to add to the shared windows before {@link #rejoin}, while this node still decides. */
  List<Adjustment> drainLocallyAdmitted() {
    return local.drain(clock.latest());
  }

  /** Takes back permits that could not be added to the shared windows. */
  void restoreLocallyAdmitted(List<Adjustment> admitted) {
    local.restore(admitted);
  }

  /**
   * Lets the shared windows decide from now on.
   *
   * @return permits to add to them before the next batch
   */
  List<Adjustment> rejoin() {
    List<Adjustment> rest = local.close(clock.latest());
    shared = true;
    LOGGER.info("Rate limits: the shared windows decide");
    return rest;
  }
}
