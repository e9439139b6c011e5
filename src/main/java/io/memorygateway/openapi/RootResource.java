package io.memorygateway.openapi;

import io.memorygateway.http.errors.JsonResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;

/** Resource at the root, which names the service to clients that probe it; it needs no key. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
public final class RootResource {
  private static final byte[] BODY =
      "{\"name\":\"memory-gateway\",\"openapi\":\"/openapi.json\"}"
          .getBytes(StandardCharsets.UTF_8);

  @GET
  public Response get() {
    return JsonResponse.ok(BODY);
  }
}
