package io.memorygateway.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.auth.KeyView;
import io.memorygateway.openapi.Descriptions;
import jakarta.ws.rs.QueryParam;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.glassfish.jersey.model.Parameter.Source;
import org.glassfish.jersey.server.model.Parameter;
import org.glassfish.jersey.server.model.Resource;
import org.glassfish.jersey.server.model.ResourceMethod;

/**
 * Generator of the OpenAPI document of the admin API: paths, methods, parameters, roles and records
 * are read from the resources, descriptions from {@code openapi/admin.yaml}. An endpoint without a
 * description, and a description without an endpoint, are errors.
 */
final class AdminDocument {
  private static final String FILE = "admin.yaml";
  private static final String ROOT = "/admin/api";
  private static final String JSON_TYPE = "application/json";
  private static final String REFERENCE = "#/components/schemas/";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode document;
  private final Descriptions descriptions;
  private final JsonNode parameters;
  private final JsonNode errors;
  private final ObjectNode shared = Descriptions.read("schemas.yaml");
  private final ObjectNode schemas;
  private final RecordSchemas records;

  private AdminDocument(ObjectNode document) {
    this.document = document;
    this.descriptions = new Descriptions(FILE, document.remove("operations"));
    this.parameters = document.remove("parameters");
    this.errors = document.remove("errors");
    ObjectNode components = document.putObject("components");
    this.schemas = components.putObject("schemas");
    this.records = new RecordSchemas(schemas);
    ObjectNode schemes = components.putObject("securitySchemes");
    schemes.putObject("bearer").put("type", "http").put("scheme", "bearer");
    schemes.putObject("basic").put("type", "http").put("scheme", "basic");
    ArrayNode security = document.putArray("security");
    security.addObject();
    security.addObject().putArray("bearer");
    security.addObject().putArray("basic");
    document.putObject("paths");
  }

  /**
   * Returns the document of some resources.
   *
   * @throws IllegalStateException naming the endpoint that has no description, or the description
   *     that has no endpoint
   */
  static JsonNode of(Collection<Class<?>> resources) {
    return new AdminDocument(Descriptions.read(FILE)).describe(resources);
  }

  private JsonNode describe(Collection<Class<?>> resources) {
    copy("Error");
    for (Class<?> resource : resources) {
      Resource model = Resource.from(resource);
      describe(resource, model, slashed(model.getPath()));
    }
    descriptions.checkAllUsed();
    return document;
  }

  private void describe(Class<?> type, Resource resource, String path) {
    // The order in which a class has its methods is not always the same.
    for (ResourceMethod method :
        sorted(resource.getResourceMethods(), ResourceMethod::getHttpMethod)) {
      String endpoint = method.getHttpMethod() + " " + path;
      JsonNode about = descriptions.of(endpoint);
      ((ObjectNode) document.get("paths"))
          .withObjectProperty(ROOT + path)
          .set(method.getHttpMethod().toLowerCase(Locale.ROOT), operation(type, method, about));
    }
    for (Resource child : sorted(resource.getChildResources(), Resource::getPath)) {
      describe(type, child, (path.equals("/") ? "" : path) + slashed(child.getPath()));
    }
  }

  private static <T> List<T> sorted(List<T> all, Function<T, String> by) {
    return all.stream().sorted(Comparator.comparing(by)).toList();
  }

