package io.memorygateway.admin;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.AdminCaller;
import org.jspecify.annotations.Nullable;

/** One way to identify the sender of a request. */
interface AdminAuthenticator {

  /** Check before unknown credentials cause expensive work. */
  interface Throttle {
    /** Permits the work, or throws. */
    void admit() throws ApiException;
  }

  /**
   * Identifies the sender.
   *
   * @return null if the request has no credentials of this kind
   * @throws LoginRefusedException if they are invalid
   * @throws ApiException 429 or 503 if they cannot be checked now
   */
  @Nullable AdminCaller authenticate(Credentials credentials, Throttle throttle)
      throws LoginRefusedException;
}
