package io.memorygateway.openapi;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/**
 * Resource that serves the OpenAPI document, without a key. The document is a file, which a test
 * compares with the resources.
 */
@Path("/openapi.json")
@Produces(MediaType.APPLICATION_JSON)
public final class OpenApiResource {
  private final PublicFile document = new PublicFile("/openapi/openapi.json");

  @GET
  public Response get(@Context HttpHeaders request) {
    return document.answer(request).build();
  }
}
