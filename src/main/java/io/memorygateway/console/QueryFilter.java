package io.memorygateway.console;

import io.memorygateway.http.errors.ApiException;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;

/**
 * Refuses queries with an empty value, as of a script whose variable is not set: without it, more
 * would be shown than was meant. The role of the caller is checked before.
 */
@Priority(Priorities.USER + 1)
final class QueryFilter implements ContainerRequestFilter {
  @Override
  public void filter(ContainerRequestContext request) {
    if (request.getUriInfo().getQueryParameters().values().stream()
        .anyMatch(values -> values.contains(""))) {
      throw ApiException.invalidRequest("A parameter of the query is empty; leave it out instead.");
    }
  }
}
