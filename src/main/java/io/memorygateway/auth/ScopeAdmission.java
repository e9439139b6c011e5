package io.memorygateway.auth;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.admission.Admission;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.api.RequestKind;
import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import org.jspecify.annotations.Nullable;

/**
 * Admission of requests that their key may make, as far as address, method and path tell (contract
 * §15); for those that Jersey serves a filter. It comes after the rate limits: what it refuses is
 * counted.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION + 200)
public final class ScopeAdmission implements Admission, ContainerRequestFilter {
  private final TrustedProxies proxies;

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  ScopeAdmission(TrustedProxies proxies) {
    this.proxies = proxies;
  }

  @Override
  public void filter(ContainerRequestContext request) {
    admit(requireNonNull(servletRequest).get(), request.getUriInfo().getPath());
  }

  @Override
  public void admit(HttpServletRequest request, String path) {
    if (!(request.getAttribute(Caller.PROPERTY) instanceof Caller caller)) {
      return;
    }
    KeyScopes scopes = caller.scopes();
    if (!scopes.addresses().isEmpty()) {
      scopes.checkAddress(proxies.client(request));
    }
    ApiPath asked = ApiPath.of(path);
    if (asked == ApiPath.MEMORY || asked == ApiPath.SEARCH) {
      scopes.checkMemory(asked.kind(request.getMethod()) == RequestKind.MEMORY_READ);
    }
  }
}
