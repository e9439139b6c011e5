package io.memorygateway.auth;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.http.ErrorType;
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
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.SecurityContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets in whoever holds a valid key (contract §2). It runs before a resource is looked for, so that
 * unknown paths, too, are answered to known callers only.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION)
public final class ApiKeyAuthFilter implements ContainerRequestFilter {
  private final ApiKeyVerifier verifier;
  private final FailedAttempts failedAttempts;
  private final Set<String> publicPaths;

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  /**
   * Guards the application port.
   *
   * @param publicPaths paths that need no key, without a leading slash
   */
  public ApiKeyAuthFilter(
      ApiKeyVerifier verifier, FailedAttempts failedAttempts, Set<String> publicPaths) {
    this.verifier = verifier;
    this.failedAttempts = failedAttempts;
    this.publicPaths = Set.copyOf(publicPaths);
  }

  @Override
  public void filter(ContainerRequestContext request) {
    if (publicPaths.contains(request.getUriInfo().getPath(false))) {
      return;
    }
    MultivaluedMap<String, String> headers = request.getHeaders();
    PresentedKey presented = PresentedKey.of(headers);
    Caller caller = presented == null ? null : verifier.verify(presented.secret());
    if (presented == null || caller == null) {
      throw new ApiException(refusal(request, presented != null));
    }
    if (presented.passThrough()) {
      ProviderKey providerKey = ProviderKey.of(headers);
      if (providerKey != null) {
        request.setProperty(ProviderKey.PROPERTY, providerKey);
      }
    }
    request.setProperty(Caller.PROPERTY, caller);
    if (request.getProperty(RequestNotes.ATTRIBUTE) instanceof RequestNotes notes) {
      notes.caller(caller.projectName(), caller.prefix());
    }
    if (request.getProperty(BodyReservation.ATTRIBUTE) instanceof BodyReservation reservation) {
      reservation.heldBy(caller.keyId());
    }
    request.setSecurityContext(new CallerContext(caller, request.getSecurityContext().isSecure()));
  }

  private ApiError refusal(ContainerRequestContext request, boolean presented) {
    long wait =
        servletRequest == null ? 0 : failedAttempts.countAndGetWait(address(servletRequest));
    if (wait > 0) {
      return ApiError.rateLimited(
          "Too many failed authentications.",
          LimitScope.of(request.getMethod(), request.getUriInfo().getPath(false)).wireName(),
          wait);
    }
    String message =
        presented
            ? "The API key is not valid."
            : "An API key is required: send it as 'Authorization: Bearer msk_...' or 'x-api-key: msk_...'.";
    return ApiError.of(401, ErrorType.AUTHENTICATION, message)
        .withHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
  }

  private static String address(Provider<HttpServletRequest> request) {
    return request.get().getRemoteAddr();
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
