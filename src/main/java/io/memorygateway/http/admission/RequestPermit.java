package io.memorygateway.http.admission;

import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.KeyedPermits;
import io.memorygateway.http.errors.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The permit with which a node works at a request (contract §4), from when it may be counted to its
 * end, without the times in which it waits for its client or for a provider; and its share of what
 * is in flight, with those times.
 */
public final class RequestPermit implements AutoCloseable {
  static final String ATTRIBUTE = RequestPermit.class.getName();

  private static final RequestPermit NONE = new RequestPermit(null, null);

  private final @Nullable KeyedPermits permits;
  private final @Nullable CallerShares inFlight;
  private CallerShares.@Nullable Held share;
  private CallerShares.@Nullable Held connection;
  private KeyedPermits.@Nullable Permit held;

  /** Creates one that is not acquired yet; null for requests that need none. */
  RequestPermit(@Nullable KeyedPermits permits, @Nullable CallerShares inFlight) {
    this.permits = permits;
    this.inFlight = inFlight;
  }

  /** Returns the permit of a request; one that is always granted if the request needs none. */
  public static RequestPermit of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof RequestPermit permit ? permit : NONE;
  }

  /**
   * Takes a share of what is in flight and waits for the permit, in the queue of the caller's key.
   *
   * @throws ApiException 503 if the caller has no share left, or the node does not come to the
   *     request in time
   */
  public void acquire(long keyId, long projectId) {
    if (permits == null || inFlight == null) {
      return;
    }
    share = inFlight.open(keyId, projectId);
    CallerShares.Full full = share.acquire();
    if (full != null) {
      throw ApiException.unavailable(message(full), 1);
    }
    held = permits.acquire(keyId);
    if (held == null) {
      throw ApiException.unavailable(
          "This node has more requests than it can serve; try again.", 1);
    }
  }

  /**
   * Has the share of a connection to a provider closed at the end of the request at the latest,
   * whatever becomes of its response.
   */
  public void closes(CallerShares.Held ofConnection) {
    if (permits != null) {
      connection = ofConnection;
    }
  }

  private static String message(CallerShares.Full full) {
    return switch (full) {
      case KEY -> "This key has as many requests in flight as one key may have; try again.";
      case PROJECT ->
          "This project has as many requests in flight as one project may have; try again.";
      case ALL -> "This node has as many requests in flight as it may have; try again.";
    };
  }

  /** Lets another request be worked at while this one waits for its client or a provider. */
  public void pause() {
    if (held != null) {
      held.pause();
    }
  }

  /** Waits until the request may be worked at again. */
  public void resume() {
    if (held != null) {
      held.resume();
    }
  }

  @Override
  public void close() {
    if (held != null) {
      held.close();
    }
    if (share != null) {
      share.close();
    }
    if (connection != null) {
      connection.close();
    }
  }
}
