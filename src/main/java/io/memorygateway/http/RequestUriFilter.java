package io.memorygateway.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;

/**
 * Keeps a semicolon in a path as part of the id that it is in: Jersey would cut it off with what
 * follows, and find another id.
 */
@PreMatching
public final class RequestUriFilter implements ContainerRequestFilter {
  @Override
  public void filter(ContainerRequestContext request) {
    UriInfo uri = request.getUriInfo();
    String asked = uri.getRequestUri().toString();
    String path = uri.getRequestUri().getRawPath();
    if (path.indexOf(';') >= 0) {
      String taken = asked.replace(path, path.replace(";", "%3B"));
      request.setRequestUri(uri.getBaseUri(), URI.create(taken));
    }
  }
}
