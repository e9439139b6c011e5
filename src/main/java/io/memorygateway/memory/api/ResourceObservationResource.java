package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** Resource of what is known of a resource of threads (contract §5 and §8). */
@Path("/v1/memory/resources/{resource}/observations")
@Produces(MediaType.APPLICATION_JSON)
public record ResourceObservationResource(ThreadViews views) {
  @GET
  public Response text(
      @Auth Caller caller,
      @PathParam("resource") String resource,
      @Context HttpServletRequest request) {
    return ok(views.known(caller, resource, RequestReservation.of(request)));
  }

  @GET
  @Path("record")
  public Response current(
      @Auth Caller caller,
      @PathParam("resource") String resource,
      @Context HttpServletRequest request) {
    return ok(views.knownRecord(caller, resource, RequestReservation.of(request)));
  }

  @GET
  @Path("history")
  public Response history(
      @Auth Caller caller,
      @PathParam("resource") String resource,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to,
      @Context HttpServletRequest request) {
    return ok(
        views.knownHistory(
            caller, resource, limit, offset, from, to, RequestReservation.of(request)));
  }
}
