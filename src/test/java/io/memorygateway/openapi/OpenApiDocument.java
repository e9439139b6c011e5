package io.memorygateway.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.http.api.RequestKind;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.glassfish.jersey.server.model.Resource;
import org.glassfish.jersey.server.model.ResourceMethod;

/**
 * Generator of the OpenAPI document: paths, methods and parameters are read from Jersey's model of
 * the resources; descriptions, schemas and examples from {@code openapi/*.yaml}. An endpoint
 * without a description, and a description without an endpoint, are errors.
 */
public final class OpenApiDocument {
  private static final String FILE = "document.yaml";

  private final ObjectNode document;
  private final Descriptions descriptions;

  private OpenApiDocument(ObjectNode document, Descriptions descriptions) {
    this.document = document;
    this.descriptions = descriptions;
  }

  /**
   * Generates the document of a set of resources.
   *
   * @param resources all that the application port serves
   * @throws IllegalStateException naming the endpoint that has no description, or the description
   *     that has no endpoint
   */
  public static JsonNode of(Collection<Class<?>> resources) {
    ObjectNode document = Descriptions.read(FILE);
    Descriptions descriptions = new Descriptions(FILE, document.remove("operations"));
    ObjectNode components = (ObjectNode) document.get("components");
    components.set("schemas", Descriptions.read("schemas.yaml"));
    for (String scope :
        List.of(
            "/schemas/Error/properties/error/properties/scope",
            "/headers/X-RateLimit-Scope/schema")) {
      ArrayNode scopes = components.at(scope).withArray("enum");
      Arrays.stream(RequestKind.values()).map(RequestKind::scope).distinct().forEach(scopes::add);
    }
    components.set("responses", ErrorAnswers.responses((ObjectNode) components.remove("errors")));
    var security = document.putArray("security");
    components
        .get("securitySchemes")
        .fieldNames()
        .forEachRemaining(scheme -> security.addObject().putArray(scheme));
    document.putObject("paths");
    return new OpenApiDocument(document, descriptions).describe(resources);
  }

  private JsonNode describe(Collection<Class<?>> resources) {
    for (Class<?> resource : resources) {
      Resource model = Resource.from(resource);
      describe(model, slashed(model.getPath()));
    }
    descriptions.checkAllUsed();
    return document;
  }

  private void describe(Resource resource, String path) {
    for (ResourceMethod method : resource.getResourceMethods()) {
      String endpoint = method.getHttpMethod() + " " + path;
      new Operation(method, descriptions.of(endpoint))
          .addTo(((ObjectNode) document.get("paths")).withObjectProperty(path));
    }
    for (Resource child : resource.getChildResources()) {
      // The document cannot express the pattern that a parameter must match.
      String template = child.getPath().replaceAll("\\{(\\w+):[^}]*}", "{$1}");
      describe(child, path + slashed(template));
    }
  }

  private static String slashed(String path) {
    return path.startsWith("/") ? path : "/" + path;
  }
}
