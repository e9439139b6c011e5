package io.memorygateway.auth;

import io.memorygateway.auth.AuthMetrics.Refusal;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.http.LimitScope;
import io.memorygateway.http.RequestNotes;
import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.SecurityContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests with a valid key (contract §2). It runs before a resource is matched, so that
 * unknown paths, too, are answered to authenticated callers only.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION)
public final class ApiKeyAuthFilter implements ContainerRequestFilter {
  private final ApiKeyVerifier verifier;
  private final FailedAttempts failedAttempts;
  private final AuthMetrics metrics;
  private final Set<String> publicPaths;

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  /**
   * Filter of the application port.
   *
   * @param publicPaths paths that need no key, without a leading slash
   */
  ApiKeyAuthFilter(
      ApiKeyVerifier verifier,
      FailedAttempts failedAttempts,
      AuthMetrics metrics,
      Set<String> publicPaths) {
    this.verifier = verifier;
    this.failedAttempts = failedAttempts;
    this.metrics = metrics;
    this.publicPaths = Set.copyOf(publicPaths);
  }

  @Override
  public void filter(ContainerRequestContext request) {
    if (publicPaths.contains(request.getUriInfo().getPath(false)) || isProbe(request)) {
      return;
    }
    MultivaluedMap<String, String> headers = request.getHeaders();
    PresentedKey presented = PresentedKey.of(headers);
    if (presented == null) {
      throw refused(request, Refusal.MISSING, Refusals.withoutGatewayKey(headers));
    }
    RequestNotes notes =
        request.getProperty(RequestNotes.ATTRIBUTE) instanceof RequestNotes found ? found : null;
    long asked = System.nanoTime();
    Caller caller = verify(request, presented);
    if (notes != null) {
      notes.waitedForAdmission(System.nanoTime() - asked);
    }
    if (caller == null) {
      throw refused(request, Refusal.INVALID, Refusals.invalid());
    }
    if (presented.passThrough()) {
      ProviderKey providerKey = ProviderKey.of(headers);
      if (providerKey != null) {
        request.setProperty(ProviderKey.PROPERTY, providerKey);
      }
    }
    request.setProperty(Caller.PROPERTY, caller);
    if (notes != null) {
      notes.caller(caller.projectName(), caller.prefix());
    }
    if (request.getProperty(BodyReservation.ATTRIBUTE) instanceof BodyReservation reservation) {
      reservation.heldBy(caller.keyId());
    }
    request.setSecurityContext(new CallerContext(caller, request.getSecurityContext().isSecure()));
  }

  /** Whether it is a probe: some clients request their base URL without a key. */
  private static boolean isProbe(ContainerRequestContext request) {
    return request.getUriInfo().getPath(false).isEmpty()
        && (request.getMethod().equals("GET") || request.getMethod().equals("HEAD"));
  }

  private @Nullable Caller verify(ContainerRequestContext request, PresentedKey presented) {
    try {
      return verifier.verify(
          presented.secret(),
          () -> {
            long wait = failedAttempts.waitBeforeLookUp(address());
            if (wait > 0) {
              throw throttled(request, wait);
            }
          });
    } catch (ApiException e) {
      if (e.error().status() == 503) {
        metrics.refused(Refusal.UNAVAILABLE);
      }
      throw e;
    }
  }

  private ApiException refused(ContainerRequestContext request, Refusal why, ApiError error) {
    long wait = failedAttempts.countAndGetWait(address());
    if (wait > 0) {
      return throttled(request, wait);
    }
    metrics.refused(why);
    return new ApiException(error);
  }

  private ApiException throttled(ContainerRequestContext request, long wait) {
    metrics.refused(Refusal.THROTTLED);
    String scope =
        LimitScope.of(request.getMethod(), request.getUriInfo().getPath(false)).wireName();
    return new ApiException(ApiError.rateLimited("Too many failed authentications.", scope, wait));
  }

  private String address() {
    return servletRequest == null ? "" : servletRequest.get().getRemoteAddr();
  }

  private record CallerContext(Caller caller, boolean secure) implements SecurityContext {
    @Override
    public Caller getUserPrincipal() {
      return caller;
    }

    @Override
    public boolean isUserInRole(String role) {
      return false;
    }

    @Override
    public boolean isSecure() {
      return secure;
    }

    @Override
    public String getAuthenticationScheme() {
      return "Bearer";
    }
  }
}
