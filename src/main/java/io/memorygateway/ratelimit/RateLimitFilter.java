package io.memorygateway.ratelimit;

import static java.util.Objects.requireNonNull;

import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import org.jspecify.annotations.Nullable;

/**
 * Filter that has {@link RateLimitAdmission} count the requests that Jersey serves. It runs after
 * authentication and before a resource is matched: unknown paths count, too.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION + 100)
public final class RateLimitFilter implements ContainerRequestFilter, ContainerResponseFilter {
  private final RateLimitAdmission limits;

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  RateLimitFilter(RateLimitAdmission limits) {
    this.limits = limits;
  }

  @Override
  public void filter(ContainerRequestContext request) {
    limits.admit(received(), request.getUriInfo().getPath());
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    limits.setHeaders(received(), request.getUriInfo().getPath(), response.getHeaders()::putSingle);
  }

  private HttpServletRequest received() {
    return requireNonNull(servletRequest).get();
  }
}
