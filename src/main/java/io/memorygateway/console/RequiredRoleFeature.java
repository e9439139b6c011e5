package io.memorygateway.console;

import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.RefusalBound;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.operator.Role;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;
import java.util.HashMap;
import java.util.Map;

/**
 * Refuses callers without the {@link RequiredRole} of a method, and records some refusals a minute.
 */
final class RequiredRoleFeature implements DynamicFeature {
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
      ApiCaller caller = ApiCaller.of(request);
      if (caller.role().includes(needs.value())) {
        return;
      }
      Map<String, String> asked = new HashMap<>();
      request
          .getUriInfo()
          .getPathParameters()
          .forEach((name, values) -> asked.put(name, values.get(0)));
      Actor actor = caller.actor();
      refusals.record(log, actor.name(), actor, needs.act(), RefusalBound.asked(asked));
      throw ApiException.of(
          403, ErrorType.INVALID_REQUEST, "This needs the role " + needs.value().wireName() + ".");
    }
  }
}
