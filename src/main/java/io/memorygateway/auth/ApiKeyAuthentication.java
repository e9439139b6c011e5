package io.memorygateway.auth;

import com.google.common.net.InetAddresses;
import io.memorygateway.auth.AuthMetrics.Refusal;
import io.memorygateway.http.admission.Admission;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Admission of requests with a valid key (contract §2). It sets the caller as an attribute of the
 * request.
 */
public final class ApiKeyAuthentication implements Admission {
  private final ApiKeyVerifier verifier;
  private final FailedAttempts failedAttempts;
  private final LookUpThrottle throttle;
  private final TrustedProxies proxies;
  private final AuthMetrics metrics;

  ApiKeyAuthentication(
      ApiKeyVerifier verifier,
      LookUpThrottle throttle,
      TrustedProxies proxies,
      AuthMetrics metrics) {
    this.verifier = verifier;
    this.throttle = throttle;
    this.failedAttempts = throttle.failedAttempts();
    this.proxies = proxies;
    this.metrics = metrics;
  }

  @Override
  public void admit(HttpServletRequest request, String path) {
    PresentedKey presented = PresentedKey.of(request::getHeader);
    if (presented == null) {
      ApiError error = Refusals.withoutGatewayKey(request::getHeader);
      if (request.getMethod().equals("OPTIONS")) {
        // A browser asks for a page of an origin that is not allowed: nobody tries keys.
        metrics.refused(Refusal.MISSING);
        throw new ApiException(error);
      }
      throw refused(request, path, Refusal.MISSING, error);
    }
    RequestNotes notes = RequestNotes.of(request);
    long asked = System.nanoTime();
    Caller caller = verify(request, path, presented);
    notes.waitedForAdmission(System.nanoTime() - asked);
    if (caller == null) {
      throw refused(request, path, Refusal.INVALID, Refusals.invalid());
    }
    if (presented.passThrough()) {
      ProviderKey providerKey = ProviderKey.of(request::getHeader);
      if (providerKey != null) {
        request.setAttribute(ProviderKey.PROPERTY, providerKey);
      }
    }
    request.setAttribute(Caller.PROPERTY, caller);
    notes.caller(caller.projectName(), caller.prefix());
    if (request.getAttribute(RequestReservation.ATTRIBUTE)
        instanceof RequestReservation reservation) {
      reservation.heldBy(caller.keyId());
    }
  }

  private @Nullable Caller verify(HttpServletRequest request, String path, PresentedKey presented) {
    try {
      return verifier.verify(
          presented.secret(),
          () -> {
            long wait = throttle.waitBeforeLookUp(address(request), presented.secret());
            if (wait > 0) {
              throw throttled(request, path, wait);
            }
          });
    } catch (ApiException e) {
      if (e.error().status() == 503) {
        metrics.refused(Refusal.UNAVAILABLE);
      }
      throw e;
    }
  }

  private ApiException refused(
      HttpServletRequest request, String path, Refusal why, ApiError error) {
    long wait = failedAttempts.countAndGetWait(address(request));
    if (wait > 0) {
      return throttled(request, path, wait);
    }
    metrics.refused(why);
    return new ApiException(error);
  }

  private String address(HttpServletRequest request) {
    InetAddress client = proxies.isEmpty() ? null : proxies.client(request);
    return client == null ? request.getRemoteAddr() : InetAddresses.toAddrString(client);
  }

  private ApiException throttled(HttpServletRequest request, String path, long wait) {
    metrics.refused(Refusal.THROTTLED);
    String scope = RequestKind.of(request.getMethod(), path).scope();
    return new ApiException(ApiError.rateLimited("Too many failed authentications.", scope, wait));
  }
}
