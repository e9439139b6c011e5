package io.memorygateway.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.glassfish.jersey.server.model.Resource;
import org.glassfish.jersey.server.model.ResourceMethod;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Generator of the OpenAPI document: paths, methods and parameters are read from Jersey's model of
 * the resources; descriptions, schemas and examples from {@code openapi/*.yaml}. An endpoint
 * without a description, and a description without an endpoint, are errors.
 */
public final class OpenApiDocument {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode document;
  private final JsonNode words;
  private final Set<String> described = new TreeSet<>();

  private OpenApiDocument(ObjectNode document, JsonNode words) {
    this.document = document;
    this.words = words;
  }

  /**
   * Generator for a set of resources.
   *
   * @param resources all that the application port serves
   * @throws IllegalStateException naming the endpoint that is not described, or described in vain
   */
  public static JsonNode of(Collection<Class<?>> resources) {
    ObjectNode document = read("document.yaml");
    JsonNode words = document.remove("operations");
    ObjectNode components = (ObjectNode) document.get("components");
    components.set("schemas", read("schemas.yaml"));
    components.set("responses", ErrorAnswers.responses((ObjectNode) components.remove("errors")));
    var security = document.putArray("security");
    components
        .get("securitySchemes")
        .fieldNames()
        .forEachRemaining(scheme -> security.addObject().putArray(scheme));
    document.putObject("paths");
    return new OpenApiDocument(document, words).describe(resources);
  }

  private JsonNode describe(Collection<Class<?>> resources) {
    for (Class<?> resource : resources) {
      Resource model = Resource.from(resource);
      describe(model, slashed(model.getPath()));
    }
    words
        .fieldNames()
        .forEachRemaining(
            endpoint -> {
              if (!described.contains(endpoint)) {
                throw new IllegalStateException("described, but not there: " + endpoint);
              }
            });
    return document;
  }

  private void describe(Resource resource, String path) {
    for (ResourceMethod method : resource.getResourceMethods()) {
      String endpoint = method.getHttpMethod() + " " + path;
      JsonNode operation = words.get(endpoint);
      if (operation == null) {
        throw new IllegalStateException("not described in openapi/document.yaml: " + endpoint);
      }
      described.add(endpoint);
      new Operation(method, operation)
          .addTo(((ObjectNode) document.get("paths")).withObjectProperty(path));
    }
    for (Resource child : resource.getChildResources()) {
      // The document has no place for the expression that a parameter has to match.
      String template = child.getPath().replaceAll("\\{(\\w+):[^}]*}", "{$1}");
      describe(child, path + slashed(template));
    }
  }

  private static String slashed(String path) {
    return path.startsWith("/") ? path : "/" + path;
  }

  private static ObjectNode read(String name) {
    try (InputStream in = OpenApiDocument.class.getResourceAsStream("/openapi/" + name)) {
      // Jackson's own reader of YAML does not follow aliases.
      return JSON.valueToTree(new Yaml(new SafeConstructor(new LoaderOptions())).load(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
