package io.memorygateway.openapi;

import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.http.errors.JsonResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Resource that serves the OpenAPI document, without a key. The document is a file, which a test
 * compares with the resources.
 */
@Path("/openapi.json")
@Produces(MediaType.APPLICATION_JSON)
public final class OpenApiResource {
  private final byte[] document = file("/openapi/openapi.json");

  /** Registers the document, the page that shows it, and the root. */
  public static void install(JerseyEnvironment jersey) {
    jersey.register(new RootResource());
    jersey.register(new OpenApiResource());
    jersey.register(new DocsResource());
  }

  /** Reads a file of the jar. */
  public static byte[] file(String path) {
    try (InputStream in = OpenApiResource.class.getResourceAsStream(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @GET
  public Response get() {
    return JsonResponse.of(200, document).build();
  }
}
