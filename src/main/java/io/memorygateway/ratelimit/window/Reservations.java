package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Permits reserved in the shared windows for requests that have not arrived yet ({@code
 * rateLimits.countAhead}).
 *
 * <p>{@link #take} and {@link #held} are for any thread, all else for the lane's worker.
 */
interface Reservations {

  /** Interval in nanoseconds at which the worker checks reservations when no request waits. */
  long CHECK_NANOS = 50_000_000;

  /** The decision on a request for which a permit was reserved; null if it has to be batched. */
  @Nullable Decision take(long keyId, RequestKind kind, long[] limits);

  /** Permits of a key that are reserved and not taken, by rule. */
  long[] held(long keyId);

  /**
   * The rules, a bit each, in whose windows permits of a key are counted that are held, or that
   * {@link #drainUnused} has yet to return.
   */
  int returnable(long keyId);

  boolean isEmpty();

  /** Whether other nodes were told that this one holds permits. */
  boolean isAnnounced();

  /**
   * The next batch: the requests that wait, and the permits to reserve.
   *
   * @return keys ascending
   */
  List<KeyBatch> plan(List<PermitRequest> waiting);

  /**
   * Processes the permits that the database granted of {@link #plan}.
   *
   * @return what is counted by the reply and used by no request of this node, by rule
   */
  long[] granted(KeyBatch batch, Reply reply);

  /** Ends the reservations of keys of which a window is full elsewhere. */
  void recalled(Collection<Long> keys);

  /** What to return to the shared windows; each permit is returned here once. */
  Returned drainUnused();

  /** Ends all reservations; {@link #drainUnused} then has their permits. */
  void release();
}