  private ObjectNode operation(Class<?> type, ResourceMethod method, JsonNode about) {
    Method handling = method.getInvocable().getHandlingMethod();
    String role = handling.getAnnotation(RequiredRole.class).value().wireName();
    ObjectNode operation = JSON.createObjectNode();
    operation.put("operationId", about.get("id").asText());
    operation.putArray("tags").add(about.get("tag"));
    operation.put("summary", about.get("summary").asText());
    operation.put("description", "Needs the role " + role + ".");
    operation.put("x-role", role);
    ArrayNode all = operation.putArray("parameters");
    for (Parameter parameter : method.getInvocable().getParameters()) {
      addParameter(parameter, all);
      if (parameter.getSource() == Source.ENTITY) {
        ObjectNode body = operation.putObject("requestBody").put("required", true);
        content(
            body,
            JSON_TYPE,
            about.has("body")
                ? closed(about.get("body").asText())
                : records.reference(parameter.getRawType(), true));
      }
    }
    ObjectNode responses = operation.putObject("responses");
    ObjectNode answer = responses.putObject(about.path("status").asText("200"));
    answer.put("description", "Done.");
    if (about.has("stream")) {
      content(answer, about.get("stream").asText(), JSON.createObjectNode().put("type", "string"));
    } else {
      content(answer, JSON_TYPE, answer(type, handling, about));
    }
    if (about.path("csv").asBoolean()) {
      content(answer, Csv.TYPE, JSON.createObjectNode().put("type", "string"));
    }
    for (var error : errors.properties()) {
      ObjectNode response = responses.putObject(error.getKey());
      response.set("description", error.getValue());
      content(response, JSON_TYPE, copy("Error"));
    }
    return operation;
  }

  private ObjectNode answer(Class<?> type, Method handling, JsonNode about) {
    if (!about.has("answer")) {
      return records.reference(handling.getReturnType(), false);
    }
    String name = about.get("answer").asText();
    for (Class<?> record : type.getDeclaredClasses()) {
      if (record.getSimpleName().equals(name)) {
        return records.reference(record, false);
      }
    }
    return name.equals("KeyView") ? records.reference(KeyView.class, false) : copy(name);
  }

  private void addParameter(Parameter parameter, ArrayNode all) {
    switch (parameter.getSource()) {
      case PATH, QUERY ->
          addParameter(
              parameter.getSourceName(),
              parameter.getSource() == Source.PATH,
              parameter.getRawType(),
              all);
      case BEAN_PARAM -> {
        for (Field field : parameter.getRawType().getDeclaredFields()) {
          QueryParam query = field.getAnnotation(QueryParam.class);
          if (query != null) {
            addParameter(query.value(), false, field.getType(), all);
          }
        }
      }
      default -> {
        // Headers and the request itself are left out.
      }
    }
  }

  private void addParameter(String name, boolean inPath, Class<?> type, ArrayNode all) {
    JsonNode description = parameters.get(name);
    if (description == null) {
      throw new IllegalStateException("not described in openapi/admin.yaml: parameter " + name);
    }
    ObjectNode parameter = all.addObject().put("name", name);
    parameter.put("in", inPath ? "path" : "query");
    if (inPath) {
      parameter.put("required", true);
    }
    parameter.set("description", description);
    parameter
        .putObject("schema")
        .put("type", type == Integer.class || type == Long.class ? "integer" : "string");
  }

  private static void content(ObjectNode owner, String type, ObjectNode schema) {
    owner.withObjectProperty("content").putObject(type).set("schema", schema);
  }

  /** Copies a schema of the other document, without members that are not known. */
  private ObjectNode closed(String name) {
    ObjectNode reference = copy(name);
    ((ObjectNode) schemas.get(name)).put("additionalProperties", false);
    return reference;
  }

  /** Copies a schema of the other document, with those that it refers to. */
  private ObjectNode copy(String name) {
    Deque<String> left = new ArrayDeque<>(List.of(name));
    while (!left.isEmpty()) {
      String next = left.pop();
      if (!schemas.has(next)) {
        JsonNode schema = shared.get(next);
        if (schema == null) {
          throw new IllegalStateException("no schema " + next);
        }
        schemas.set(next, schema);
        schema
            .findValuesAsText("$ref")
            .forEach(reference -> left.add(reference.substring(REFERENCE.length())));
      }
    }
    return JSON.createObjectNode().put("$ref", REFERENCE + name);
  }

  private static String slashed(String path) {
    return path.startsWith("/") ? path : "/" + path;
  }
}
