package io.memorygateway.memory.api;

import io.memorygateway.http.errors.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.Context;
import org.eclipse.jetty.util.UrlEncoded;

/**
 * Filter that refuses a query of the memory API that is not percent-encoded UTF-8: Jersey would
 * look up something else than was meant. Providers check the queries of proxied calls themselves.
 */
public final class QueryFilter implements ContainerRequestFilter {
  private static final String PATHS = "v1/memory/";

  private final HttpServletRequest servletRequest;

  public QueryFilter(@Context HttpServletRequest servletRequest) {
    this.servletRequest = servletRequest;
  }

  @Override
  public void filter(ContainerRequestContext request) {
    String query = servletRequest.getQueryString();
    if (query != null && request.getUriInfo().getPath().startsWith(PATHS) && !isWellFormed(query)) {
      throw ApiException.invalidRequest("The query must be percent-encoded UTF-8.");
    }
  }

  private static boolean isWellFormed(String query) {
    try {
      return UrlEncoded.decodeUtf8To(
          query, 0, query.length(), (name, value) -> {}, false, false, false);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
