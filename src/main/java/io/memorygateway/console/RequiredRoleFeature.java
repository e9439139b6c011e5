package io.memorygateway.console;

import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.RefusalBound;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.operator.Role;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.jspecify.annotations.Nullable;

/**
 * Refuses callers without the {@link RequiredRole} of a method, whatever else is wrong with the
 * request, and records some refusals a minute.
 */
final class RequiredRoleFeature implements DynamicFeature, ContainerResponseFilter {
  /** Statuses of requests that Jersey refuses for their headers, before it chooses the method. */
  private static final Set<Integer> BEFORE_THE_METHOD = Set.of(400, 406, 415);

  private final AuditLog log;
  private final RefusalBound refusals = new RefusalBound(System::nanoTime);

  RequiredRoleFeature(AuditLog log) {
    this.log = log;
  }

  @Override
  public void configure(ResourceInfo resource, FeatureContext context) {
    RequiredRole needs = resource.getResourceMethod().getAnnotation(RequiredRole.class);
    boolean ours = resource.getResourceClass().getPackage().equals(getClass().getPackage());
    if (needs == null && !ours) {
      // Jersey itself answers OPTIONS, with the available methods.
      return;
    }
    if (needs == null) {
      throw new IllegalStateException(resource.getResourceMethod() + " does not say what it needs");
    }
    if (needs.value() != Role.VIEWER && needs.act().isEmpty()) {
      throw new IllegalStateException(resource.getResourceMethod() + " does not name its act");
    }
    context.register(new Filter(needs));
  }

  private final class Filter implements ContainerRequestFilter {
    private final RequiredRole needs;

    Filter(RequiredRole needs) {
      this.needs = needs;
    }

    @Override
    public void filter(ContainerRequestContext request) {
      ApiError refusal = refusal(request, needs);
      if (refusal != null) {
        throw new ApiException(refusal);
      }
    }
  }

  /** Puts the refusal of a role in the place of one for what the request sends or accepts. */
  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    RequiredRole needs =
        BEFORE_THE_METHOD.contains(response.getStatus()) ? neededAtPath(request) : null;
    ApiError refusal = needs == null ? null : refusal(request, needs);
    if (refusal != null) {
      byte[] body = refusal.toJson();
      response.setStatus(refusal.status());
      response.setEntity(body, null, MediaType.APPLICATION_JSON_TYPE);
      response.getHeaders().putSingle(HttpHeaders.CONTENT_LENGTH, body.length);
    }
  }

  /** What the method of a request needs at its path; null if there is none. */
  private static @Nullable RequiredRole neededAtPath(ContainerRequestContext request) {
    String asked = request.getMethod();
    String method = asked.equals(HttpMethod.HEAD) ? HttpMethod.GET : asked;
    return ((ExtendedUriInfo) request.getUriInfo())
        .getMatchedRuntimeResources().stream()
            .limit(1)
            .flatMap(resource -> resource.getResourceMethods().stream())
            .filter(each -> method.equals(each.getHttpMethod()))
            .map(each -> each.getInvocable().getHandlingMethod().getAnnotation(RequiredRole.class))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
  }

  /** Returns the refusal of a caller whose role is too low, and records it; else null. */
  private @Nullable ApiError refusal(ContainerRequestContext request, RequiredRole needs) {
    ApiCaller caller = ApiCaller.of(request);
    if (caller.role().includes(needs.value())) {
      return null;
    }
    Map<String, String> asked = new HashMap<>();
    request
        .getUriInfo()
        .getPathParameters()
        .forEach((name, values) -> asked.put(name, values.get(0)));
    Actor actor = caller.actor();
    refusals.record(log, actor.name(), actor, needs.act(), RefusalBound.asked(asked));
    return ApiError.of(
        403, ErrorType.INVALID_REQUEST, "This needs the role " + needs.value().wireName() + ".");
  }
}
