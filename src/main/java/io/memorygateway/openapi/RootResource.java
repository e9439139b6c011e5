package io.memorygateway.openapi;

import io.memorygateway.http.JsonResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;

/** Says what answers here, for clients that look whether anything does; it needs no key. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
public final class RootResource {
  private static final byte[] BODY =
      "{\"name\":\"memory-gateway\",\"openapi\":\"/openapi.json\"}"
          .getBytes(StandardCharsets.UTF_8);

  @GET
  public Response get() {
    return JsonResponse.of(200, BODY).build();
  }
}
