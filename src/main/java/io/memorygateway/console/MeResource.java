package io.memorygateway.console;

import io.memorygateway.operator.Role;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;

/** {@code /admin/api/me}: the operator who is logged in. */
@Path("/me")
@Produces(MediaType.APPLICATION_JSON)
public final class MeResource {

  public record Me(String name, String role) {}

  @GET
  @RequiredRole(Role.VIEWER)
  public Me get(@Context HttpServletRequest request) {
    ApiCaller caller = ApiCaller.of(request);
    return new Me(caller.actor().name(), caller.role().wireName());
  }
}
