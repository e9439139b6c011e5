package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: operators see the threads of projects, export them and delete them. */
class AdminThreadsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).withoutKey().configured(AdminClient::takeTokens);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ODD = "a/b%2F;c ü?#..";

  private static AdminClient viewer;
  private static AdminClient operator;
  private static AdminClient owner;
  private static String key;
  private static String projectId;

  @BeforeAll
  static void threads() throws Exception {
    viewer = AdminClient.of(GATEWAY, DATABASE, "viewer");
    operator = AdminClient.of(GATEWAY, DATABASE, "operator");
    owner = AdminClient.of(GATEWAY, DATABASE, "owner");
    JsonNode issued = owner.post("/keys", "{\"project\":\"shop\",\"name\":\"till\"}");
    key = issued.path("key").asText();
    projectId = issued.path("projectId").asText();
    owner.post("/keys", "{\"project\":\"other\",\"name\":\"o\"}");
    for (String id : new String[] {ODD, ".", "..", "kept", "gone"}) {
      make(id);
    }
  }

  private static void make(String id) throws Exception {
    memory(
        "POST", "/threads", "{\"id\":" + JSON.writeValueAsString(id) + ",\"resourceId\":\"r1\"}");
    memory(
        "POST",
        "/threads/" + AdminClient.segment(id) + "/messages",
        "{\"messages\":[{\"id\":\"m1\",\"role\":\"user\",\"content\":\"The zebra is striped.\"},"
            + "{\"id\":\"m2\",\"role\":\"assistant\",\"content\":\"Indeed.\"}]}");
  }

  @Test
  void threadsAreListedByProjectAndResource() throws Exception {
    for (String project : new String[] {"shop", projectId}) {
      assertThat(operator.get("/projects/" + project + "/threads").path("threads").size())
          .isGreaterThanOrEqualTo(2);
    }
    String threads = "/projects/shop/threads";
    assertThat(operator.get(threads + "?resourceId=r1&limit=1").path("threads")).hasSize(1);
    assertThat(operator.get(threads + "?resourceId=r2").path("total").asInt()).isZero();
    assertThat(operator.get("/projects/other/threads").path("total").asInt()).isZero();
    ErrorEnvelope.check(operator.send("GET", "/projects/zebra/threads", null), 404, "not_found");
    ErrorEnvelope.check(
        operator.send("GET", threads + "?limit=0", null), 400, "invalid_request_error");
  }

  /** Its name is compared with ids, too, which are ASCII. */
  @Test
  void aProjectMayHaveANameOfAnyScript() throws Exception {
    for (String name : new String[] {"größe", "日本", "😀"}) {
      owner.post("/keys", "{\"project\":\"" + name + "\",\"name\":\"n\"}");
      String project = "/projects/" + AdminClient.encoded(name);
      assertThat(operator.get(project + "/threads").path("total").asInt()).isZero();
      assertThat(operator.send("POST", project + "/export", null).statusCode()).isEqualTo(200);
      String budgets = "/budgets" + project;
      operator.send(
          "PUT", budgets + "/own", "{\"unit\":\"tokens\",\"limit\":9,\"window\":\"day\"}");
      assertThat(operator.get(budgets).findValuesAsText("name")).contains("own");
    }
    ErrorEnvelope.check(operator.send("GET", "/projects/%C3%A4/threads", null), 404, "not_found");
  }

  @ParameterizedTest
  @ValueSource(strings = {ODD, ".", "..", "kept"})
  void whatIsInAThreadIsWhatItsKeysSee(String id) throws Exception {
    String path = "/threads/" + AdminClient.segment(id);
    for (String below :
        new String[] {
          "",
          "/messages",
          "/messages?order=desc&limit=1",
          "/messages?around=m2&limit=1",
          "/observations",
          "/observations/record",
          "/observations/history"
        }) {
      assertThat(operator.get("/projects/shop" + path + below))
          .as(below)
          .isEqualTo(memory("GET", path + below, null));
    }
    ErrorEnvelope.check(
        operator.send("GET", "/projects/other" + path + "/messages", null), 404, "not_found");
  }

  @Test
  void messagesAreFoundByTheirWords() throws Exception {
    JsonNode found =
        operator.post("/projects/shop/search", "{\"query\":\"zebra\",\"resourceId\":\"r1\"}");
    assertThat(found.path("hits").findValuesAsText("threadId")).contains("kept", ODD);
    ErrorEnvelope.check(
        operator.send("POST", "/projects/shop/search", "{}"), 400, "invalid_request_error");
    HttpResponse<String> misspelt =
        operator.send(
            "POST",
            "/projects/shop/search",
            "{\"query\":\"zebra\",\"resourceId\":\"r1\",\"rolls\":[\"user\"]}");
    ErrorEnvelope.check(misspelt, 400, "invalid_request_error");
    assertThat(misspelt.body()).contains("Unknown member of the body rolls; known are context,");
    assertThat(
            operator
                .post("/projects/other/search", "{\"query\":\"zebra\",\"resourceId\":\"r1\"}")
                .path("hits"))
        .isEmpty();
  }

  @Test
  void anExportIsThatOfTheCommandAndIsRecordedBefore() throws Exception {
    HttpResponse<String> one =
        operator.send(
            "POST", "/projects/shop/threads/" + AdminClient.segment(ODD) + "/export", "{}");
    assertThat(one.statusCode()).isEqualTo(200);
    assertThat(one.headers().firstValue("Content-Type").orElseThrow())
        .isEqualTo("application/x-ndjson");
    CommandLine.Outcome command =
        new CommandLine()
            .with(DATABASE)
            .run("thread", "export", "--project", "shop", "--thread", ODD, "config.yml");
    assertThat(one.body().strip()).isEqualTo(command.out().strip());
    assertThat(one.body().lines().filter(line -> line.contains("\"type\":\"end\""))).hasSize(1);
    HttpResponse<String> all = operator.send("POST", "/projects/shop/export?resourceId=r1", "{}");
    assertThat(all.body().lines().filter(line -> line.contains("\"type\":\"end\"")).count())
        .isGreaterThanOrEqualTo(2);
    ErrorEnvelope.check(
        operator.send("POST", "/projects/shop/threads/zebra/export", "{}"), 404, "not_found");
    JsonNode rows = viewer.get("/audit?limit=200").path("rows");
    assertThat(rows)
        .anySatisfy(
            row -> {
              assertThat(row.path("action").asText()).isEqualTo("thread-export");
              assertThat(row.path("role").asText()).isEqualTo("operator");
              assertThat(row.at("/after/thread").asText()).isEqualTo(ODD);
            });
  }

  @Test
  void aThreadIsDeletedAndThatIsRecorded() throws Exception {
    assertThat(
            AdminClient.json(owner.send("DELETE", "/projects/shop/threads/gone", null))
                .path("ok")
                .asBoolean())
        .isTrue();
    ErrorEnvelope.check(
        operator.send("GET", "/projects/shop/threads/gone", null), 404, "not_found");
    ErrorEnvelope.check(
        owner.send("DELETE", "/projects/shop/threads/gone", null), 404, "not_found");
    JsonNode rows = viewer.get("/audit?limit=200").path("rows");
    assertThat(rows)
        .filteredOn(row -> row.path("action").asText().equals("thread-delete"))
        .hasSize(1)
        .allSatisfy(
            row -> {
              assertThat(row.path("subject").asText()).isEqualTo("gone");
              assertThat(row.at("/before/resourceId").asText()).isEqualTo("r1");
              assertThat(row.at("/before/project").asText()).isEqualTo("shop");
              assertThat(row.path("after").isNull()).isTrue();
            });
  }

  @ParameterizedTest
  @CsvSource({
    "viewer,DELETE,/projects/shop/threads/kept",
    "operator,DELETE,/projects/shop/threads/kept",
    "viewer,POST,/projects/shop/threads/kept/export",
    "viewer,POST,/projects/shop/export",
    "viewer,GET,/projects/shop/threads",
    "viewer,GET,/projects/shop/threads/kept",
    "viewer,GET,/projects/shop/threads/kept/messages",
    "viewer,GET,/projects/shop/threads/kept/observations",
    "viewer,GET,/projects/shop/threads/kept/observations/record",
    "viewer,GET,/projects/shop/threads/kept/observations/history",
    "viewer,POST,/projects/shop/search",
  })
  void aRoleThatIsTooLowIsRefused(String role, String method, String path) throws Exception {
    AdminClient client = role.equals("viewer") ? viewer : operator;
    ErrorEnvelope.check(
        client.send(method, path, method.equals("POST") ? "{}" : null),
        403,
        "invalid_request_error");
    assertThat(operator.get("/projects/shop/threads/kept").path("thread").path("id").asText())
        .isEqualTo("kept");
  }

  private static JsonNode memory(String method, String path, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/memory" + path))
            .header("x-api-key", key)
            .header("Content-Type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    return AdminClient.json(GATEWAY.send(request));
  }
}
