package io.memorygateway.console;

import io.memorygateway.audit.Actor;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.Role;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.container.ContainerRequestContext;

/** Authenticated sender of a request to the admin API. */
record ApiCaller(Actor actor, Role role) {

  /** Name of the attribute with the address of the sender, for filters that see no servlet. */
  static final String ADDRESS = ApiCaller.class.getName() + ".address";

  static ApiCaller of(ContainerRequestContext request) {
    return of(
        request.getProperty(AdminCaller.ATTRIBUTE),
        String.valueOf(request.getProperty(ADDRESS)),
        request.getProperty(RequestId.ATTRIBUTE));
  }

  static ApiCaller of(HttpServletRequest request) {
    return of(
        request.getAttribute(AdminCaller.ATTRIBUTE),
        request.getRemoteAddr(),
        request.getAttribute(RequestId.ATTRIBUTE));
  }

  private static ApiCaller of(Object caller, String address, Object requestId) {
    if (!(caller instanceof AdminCaller known)) {
      throw new ApiException(ErrorCatalogue.forStatus(403));
    }
    return new ApiCaller(
        new Actor(
            known.name(),
            known.role().wireName(),
            address,
            requestId instanceof String id ? id : null),
        known.role());
  }
}
