package io.memorygateway.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.http.errors.ApiException;
import jakarta.annotation.Priority;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.glassfish.jersey.server.model.ResourceMethod;

/**
 * Refuses queries with a parameter that its operation does not know, that stands there twice, or
 * that is empty, as of a script whose variable is not set: without it, more would be shown or done
 * than was meant. So are members of a body that the operation does not read. The role of the caller
 * is checked before.
 */
@Priority(Priorities.USER + 1)
final class QueryFilter implements ContainerRequestFilter {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public void filter(ContainerRequestContext request) throws IOException {
    ResourceMethod matched = ((ExtendedUriInfo) request.getUriInfo()).getMatchedResourceMethod();
    Method method = matched.getInvocable().getHandlingMethod();
    if (!method.isAnnotationPresent(RequiredRole.class)) {
      return; // Jersey's own, for OPTIONS
    }
    Set<String> known = parameters(method);
    request
        .getUriInfo()
        .getQueryParameters()
        .forEach(
            (name, values) -> {
              if (!known.contains(name)) {
                throw ApiException.unknownName("parameter of the query", name, known);
              }
              if (values.size() > 1) {
                throw ApiException.invalidRequest(name + " is given more than once.");
              }
              if (values.get(0).isEmpty()) {
                throw ApiException.invalidRequest(
                    "A parameter of the query is empty; leave it out instead.");
              }
            });
    if (request.hasEntity() && !readsBody(method)) {
      checkEmpty(JSON.readTree(request.getEntityStream()));
    }
  }

  /** Whether a parameter is the body: those of requests have annotations. */
  private static boolean readsBody(Method method) {
    return Arrays.stream(method.getParameters())
        .anyMatch(each -> each.getAnnotations().length == 0);
  }

  private static void checkEmpty(JsonNode body) {
    if (!body.isMissingNode() && !(body.isObject() && body.isEmpty())) {
      String first = body.isObject() ? body.fieldNames().next() : "";
      throw ApiException.unknownName("member of the body", first, Set.of());
    }
  }

  private static Set<String> parameters(Method method) {
    return Arrays.stream(method.getParameters())
        .flatMap(
            each ->
                each.isAnnotationPresent(BeanParam.class)
                    ? Arrays.<AnnotatedElement>stream(each.getType().getDeclaredFields())
                    : Stream.of(each))
        .filter(each -> each.isAnnotationPresent(QueryParam.class))
        .map(each -> each.getAnnotation(QueryParam.class).value())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
