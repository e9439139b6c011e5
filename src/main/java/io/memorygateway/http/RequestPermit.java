package io.memorygateway.http;

import io.memorygateway.concurrent.KeyedPermits;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The permit with which a node works at a request (contract §4), from when it may be counted to its
 * end, without the times in which it waits for its client or for a provider.
 */
public final class RequestPermit implements AutoCloseable {
  /** Request attribute that holds it. */
  static final String ATTRIBUTE = RequestPermit.class.getName();

  private static final RequestPermit NONE = new RequestPermit(null);

  private final @Nullable KeyedPermits permits;
  private KeyedPermits.@Nullable Permit held;

  /** Creates one that is not acquired yet; null for requests that need none. */
  RequestPermit(@Nullable KeyedPermits permits) {
    this.permits = permits;
  }

  /** Returns the permit of a request; one that is always granted if the request needs none. */
  public static RequestPermit of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof RequestPermit permit ? permit : NONE;
  }

  /**
   * Waits for the permit, in the queue of the caller's key.
   *
   * @throws ApiException 503 if the node does not come to the request in time
   */
  public void acquire(long keyId) {
    if (permits == null) {
      return;
    }
    held = permits.acquire(keyId);
    if (held == null) {
      throw new ApiException(
          ApiError.unavailable("This node has more requests than it can serve; try again.", 1));
    }
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
  }
}
