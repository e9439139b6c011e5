package io.memorygateway.admin;

import io.memorygateway.http.ApiException;
import io.memorygateway.operator.AdminCaller;
import org.jspecify.annotations.Nullable;

/** One way to tell who sends a request. */
interface AdminAuthenticator {

  /** Asked before anything costly is done for credentials that are not known to be good. */
  interface Throttle {
    /** Lets it be done. */
    void admit() throws ApiException;
  }

  /**
   * Tells who it is.
   *
   * @return null if the request has no credentials of this kind
   * @throws LoginRefusedException if they are not good
   * @throws ApiException 429 or 503 if they cannot be looked at now
   */
  @Nullable AdminCaller authenticate(Credentials credentials, Throttle throttle)
      throws LoginRefusedException;
}
