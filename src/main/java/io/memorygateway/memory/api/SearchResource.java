package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.arrival.ClientWatch;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** Resource of the search in the messages of a thread or of a resource (contract §11). */
@Path(ApiPath.ROOT + ApiPath.SEARCH_PATH)
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public record SearchResource(SearchView view) {
  @POST
  public Response search(@Auth Caller caller, @Context HttpServletRequest request, byte[] body) {
    return ok(
        view.search(caller, body, false, ClientWatch.of(request), RequestReservation.of(request)));
  }
}
