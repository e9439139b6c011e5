package io.memorygateway.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import io.memorygateway.testing.SharedGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §9: the OpenAPI document says what the gateway does. */
class OpenApiIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BASE = "urn:gateway";

  private static JsonNode document;

  @BeforeAll
  static void fetchTheDocumentWithoutAKey() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/openapi.json")));
    assertThat(answer.statusCode()).isEqualTo(200);
    document = JSON.readTree(answer.body());
    assertThat(answer.body()).isEqualTo(Files.readString(Path.of("src", "docs", "openapi.json")));
  }

  @Test
  void itIsOfVersion31AndEveryReferenceLeadsSomewhere() {
    assertThat(document.get("openapi").asText()).isEqualTo("3.1.0");
    List<String> references = new ArrayList<>();
    document.findValuesAsText("$ref").forEach(references::add);
    assertThat(references).isNotEmpty();
    for (String reference : references) {
      assertThat(document.at(reference.substring(1)).isMissingNode()).as(reference).isFalse();
    }
  }

  @Test
  void itIsValidByTheSchemaOfOpenApi31() throws Exception {
    String schema =
        new String(
            OpenApiIT.class
                .getResourceAsStream("/openapi/schema-3.1-2022-10-07.json")
                .readAllBytes(),
            StandardCharsets.UTF_8);

    assertThat(
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(schema)
                .validate(document))
        .isEmpty();
  }

  /** Which the schema of OpenAPI leaves open: a schema object is any object to it. */
  @Test
  void everySchemaIsOneOfJsonSchemaAndNoArrayLeavesItsItemsOpen() {
    JsonSchema metaSchema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(SchemaLocation.of(SpecVersion.VersionFlag.V202012.getId()));
    document
        .at("/components/schemas")
        .properties()
        .forEach(
            schema ->
                assertThat(metaSchema.validate(schema.getValue())).as(schema.getKey()).isEmpty());
    List<JsonNode> arrays = new ArrayList<>();
    document
        .findParents("type")
        .forEach(
            schema -> {
              if (schema.get("type").toString().contains("\"array\"")) {
                arrays.add(schema);
              }
            });
    assertThat(arrays).isNotEmpty().allMatch(schema -> schema.has("items"));
  }

  /**
   * Generators make types without members of objects that say nothing, and refuse other members.
   */
  @Test
  void everyObjectNamesItsMembersOrSaysThatItIsOpen() {
    List<JsonNode> objects = new ArrayList<>();
    document
        .get("components")
        .get("schemas")
        .findParents("type")
        .forEach(
            schema -> {
              if (schema.get("type").toString().contains("\"object\"")) {
                objects.add(schema);
              }
            });
    assertThat(objects)
        .isNotEmpty()
        .allMatch(schema -> schema.has("properties") || schema.has("additionalProperties"));
    for (String body : List.of("Chat", "Responses", "Messages", "Embeddings", "Completions")) {
      assertThat(
              document
                  .at("/components/schemas/" + body + "Request/additionalProperties")
                  .asBoolean())
          .as("the provider's own members of a body for " + body)
          .isTrue();
    }
  }

  @Test
  void everyComponentIsUsed() {
    Set<String> references = new TreeSet<>(document.findValuesAsText("$ref"));
    Set<String> components = new TreeSet<>();
    for (String kind : List.of("schemas", "parameters", "headers", "responses")) {
      document
          .at("/components/" + kind)
          .fieldNames()
          .forEachRemaining(name -> components.add("#/components/" + kind + "/" + name));
    }
    assertThat(references).isEqualTo(components);
  }

  @Test
  void everyOperationHasAnIdOfItsOwnAndEveryErrorThatMayCome() {
    Set<String> ids = new TreeSet<>();
    int operations = 0;
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (JsonNode operation : path.getValue()) {
        // What a path names may be no text.
        assertThat(!path.getKey().contains("{") || operation.get("responses").has("400"))
            .as(path.getKey())
            .isTrue();
        ids.add(operation.get("operationId").asText());
        operations++;
        assertThat(operation.get("responses").has("401")).isTrue();
        assertThat(operation.get("responses").has("429")).isTrue();
        assertThat(operation.get("responses").has("default")).isTrue();
        for (JsonNode response : operation.get("responses")) {
          JsonNode resolved =
              response.has("$ref")
                  ? document.at(response.get("$ref").asText().substring(1))
                  : response;
          assertThat(resolved.get("headers").has("X-RateLimit-Scope")).isTrue();
        }
      }
    }
    assertThat(ids).hasSize(operations).contains("listThreads", "chatCompletions");
    assertThat(document.at("/paths/~1v1~1memory~1threads/head").isMissingNode()).isFalse();
  }

  @Test
  void everyExampleFitsItsSchema() {
    document
        .at("/components/schemas")
        .properties()
        .forEach(
            schema ->
                schema
                    .getValue()
                    .path("examples")
                    .forEach(example -> fits("/components/schemas/" + schema.getKey(), example)));
    document
        .at("/components/responses")
        .forEach(
            response ->
                fits(
                    "/components/schemas/Error",
                    response.at("/content/application~1json/example")));
  }

  @Test
  void realAnswersFitTheirSchemas() throws Exception {
    String thread = "/v1/memory/threads/{thread}";
    String messages = thread + "/messages";
    check(
        "POST",
        "/v1/memory/threads",
        "",
        "{\"id\":\"t/1\",\"resourceId\":\"r\",\"metadata\":{\"a\":1}}",
        201);
    check("POST", "/v1/memory/threads", "", "{\"id\":\"t/1\",\"resourceId\":\"r\"}", 200);
    check("POST", "/v1/memory/threads", "", "{\"id\":\"t/1\",\"resourceId\":\"r2\"}", 409);
    check("POST", "/v1/memory/threads", "", "{", 400);
    check("GET", "/v1/memory/threads", "?limit=5", null, 200);
    check("GET", "/v1/memory/threads", "?limit=0", null, 400);
    check("GET", thread, "", null, 200);
    check("GET", thread, "?resourceId=other", null, 404);
    check("PATCH", thread, "", "{\"title\":\"x\"}", 200);
    String batch =
        "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"x\"},{\"role\":\"tool\",\"content\":[{\"n\":1.10}]}]}";
    check("POST", messages, "", batch, 201);
    check("GET", messages, "?order=desc", null, 200);
    check("GET", messages + "/{message}", "", null, 200);
    check("PATCH", messages + "/{message}", "", "{\"content\":{}}", 200);
    check("POST", thread + "/clone", "", "{}", 201);
    check("GET", thread + "/observations", "", null, 200);
    check("GET", thread + "/observations/record", "", null, 200);
    observe();
    check("GET", thread + "/observations", "", null, 200);
    check("GET", thread + "/observations/record", "", null, 200);
    check("GET", thread + "/observations/history", "", null, 200);
    String known = "/v1/memory/resources/{resource}/observations";
    check("GET", known, "", null, 200);
    check("GET", known + "/record", "", null, 200);
    check("GET", known + "/history", "?limit=5", null, 200);
    check("PATCH", thread + "/observations/config", "", "{\"messageTokens\":5}", 200);
    check("DELETE", messages + "/{message}", "", null, 200);
    check("DELETE", messages, "", "{\"messageIds\":[\"m\"]}", 200);
    check("DELETE", thread, "", null, 200);
    check("DELETE", thread, "", null, 404);
    check("GET", "/v1/models", "", null, 200);
    check("GET", "/v1/usage/limits", "", null, 200);
    check("GET", "/v1/models/{model}", "", null, 200);
    check("POST", "/v1/completions", "", "{}", 400);
    check("POST", "/v1/messages", "", "{}", 400);
    check("POST", "/v1/chat/completions", "", "{}", 400);
    check("GET", "/openapi.json", "", null, 200);
  }

  private static void check(String method, String path, String query, String body, int status)
      throws Exception {
    String url =
        path.replace("{thread}", "t%2F1")
                .replace("{message}", "m")
                .replace("{resource}", "r")
                .replace("{model}", "gpt-5")
            + query;
    HttpRequest.Builder request =
        GATEWAY
            .request(url)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    HttpResponse<String> answer = GATEWAY.send(request);
    assertThat(answer.statusCode()).as(method + " " + url + answer.body()).isEqualTo(status);
    String response =
        "/paths/%s/%s/responses/%d"
            .formatted(path.replace("/", "~1"), method.toLowerCase(java.util.Locale.ROOT), status);
    JsonNode described = document.at(response);
    assertThat(described.isMissingNode()).as("not described: " + response).isFalse();
    if (described.has("$ref")) {
      described = document.at(described.get("$ref").asText().substring(1));
    }
    described
        .get("headers")
        .fieldNames()
        .forEachRemaining(
            name -> assertThat(answer.headers().firstValue(name)).as(url + " " + name).isPresent());
    fits(
        described.at("/content/application~1json/schema/$ref").asText().substring(1),
        JSON.readTree(answer.body()));
  }

  private static void fits(String pointer, JsonNode value) {
    JsonSchemaFactory factory =
        JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V202012,
            builder ->
                builder.schemaLoaders(
                    loaders ->
                        loaders.schemas(uri -> uri.equals(BASE) ? document.toString() : null)));
    JsonSchema schema =
        factory.getSchema(
            SchemaLocation.of(BASE + "#" + pointer),
            SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build());
    assertThat(schema.validate(value)).as(pointer + " " + value).isEmpty();
  }

  /** As the observer leaves a thread. */
  private static void observe() throws Exception {
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO resource_records (project_id, resource_id, generation, public_id, observations, observation_tokens,
            total_tokens_observed, config, sources, created_at)
          SELECT project_id, resource_id, 0, UUID(), 'x', 3, 9, '{"resourceTokens":9}', 1, UTC_TIMESTAMP(3)
          FROM threads WHERE public_id = 't/1'
          """);
      statement.execute(
          """
          INSERT INTO resource_sources (thread_id, project_id, resource_id, since, generation, length, tokens)
          SELECT id, project_id, resource_id, 0, 0, 1, 3 FROM threads WHERE public_id = 't/1'
          """);
      statement.execute(
          """
          INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations,
            observation_tokens, total_tokens_observed, config, created_at, updated_at)
          SELECT id, 0, UUID(), 'initial', 'x', 3, 9, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
          FROM threads WHERE public_id = 't/1'
          """);
    }
  }
}
