package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §12: the admin API does what its document says. */
class AdminOpenApiIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).withoutKey().configured(AdminClient::takeTokens);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BASE = "urn:gateway";
  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete");

  private static AdminClient owner;
  private static JsonNode document;
  private static final Set<String> checked = new TreeSet<>();

  @BeforeAll
  static void fetch() throws Exception {
    owner = AdminClient.of(GATEWAY, DATABASE, "owner");
    HttpResponse<String> answer =
        GATEWAY.send(document().header("Authorization", "Bearer " + owner.token()));
    assertThat(answer.statusCode()).isEqualTo(200);
    document = JSON.readTree(answer.body());
  }

  private static HttpRequest.Builder document() {
    return HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/admin/openapi.json"));
  }

  @Test
  void itNeedsALogin() throws Exception {
    ErrorEnvelope.check(GATEWAY.send(document()), 401, "authentication_error");
  }

  @Test
  void noBodyHasMembersThatAreNotNamed() {
    List<String> bodies =
        document.get("paths").findValues("requestBody").stream()
            .map(body -> body.at("/content/application~1json/schema/$ref").asText())
            .toList();
    assertThat(bodies).hasSizeGreaterThan(8).allMatch(this::isClosed);
  }

  private boolean isClosed(String reference) {
    return !document.at(reference.substring(1)).path("additionalProperties").asBoolean(true);
  }

  @Test
  void everyReferenceLeadsSomewhereAndEveryOperationHasAnIdAndARole() {
    for (String reference : document.findValuesAsText("$ref")) {
      assertThat(document.at(reference.substring(1)).isMissingNode()).as(reference).isFalse();
    }
    Set<String> ids = new TreeSet<>();
    int operations = 0;
    for (JsonNode path : document.get("paths")) {
      for (JsonNode operation : path) {
        operations++;
        ids.add(operation.path("operationId").asText());
        assertThat(operation.path("x-role").asText()).isIn("viewer", "operator", "owner");
      }
    }
    assertThat(ids).hasSize(operations).contains("getOverview", "deleteThread");
    assertThat(operations).isGreaterThan(25);
  }

  /** Everything that is described is asked for, and answers as it is described. */
  @Test
  void realAnswersFitTheirSchemas() throws Exception {
    JsonNode key = check("POST", "/keys", "", "{\"project\":\"p\",\"name\":\"n\"}", 201);
    String id = key.path("id").asText();
    UPSTREAM.enqueue(Answer.json("{\"choices\":[]}"));
    GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"))
            .header("x-api-key", key.path("key").asText())
            .header("Content-Type", "application/json")
            .header("x-thread-id", "t/1")
            .header("x-resource-id", "r")
            .POST(
                BodyPublishers.ofString(
                    "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"zebra\"}]}")));
    org.awaitility.Awaitility.await()
        .until(() -> owner.get("/requests").path("requests").size() == 1);
    check("GET", "/me", "", null, 200);
    check("GET", "/overview", "", null, 200);
    check("GET", "/overview/health", "", null, 200);
    JsonNode requests = check("GET", "/requests", "?limit=1", null, 200);
    checkAt("GET", "/requests/{id}", requests.at("/requests/0/id").asText(), "", null);
    check("GET", "/requests", "?status=x", null, 400);
    check("GET", "/usage", "", null, 200);
    check("GET", "/projects", "", null, 200);
    check("GET", "/keys", "", null, 200);
    checkAt("PUT", "/keys/{id}/limits/{rule}", id, "memory_read", "{\"limit\":9}");
    checkAt("PUT", "/keys/{id}/scopes", id, "", "{\"models\":[\"vllm/*\"],\"memory\":\"read\"}");
    check("GET", "/limits", "", null, 200);
    checkAt("GET", "/limits/{keyId}", id, "", null);
    checkAt("DELETE", "/keys/{id}/limits/{rule}", id, "memory_read", null);
    String budget = "{\"unit\":\"tokens\",\"limit\":9,\"window\":\"day\",\"models\":[\"a/*\"]}";
    checkAt("PUT", "/budgets/keys/{id}/{name}", id, "daily", budget);
    checkAt(
        "POST",
        "/budgets/keys/{id}/{name}/increase",
        id,
        "daily",
        "{\"by\":1,\"expiresIn\":\"1d\"}");
    checkAt("PUT", "/budgets/projects/{project}/{name}", "p", "all", budget);
    check("GET", "/budgets", "", null, 200);
    check("GET", "/keys", "", null, 200);
    checkAt("GET", "/budgets/keys/{id}", id, "", null);
    checkAt("GET", "/budgets/projects/{project}", "p", "", null);
    checkAt("DELETE", "/budgets/keys/{id}/{name}", id, "daily", null);
    checkAt("DELETE", "/budgets/projects/{project}/{name}", "p", "all", null);
    String thread = "/projects/{project}/threads/{thread}";
    checkAt("GET", "/projects/{project}/threads", "p", "", null);
    for (String below :
        List.of(
            "", "/messages", "/observations", "/observations/record", "/observations/history")) {
      checkAt("GET", thread + below, "p", "t%2F1", null);
    }
    checkAt(
        "POST",
        "/projects/{project}/search",
        "p",
        "",
        "{\"query\":\"zebra\",\"resourceId\":\"r\"}");
    checkAt("POST", thread + "/export", "p", "t%2F1", "{}");
    checkAt("POST", "/projects/{project}/export", "p", "", "{}");
    checkAt("DELETE", thread, "p", "t%2F1", null);
    check("GET", "/providers", "", null, 200);
    UPSTREAM.enqueue(Answer.error(500, "oops", "no"));
    checkAt("POST", "/providers/{name}/test", "openai", "", "{\"model\":\"m\"}");
    check("POST", "/circuits", "", "{\"provider\":\"a\",\"model\":\"b\",\"state\":\"open\"}", 404);
    check("GET", "/audit", "", null, 200);
    check("GET", "/audit/export", "", null, 200);
    check("GET", "/audit/verify", "", null, 200);
    checkAt("POST", "/keys/{id}/rotate", id, "", "{}");
    checkAt("POST", "/keys/{id}/revoke", id, "", "{}");
    checkAt("GET", "/requests/{id}", "x", "", null, 400);

    Set<String> described = new TreeSet<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method -> {
                          if (METHODS.contains(method)) {
                            described.add(method + " " + path.getKey());
                          }
                        }));
    assertThat(checked).isEqualTo(described);
  }

  private static void checkAt(String method, String path, String first, String second, String body)
      throws Exception {
    checkAt(method, path, first, second, body, 200);
  }

  private static void checkAt(
      String method, String path, String first, String second, String body, int status)
      throws Exception {
    String url = path.replaceFirst("\\{\\w+\\}", first).replaceFirst("\\{\\w+\\}", second);
    check(method, path, url, "", body, status);
  }

  private static JsonNode check(String method, String path, String query, String body, int status)
      throws Exception {
    return check(method, path, path, query, body, status);
  }

  private static JsonNode check(
      String method, String path, String url, String query, String body, int status)
      throws Exception {
    HttpResponse<String> answer = owner.send(method, url + query, body);
    assertThat(answer.statusCode()).as(method + " " + url + answer.body()).isEqualTo(status);
    checked.add(method.toLowerCase(Locale.ROOT) + " /admin/api" + path);
    JsonNode content =
        document.at(
            "/paths/%s/%s/responses/%d/content"
                .formatted(
                    ("/admin/api" + path).replace("/", "~1"),
                    method.toLowerCase(Locale.ROOT),
                    status));
    assertThat(content.isMissingNode()).as("not described: " + method + path + status).isFalse();
    if (!content.has("application/json")) {
      assertThat(content.has(answer.headers().firstValue("Content-Type").orElseThrow())).isTrue();
      return null;
    }
    JsonNode value = JSON.readTree(answer.body());
    fits(content.at("/application~1json/schema/$ref").asText().substring(1), value);
    return value;
  }

  private static void fits(String pointer, JsonNode value) {
    JsonSchemaFactory factory =
        JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V202012,
            builder ->
                builder.schemaLoaders(
                    loaders ->
                        loaders.schemas(uri -> uri.equals(BASE) ? document.toString() : null)));
    assertThat(
            factory
                .getSchema(
                    SchemaLocation.of(BASE + "#" + pointer),
                    SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build())
                .validate(value))
        .as(pointer + " " + value)
        .isEmpty();
  }
}
