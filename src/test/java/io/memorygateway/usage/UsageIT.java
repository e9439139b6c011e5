package io.memorygateway.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every proxied call has its row, and the totals over them are exact. */
class UsageIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER = new TestGateway(DATABASE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String USAGE =
      "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":2}}}";

  @Test
  void aCallHasARowWithWhatItWasAndCost() throws Exception {
    UPSTREAM.enqueue(Answer.json(USAGE));
    call(GATEWAY, GATEWAY.key(), "whole", "{\"model\":\"openai/gpt-5\"}");

    Map<String, String> row = row("whole");
    assertThat(row)
        .containsEntry("endpoint", "chat")
        .containsEntry("provider", "openai")
        .containsEntry("model", "gpt-5")
        .containsEntry("status", "200")
        .containsEntry("stream", "0")
        .containsEntry("input_tokens", "7")
        .containsEntry("output_tokens", "3")
        .containsEntry("cached_tokens", "2")
        .containsEntry("thread_hash", null)
        .containsEntry("error_type", null);
    assertThat(row.get("duration_ms")).isNotNull();
    assertThat(row.get("upstream_ms")).isNotNull();
    assertThat(row.get("first_byte_ms")).isNotNull();
  }

  @Test
  void callsThatFailHaveOneToo() throws Exception {
    UPSTREAM.enqueue(Answer.error(429, "rate_limit_error", "no"));
    call(GATEWAY, GATEWAY.key(), "refused", "{\"model\":\"gpt-5\"}");
    UPSTREAM.enqueue(Answer.reset(), Answer.reset());
    call(GATEWAY, GATEWAY.key(), "broken", "{\"model\":\"gpt-5\"}");
    UPSTREAM.enqueue(Answer.sseThen(List.of("data: {\"choices\":[]}\n\n"), Answer.hang()));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post("/v1/chat/completions", GATEWAY.key(), "{\"model\":\"o1\",\"stream\":true}");
      client.readUntil("\n\n");
    }

    assertThat(row("refused"))
        .containsEntry("status", "429")
        .containsEntry("error_type", "upstream_answer");
    assertThat(row("broken"))
        .containsEntry("status", "502")
        .containsEntry("error_type", "upstream_error")
        .containsEntry("input_tokens", null);
    await().until(() -> !rows("model = 'o1'").isEmpty());
    assertThat(rows("model = 'o1'").get(0))
        .containsEntry("status", "499")
        .containsEntry("stream", "1")
        .containsEntry("error_type", "client_left");
  }

  @Test
  void totalsAreExactOverNodesKeysAndModels() throws Exception {
    UPSTREAM.answerAlways(Answer.json(USAGE));
    String first = GATEWAY.issueKey("totals");
    String second = GATEWAY.issueKey("totals");
    ExecutorService callers = Executors.newFixedThreadPool(8);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      TestGateway node = i % 2 == 0 ? GATEWAY : OTHER;
      String key = i % 3 == 0 ? first : second;
      String body = "{\"model\":\"" + (i % 5 == 0 ? "gpt-a" : "gpt-b") + "\"}";
      all.add(callers.submit(() -> call(node, key, "totals", body)));
    }
    for (Future<?> one : all) {
      one.get();
    }
    callers.shutdown();
    await().until(() -> report("project=totals").at("/total/calls").asInt() == 300);

    JsonNode report = report("project=totals&by=model,key");
    assertThat(report.at("/total/input_tokens").asInt()).isEqualTo(300 * 7);
    assertThat(report.at("/total/output_tokens").asInt()).isEqualTo(300 * 3);
    assertThat(report.at("/total/cached_input_tokens").asInt()).isEqualTo(300 * 2);
    assertThat(report.at("/total/errors").asInt()).isZero();
    assertThat(report.path("rows").findValuesAsText("model"))
        .containsExactly("gpt-a", "gpt-a", "gpt-b", "gpt-b");
    assertThat(report.path("rows").findValues("calls").stream().map(JsonNode::asInt))
        .containsExactlyInAnyOrder(20, 40, 80, 160);
    assertThat(report("project=totals").path("rows")).hasSizeBetween(1, 2);
    assertThat(report("project=totals&to=2020-01-01").at("/total/calls").asInt()).isZero();
    assertThat(report("project=nobody").at("/total/calls").asInt()).isZero();
  }

  @Test
  void ofADeletedThreadOnlyAHashIsKeptByWhichItsCallsCanStillBeCounted() throws Exception {
    GATEWAY.send(
        GATEWAY
            .request("/v1/chat/completions")
            .header("Content-Type", "application/json")
            .header("X-Request-Id", "of-thread")
            .header("x-thread-id", "holiday-plans")
            .header("x-resource-id", "r")
            .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"gpt-5\",\"messages\":[]}")));
    GATEWAY.send(GATEWAY.request("/v1/memory/threads/holiday-plans").DELETE());

    assertThat(row("of-thread").get("thread_hash")).isNotNull();
    assertThat(row("of-thread").values()).doesNotContain("holiday-plans");
    assertThat(report("project=test&thread=holiday-plans").at("/total/calls").asInt()).isEqualTo(1);
    assertThat(report("project=test&thread=other").at("/total/calls").asInt()).isZero();
    String hash =
        LoggedCall.hash(Long.parseLong(row("of-thread").get("project_id")), "holiday-plans");
    assertThat(report("project=test&by=project,thread").path("rows").findValuesAsText("thread"))
        .contains(hash);
    HttpResponse<String> refused = task("usage?thread=holiday-plans");
    ErrorEnvelope.check(refused, 400, "invalid_request_error");
  }

  @Test
  void reportsAreTablesCsvOrJsonOnTheAdminPortAndTheCommandLine() throws Exception {
    UPSTREAM.enqueue(Answer.json(USAGE));
    call(GATEWAY, GATEWAY.issueKey("forms"), "forms", "{\"model\":\"gpt-\\\"a\\\",b\"}");
    row("forms");
    String words = "project=forms&by=project,model&format=";

    assertThat(task("usage?" + words + "csv").body())
        .isEqualTo(
            String.join(
                "\r\n",
                "project,model,calls,errors,failed_attempts,calls_without_tokens,input_tokens,output_tokens,cached_input_tokens,cost,calls_without_cost",
                "forms,\"gpt-\"\"a\"\",b\",1,0,0,0,7,3,2,,1",
                ""));
    assertThat(task("usage?" + words + "csv").headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/csv");
    assertThat(task("usage?" + words + "table").body().lines().map(String::strip))
        .containsExactly(
            "PROJECT  MODEL      CALLS  ERRORS  FAILED ATTEMPTS  CALLS WITHOUT TOKENS  INPUT TOKENS"
                + "  OUTPUT TOKENS  CACHED INPUT TOKENS  COST  CALLS WITHOUT COST",
            "forms    gpt-\"a\",b  1      0       0                0                     7         "
                + "    3              2                          1",
            "total               1      0       0                0                     7           "
                + "  3              2                          1");
    CommandLine gateway = new CommandLine().with(DATABASE);
    CommandLine.Outcome json =
        gateway.run("usage", "--project", "forms", "--by", "project", "config.yml");
    assertThat(json.status()).isZero();
    assertThat(JSON.readTree(json.out()).at("/total/input_tokens").asInt()).isEqualTo(7);
    assertThat(
            gateway
                .run(
                    "usage", "config.yml", "--project", "forms", "--by", "model", "--format", "csv")
                .out())
        .isEqualTo(task("usage?project=forms&by=model&format=csv").body());
  }

  @Test
  void wrongWordsAreSaidInOneLine() throws Exception {
    CommandLine gateway = new CommandLine().with(DATABASE);
    assertThat(gateway.run("usage", "--by", "hour", "config.yml").failure()).contains("by", "day");
    assertThat(gateway.run("usage", "--from", "monday", "config.yml").failure()).contains("from");
    assertThat(gateway.run("usage", "--format", "xml", "config.yml").failure()).contains("format");
    for (String wrong : new String[] {"zebra=1", "by=", "from=2026-02-02&to=2026-02-01"}) {
      ErrorEnvelope.check(task("usage?" + wrong), 400, "invalid_request_error");
    }
    assertThat(gateway.run("usage", "--help").out()).contains("--from", "--by", "--project");
  }

  private static JsonNode report(String words) throws Exception {
    return GATEWAY.task("usage?" + words);
  }

  private static HttpResponse<String> task(String words) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + words))
            .POST(HttpRequest.BodyPublishers.noBody()));
  }

  private static int call(TestGateway node, String key, String id, String body) throws Exception {
    return node.send(
            HttpRequest.newBuilder(URI.create(node.url() + "/v1/chat/completions"))
                .header("x-api-key", key)
                .header("Content-Type", "application/json")
                .header("X-Request-Id", id)
                .POST(HttpRequest.BodyPublishers.ofString(body)))
        .statusCode();
  }

  private static Map<String, String> row(String requestId) {
    String where = "request_id = '" + requestId + "'";
    await().until(() -> rows(where).size() == 1);
    return rows(where).get(0);
  }

  private static List<Map<String, String>> rows(String where) {
    List<Map<String, String>> all = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        ResultSet rows =
            connection.createStatement().executeQuery("SELECT * FROM request_log WHERE " + where)) {
      while (rows.next()) {
        Map<String, String> row = new HashMap<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.put(rows.getMetaData().getColumnName(i), rows.getString(i));
        }
        all.add(row);
      }
      return all;
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }
}
