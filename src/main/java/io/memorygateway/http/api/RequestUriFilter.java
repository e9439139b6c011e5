package io.memorygateway.http.api;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Keeps what stands in a path as part of the id that it is in. A semicolon: Jersey would cut it off
 * with what follows, and find another id. And the ids {@code .} and {@code ..}, which browsers and
 * proxies take for steps, and which may therefore be written with a control character before them:
 * no id has one.
 */
@PreMatching
public final class RequestUriFilter implements ContainerRequestFilter {
  private static final String MARKED = "%1F.";

  @Override
  public void filter(ContainerRequestContext request) {
    UriInfo uri = request.getUriInfo();
    String asked = uri.getRequestUri().toString();
    String path = uri.getRequestUri().getRawPath();
    String kept = path.replace(";", "%3B");
    if (kept.contains(MARKED)) {
      kept =
          Arrays.stream(kept.split("/", -1))
              .map(RequestUriFilter::unmarked)
              .collect(Collectors.joining("/"));
    }
    if (!kept.equals(path)) {
      request.setRequestUri(uri.getBaseUri(), URI.create(asked.replace(path, kept)));
    }
  }

  private static String unmarked(String segment) {
    return switch (segment) {
      case MARKED -> "%2E";
      case MARKED + "." -> "%2E%2E";
      default -> segment;
    };
  }
}
