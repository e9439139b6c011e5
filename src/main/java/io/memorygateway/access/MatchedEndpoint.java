package io.memorygateway.access;

import io.memorygateway.http.api.RequestNotes;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.glassfish.jersey.server.model.ResourceMethod;
import org.glassfish.jersey.uri.UriTemplate;

/** Filter that records the path template that a request matched: bounded, and without ids. */
final class MatchedEndpoint implements ContainerRequestFilter {
  private final Map<ResourceMethod, String> templates = new ConcurrentHashMap<>();

  @Override
  public void filter(ContainerRequestContext request) {
    if (request.getUriInfo() instanceof ExtendedUriInfo uri
        && request.getProperty(RequestNotes.ATTRIBUTE) instanceof RequestNotes notes
        && uri.getMatchedResourceMethod() != null) {
      notes.matched(
          templates.computeIfAbsent(
              uri.getMatchedResourceMethod(), method -> template(uri.getMatchedTemplates())));
    }
  }

  /** Joins the templates, of which Jersey has the innermost first. */
  private static String template(List<UriTemplate> matched) {
    StringBuilder template = new StringBuilder();
    for (UriTemplate part : matched) {
      template.insert(0, part.getTemplate());
    }
    return template.toString().replaceAll("\\{ *(\\w+) *:[^}]*}", "{$1}").replaceAll("/+", "/");
  }
}
