package io.memorygateway.auth;

import static java.util.Objects.requireNonNull;

import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.SecurityContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Filter that authenticates the requests that Jersey serves, by {@link ApiKeyAuthentication}. It
 * runs before a resource is matched, so that unknown paths, too, are answered to authenticated
 * callers only.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION)
public final class ApiKeyAuthFilter implements ContainerRequestFilter {
  private final ApiKeyAuthentication authentication;
  private final Set<String> publicPaths;

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  /**
   * @param publicPaths paths that need no key, without a leading slash
   */
  ApiKeyAuthFilter(ApiKeyAuthentication authentication, Set<String> publicPaths) {
    this.authentication = authentication;
    this.publicPaths = Set.copyOf(publicPaths);
  }

  @Override
  public void filter(ContainerRequestContext request) {
    String path = request.getUriInfo().getPath(false);
    if (publicPaths.contains(path) || isProbe(request)) {
      return;
    }
    HttpServletRequest received = requireNonNull(servletRequest).get();
    authentication.admit(received, path);
    Caller caller = (Caller) requireNonNull(received.getAttribute(Caller.PROPERTY));
    request.setSecurityContext(new CallerContext(caller, request.getSecurityContext().isSecure()));
  }

  /** Whether the request is a probe: some clients request their base URL without a key. */
  private static boolean isProbe(ContainerRequestContext request) {
    return request.getUriInfo().getPath(false).isEmpty()
        && (request.getMethod().equals("GET") || request.getMethod().equals("HEAD"));
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
