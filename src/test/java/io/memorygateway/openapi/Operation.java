package io.memorygateway.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.http.api.ResponseHeader.Group;
import java.util.List;
import java.util.Locale;
import org.glassfish.jersey.model.Parameter.Source;
import org.glassfish.jersey.server.model.Parameter;
import org.glassfish.jersey.server.model.ResourceMethod;

/**
 * Operation of the document: a method of a resource with its description.
 *
 * @param words its description: id, tag, summary, body, answers, errors, as in {@code
 *     openapi/document.yaml}
 */
record Operation(ResourceMethod method, JsonNode words) {
  /** Statuses that every request may get. */
  private static final List<String> ALWAYS =
      List.of("401", "403", "405", "406", "429", "500", "503");

  private static final List<Source> NAMED = List.of(Source.PATH, Source.QUERY, Source.HEADER);

  /** Adds the operation to its path, and a HEAD for a GET. */
  void addTo(ObjectNode path) {
    String name = method.getHttpMethod().toLowerCase(Locale.ROOT);
    path.set(name, operation(""));
    if (name.equals("get")) {
      path.set("head", operation("Head"));
    }
  }

  private ObjectNode operation(String idSuffix) {
    boolean head = !idSuffix.isEmpty();
    ObjectNode operation = JsonNodeFactory.instance.objectNode();
    operation.put("operationId", words.get("id").asText() + idSuffix);
    operation.putArray("tags").add(words.get("tag"));
    operation.put("summary", head ? "The headers of the same GET." : words.get("summary").asText());
    if (words.path("public").asBoolean()) {
      operation.putArray("security");
    }
    ArrayNode parameters = operation.putArray("parameters");
    addParameters(parameters);
    addHeaders(parameters);
    if (words.has("body")) {
      ObjectNode body = operation.putObject("requestBody");
      body.put("required", !words.path("bodyOptional").asBoolean());
      content(body, "application/json", words.get("body").asText());
    }
    addAnswers(operation.putObject("responses"), head);
    return operation;
  }

  private void addParameters(ArrayNode parameters) {
    for (Parameter parameter : method.getInvocable().getParameters()) {
      if (NAMED.contains(parameter.getSource())) {
        String name = parameter.getSourceName();
        String component = words.at("/parameters/" + name).asText(name);
        parameters.addObject().put("$ref", "#/components/parameters/" + component);
      }
    }
  }

  /** Headers that are read elsewhere than in the resource. */
  private void addHeaders(ArrayNode parameters) {
    words
        .path("headers")
        .forEach(
            name -> parameters.addObject().put("$ref", "#/components/parameters/" + name.asText()));
  }

  private void addAnswers(ObjectNode responses, boolean head) {
    words
        .get("answers")
        .properties()
        .forEach(
            answer -> {
              JsonNode about = answer.getValue();
              ObjectNode response = responses.putObject(answer.getKey());
              response.set("description", about.get("description"));
              ErrorAnswers.addHeaders(response, answer.getKey());
              about
                  .path("headers")
                  .forEach(
                      group ->
                          ErrorAnswers.addHeaders(
                              response.withObjectProperty("headers"),
                              Group.valueOf(group.asText())));
              if (!head) {
                content(response, "application/json", about.get("schema").asText());
              }
              if (about.path("stream").asBoolean()) {
                response
                    .withObjectProperty("content")
                    .putObject("text/event-stream")
                    .putObject("schema")
                    .put("type", "string");
              }
            });
    ALWAYS.forEach(status -> error(responses, status));
    words.get("errors").forEach(status -> error(responses, status.asText()));
    error(responses, ErrorAnswers.DEFAULT);
  }

  private static void error(ObjectNode responses, String status) {
    responses.putObject(status).put("$ref", "#/components/responses/" + ErrorAnswers.name(status));
  }

  private static void content(ObjectNode owner, String type, String schema) {
    owner
        .withObjectProperty("content")
        .putObject(type)
        .putObject("schema")
        .put("$ref", "#/components/schemas/" + schema);
  }
}
