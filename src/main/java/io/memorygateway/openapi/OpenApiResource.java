package io.memorygateway.openapi;

import com.google.common.base.Suppliers;
import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.http.JsonResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/** Resource that serves the OpenAPI document, without a key. */
@Path("/openapi.json")
@Produces(MediaType.APPLICATION_JSON)
public final class OpenApiResource {
  /** Generated for the first request: the start of a node need not wait for it. */
  private final Supplier<byte[]> document;

  /**
   * Creates the resource for the document of the given resources and its own.
   *
   * @param others all other resources that the application port serves
   */
  private OpenApiResource(Collection<Class<?>> others) {
    List<Class<?>> all = new ArrayList<>(others);
    all.add(OpenApiResource.class);
    document =
        Suppliers.memoize(
            () -> OpenApiDocument.of(all).toPrettyString().getBytes(StandardCharsets.UTF_8));
  }

  /** Installs the document of all resources that are registered so far. */
  public static void install(JerseyEnvironment jersey) {
    jersey.register(new RootResource());
    jersey.register(
        new OpenApiResource(
            jersey.getResourceConfig().getClasses().stream()
                .filter(type -> type.isAnnotationPresent(Path.class))
                .sorted(Comparator.comparing(Class::getName))
                .toList()));
    // Registered afterwards, so that the document does not contain it.
    jersey.register(new DocsResource());
  }

  @GET
  public Response get() {
    return JsonResponse.of(200, document.get()).build();
  }
}
