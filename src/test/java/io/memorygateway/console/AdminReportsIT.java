package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: who uses the gateway, how much, and what fails. */
class AdminReportsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withoutKey()
          .configured(AdminClient::takeTokens)
          .configured(AdminReportsIT::addRoute);

  private static final String USAGE =
      "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}";

  /** Of an answer by gpt-b, in dollars; =gpt has no price. */
  private static final String COST = "0.000013";

  private static AdminClient viewer;
  private static String keyId;
  private static String key;

  private static void addRoute(ObjectNode config) {
    config.withObject("/prices").putObject("openai/gpt-b").put("input", 1).put("output", 2);
    ObjectNode route = config.putObject("routes").putObject("safe");
    ArrayNode groups = route.putArray("groups");
    for (String model : List.of("openai/gpt-a", "openai/gpt-b")) {
      groups.addArray().addObject().put("to", model);
    }
  }

  @BeforeAll
  static void calls() throws Exception {
    Limits.awaitRoomInTheDay();
    viewer = AdminClient.of(GATEWAY, DATABASE, "viewer");
    JsonNode issued =
        AdminClient.of(GATEWAY, DATABASE, "owner")
            .post("/keys", "{\"project\":\"shop\",\"name\":\"till\"}");
    keyId = issued.path("id").asText();
    key = issued.path("key").asText();
    UPSTREAM.enqueue(Answer.json(USAGE));
    call("one", "openai/=gpt", null);
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", "no"));
    call("two", "openai/gpt-5", null);
    UPSTREAM.enqueue(Answer.error(503, "overloaded", "no"), Answer.json(USAGE));
    call("three", "safe", "thread-1");
    await().until(() -> viewer.get("/requests").path("requests").size() == 3);
  }

  @Test
  void aCallIsOneRowWithItsAttempts() throws Exception {
    JsonNode row = viewer.get("/requests?requestId=three").path("requests").get(0);
    assertThat(row.path("attempts").asInt()).isEqualTo(2);
    assertThat(row.path("model").asText()).isEqualTo("gpt-b");
    JsonNode call = viewer.get("/requests/" + row.path("id").asText());
    assertThat(call.path("hasThread").asBoolean()).isTrue();
    assertThat(call.path("attemptList")).hasSize(2);
    assertThat(call.at("/attemptList/0/outcome").asText()).isEqualTo("failed_over");
    assertThat(call.at("/attemptList/0/model").asText()).isEqualTo("gpt-a");
    assertThat(call.at("/attemptList/0/status").asInt()).isEqualTo(503);
    assertThat(call.at("/attemptList/1/outcome").asText()).isEqualTo("answered");
    assertThat(call.at("/attemptList/1/inputTokens").asInt()).isEqualTo(7);
    assertThat(call.at("/attemptList/0/cost").isNull()).isTrue();
    assertThat(call.at("/attemptList/1/cost").asText()).isEqualTo(COST);
    assertThat(call.path("cost").asText()).isEqualTo(COST);
    JsonNode unknown = viewer.get("/requests?requestId=one").path("requests").get(0);
    assertThat(unknown.path("cost").isNull()).as("without a price").isTrue();
  }

  @Test
  void callsOfAThreadAreFoundByItsId() throws Exception {
    assertThat(viewer.get("/requests?project=shop&thread=thread-1").path("requests")).hasSize(1);
    assertThat(viewer.get("/requests?project=shop&thread=thread-2").path("requests")).isEmpty();
    ErrorEnvelope.check(
        viewer.send("GET", "/requests?thread=thread-1", null), 400, "invalid_request_error");
  }

  @Test
  void theOverviewSaysWhoUsesItHowMuchAndWhatFails() throws Exception {
    JsonNode overview = viewer.get("/overview");
    assertThat(overview.path("bucketSeconds").asInt()).isEqualTo(300);
    assertThat(overview.path("buckets").size()).isBetween(12, 13);
    assertThat(overview.at("/totals/calls").asInt()).isEqualTo(3);
    assertThat(overview.at("/totals/errors").asInt()).isEqualTo(1);
    assertThat(overview.at("/totals/failedAttempts").asInt()).isEqualTo(1);
    assertThat(overview.at("/totals/inputTokens").asInt()).isEqualTo(14);
    assertThat(overview.at("/totals/cost").asText()).isEqualTo(COST);
    assertThat(overview.at("/totals/callsWithoutCost").asInt()).isEqualTo(1);
    assertThat(overview.at("/topKeys/0/cost").asText()).isEqualTo(COST);
    assertThat(overview.path("buckets").findValuesAsText("cost")).containsOnlyOnce(COST);
    assertThat(
            overview.path("buckets").findValues("calls").stream().mapToInt(JsonNode::asInt).sum())
        .isEqualTo(3);
    assertThat(overview.at("/topKeys/0/keyId").asText()).isEqualTo(keyId);
    assertThat(overview.at("/topKeys/0/project").asText()).isEqualTo("shop");
    assertThat(overview.path("topModels").findValuesAsText("model"))
        .containsExactlyInAnyOrder("=gpt", "gpt-5", "gpt-b", "gpt-a");
    assertThat(overview.path("errors")).hasSize(1);
    assertThat(overview.at("/errors/0/status").asInt()).isEqualTo(400);
    assertThat(overview.at("/errors/0/type").asText()).isEqualTo("upstream_answer");
    assertThat(overview.at("/health/checks").findValuesAsText("name")).contains("circuits");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 6, 7, 8, 30, 365})
  void anOverviewOfAnyRangeHasABoundedNumberOfBuckets(int days) throws Exception {
    String to = LocalDate.now(ZoneOffset.UTC).plusDays(1) + "T00:00:00Z";
    String from = LocalDate.now(ZoneOffset.UTC).plusDays(1 - days) + "T00:00:00Z";
    JsonNode overview = viewer.get("/overview?from=" + from + "&to=" + to);
    assertThat(overview.path("buckets").size()).isBetween(1, 500);
    assertThat(overview.at("/totals/calls").asInt()).isEqualTo(3);
    assertThat(
            overview.path("buckets").findValues("calls").stream().mapToInt(JsonNode::asInt).sum())
        .isEqualTo(3);
  }

  @Test
  void usageIsAddedUpByDayAndMore() throws Exception {
    JsonNode report = viewer.get("/usage?by=day,project,key,model&project=shop");
    assertThat(report.path("rows")).hasSize(4);
    JsonNode row = report.path("rows").get(0);
    assertThat(row.path("project").asText()).isEqualTo("shop");
    assertThat(row.path("key").asText()).isEqualTo(keyId);
    assertThat(row.path("keyName").asText()).isEqualTo("till");
    assertThat(report.at("/total/calls").asInt()).isEqualTo(3);
    assertThat(report.at("/total/outputTokens").asInt()).isEqualTo(6);
    assertThat(report.at("/total/cost").asText()).isEqualTo(COST);
    assertThat(report.path("rows").findValuesAsText("cost")).containsOnly("null", COST);
    assertThat(viewer.get("/usage?project=nobody").path("rows")).isEmpty();
    assertThat(viewer.get("/usage?key=" + keyId + "&model=gpt-5").at("/total/errors").asInt())
        .isEqualTo(1);
    String today = report.path("to").asText();
    JsonNode command =
        new com.fasterxml.jackson.databind.ObjectMapper()
            .readTree(
                new io.memorygateway.CommandLine()
                    .with(DATABASE)
                    .run("usage", "--by", "model", "--from", today, "config.yml")
                    .out());
    JsonNode same = viewer.get("/usage?by=model&from=" + today);
    for (String name : new String[] {"calls", "errors"}) {
      assertThat(same.at("/total/" + name)).isEqualTo(command.at("/total/" + name));
    }
    assertThat(command.at("/total/cost").asText()).isEqualTo(COST);
    assertThat(same.at("/total/callsWithoutCost"))
        .isEqualTo(command.at("/total/calls_without_cost"));
    assertThat(same.at("/total/inputTokens")).isEqualTo(command.at("/total/input_tokens"));
    assertThat(same.at("/total/failedAttempts")).isEqualTo(command.at("/total/failed_attempts"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usage?from=yesterday",
        "/usage?from=2026-02-01&to=2026-01-01",
        "/usage?from=2020-01-01&to=2026-01-01",
        "/usage?from=",
        "/usage?project=&by=model",
        "/requests?status=",
        "/audit?outcome=",
        "/audit?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
        "/keys?project=",
        "/usage?by=zebra",
        "/usage?by=day,day",
        "/usage?by=thread",
        "/usage?format=xml",
        "/requests?format=csv&limit=0",
        "/overview?from=2020-01-01T00:00:00Z",
        "/overview?from=x",
        "/overview?to=%2B999999999-12-31T23:59:59Z",
        "/audit?from=-999999999-12-31T23:59:59Z",
        "/audit?action=%F0%9F%98%80",
        "/audit?outcome=%FF",
        "/requests?endpoint=%C3%A9",
        "/requests?after=999999999999999-1",
        "/requests?key=%C3%A9",
        "/requests?requestId=%C3%A9",
        "/usage?key=%C3%A9",
      })
  void aWrongQuestionIsRefused(String path) throws Exception {
    ErrorEnvelope.check(viewer.send("GET", path, null), 400, "invalid_request_error");
  }

  @Test
  void tablesAreCsvAsWell() throws Exception {
    HttpResponse<String> usage = viewer.send("GET", "/usage?by=model&format=csv", null);
    assertThat(usage.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/csv");
    assertThat(usage.headers().firstValue("Content-Disposition").orElseThrow())
        .contains("usage.csv");
    assertThat(usage.body().lines().toList())
        .first()
        .isEqualTo(
            "model,calls,errors,failedAttempts,callsWithoutTokens,inputTokens,outputTokens,cachedInputTokens,cost,callsWithoutCost,durationMs");
    assertThat(usage.body()).as("no formula").contains("\r\n\"'=gpt\",1,0,0,0,7,3,0,,1,");
    HttpResponse<String> requests =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/admin/api/requests"))
                .header("Authorization", "Bearer " + viewer.token())
                .header("Accept", "text/csv"));
    assertThat(requests.body().lines()).hasSize(4);
    assertThat(requests.body()).startsWith("id,startedAt,requestId,project,keyId,");
    List<String> two =
        viewer.send("GET", "/requests?limit=2&format=csv", null).body().lines().toList();
    assertThat(two.subList(0, 3)).isEqualTo(requests.body().lines().toList().subList(0, 3));
    assertThat(two.get(3)).startsWith("There are more rows than these 2");
  }

  @Test
  void projectsAreListedWithTheirKeys() throws Exception {
    JsonNode projects = viewer.get("/projects").path("projects");
    assertThat(projects).hasSize(1);
    assertThat(projects.get(0).path("name").asText()).isEqualTo("shop");
    assertThat(projects.get(0).path("activeKeys").asInt()).isEqualTo(1);
  }

  private static void call(String id, String model, String thread) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"))
            .header("x-api-key", key)
            .header("Content-Type", "application/json")
            .header("X-Request-Id", id)
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"model\":\"" + model + "\",\"messages\":[]}"));
    if (thread != null) {
      request.header("x-thread-id", thread).header("x-resource-id", "r");
    }
    GATEWAY.send(request);
  }
}
