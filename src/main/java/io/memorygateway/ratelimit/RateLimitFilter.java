package io.memorygateway.ratelimit;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.RequestNotes;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.RequestKind;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.MultivaluedMap;

/**
 * Holds each key to its limits, and shows on every response what is left (contract §4). It runs
 * after authentication and before a resource is looked for: unknown paths count, too.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION + 100)
public final class RateLimitFilter implements ContainerRequestFilter, ContainerResponseFilter {
  private static final String DECISION = RateLimitFilter.class.getName() + ".decision";

  private final RateLimiter limiter;
  private final RateLimitHeaders headers;

  public RateLimitFilter(RateLimiter limiter) {
    this.limiter = limiter;
    this.headers = new RateLimitHeaders(limiter);
  }

  private record Decided(RequestKind kind, Decision decision) {}

  @Override
  public void filter(ContainerRequestContext request) {
    if (!(request.getSecurityContext().getUserPrincipal() instanceof Caller caller)) {
      return;
    }
    RequestKind kind = kind(request);
    long asked = System.nanoTime();
    Decision decision = limiter.decide(caller, kind);
    if (request.getProperty(RequestNotes.ATTRIBUTE) instanceof RequestNotes notes) {
      notes.waitedForAdmission(System.nanoTime() - asked);
    }
    request.setProperty(DECISION, new Decided(kind, decision));
    switch (decision.outcome()) {
      case LIMITED ->
          throw new ApiException(
              ApiError.rateLimited(
                  "Rate limit exceeded. Retry when the window has reset.",
                  kind.scope().wireName(),
                  decision.retryAfterSeconds()));
      case UNAVAILABLE ->
          throw new ApiException(
              ApiError.unavailable("Rate limits cannot be checked at the moment.", 1));
      case ALLOWED, LOCAL -> {}
    }
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    MultivaluedMap<String, Object> out = response.getHeaders();
    if (request.getProperty(DECISION) instanceof Decided decided
        && decided.decision().shown() != null) {
      RateLimitHeaders.set(decided.kind(), decided.decision(), out::putSingle);
    } else {
      headers.setUntouched(request.getMethod(), request.getUriInfo().getPath(), out::putSingle);
    }
  }

  private static RequestKind kind(ContainerRequestContext request) {
    return RequestKind.of(request.getMethod(), request.getUriInfo().getPath());
  }
}
