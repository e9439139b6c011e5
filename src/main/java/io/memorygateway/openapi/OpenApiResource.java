package io.memorygateway.openapi;

import io.memorygateway.http.errors.JsonResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/**
 * Resource that serves the OpenAPI document, without a key. The document is a file, which a test
 * compares with the resources.
 */
@Path("/openapi.json")
@Produces(MediaType.APPLICATION_JSON)
public final class OpenApiResource {
  private final byte[] document = OpenApi.file("/openapi/openapi.json");

  @GET
  public Response get() {
    return JsonResponse.ok(document);
  }
}
