package io.memorygateway.memory.api;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.http.api.RequestNotes;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import java.time.Duration;

/**
 * Filter that counts the database connections of a request of the memory API for its project and
 * thread, until its response is ready.
 */
record AccountFilter(ConnectionShares shares)
    implements ContainerRequestFilter, ContainerResponseFilter {
  private static final String PATHS = "v1/memory/";
  private static final String ACCOUNT = AccountFilter.class.getName();

  @Override
  public void filter(ContainerRequestContext request) {
    if (request.getUriInfo().getPath().startsWith(PATHS)
        && request.getSecurityContext().getUserPrincipal() instanceof Caller caller) {
      String thread = request.getUriInfo().getPathParameters().getFirst("thread");
      request.setProperty(ACCOUNT, shares.open(caller.projectId(), thread, admission(request)));
    }
  }

  private static Duration admission(ContainerRequestContext request) {
    return request.getProperty(RequestNotes.ATTRIBUTE) instanceof RequestNotes notes
        ? notes.admission()
        : Duration.ZERO;
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    if (request.getProperty(ACCOUNT) instanceof ConnectionShares.Account account) {
      request.removeProperty(ACCOUNT);
      account.close();
    }
  }
}
