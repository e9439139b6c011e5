package io.memorygateway.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One line for each request, as JSON: what operators look for, and nothing that is secret. */
class AccessLogIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config ->
                  config
                      .withObject("/logging/appenders/0/layout")
                      .put("type", "gateway")
                      .put("format", "json"));

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void aCallIsOneLineWithItsModelTokensAndTimes() throws Exception {
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":2}}}"));

    send("call-1", "/v1/chat/completions", "{\"model\":\"openai/gpt-5\",\"messages\":[]}");

    JsonNode line = line("call-1");
    assertThat(line.path("endpoint").asText()).isEqualTo("/v1/chat/completions");
    assertThat(line.path("method").asText()).isEqualTo("POST");
    assertThat(line.path("status").asInt()).isEqualTo(200);
    assertThat(line.path("project").asText()).isEqualTo("test");
    assertThat(line.path("key").asText()).isEqualTo(GATEWAY.key().substring(0, 8));
    assertThat(line.path("provider").asText()).isEqualTo("openai");
    assertThat(line.path("model").asText()).isEqualTo("gpt-5");
    assertThat(line.path("stream").asBoolean(true)).isFalse();
    assertThat(line.path("input_tokens").asInt()).isEqualTo(7);
    assertThat(line.path("output_tokens").asInt()).isEqualTo(3);
    assertThat(line.path("cached_input_tokens").asInt()).isEqualTo(2);
    assertThat(line.path("cost").asText()).isEqualTo("0.0000365");
    assertThat(line.path("bytes_in").asInt()).isEqualTo(38);
    assertThat(line.path("bytes_out").asInt()).isPositive();
    assertThat(line.path("first_byte_ms").asDouble()).isPositive();
    assertThat(line.path("upstream_ms").asDouble())
        .isGreaterThanOrEqualTo(line.path("first_byte_ms").asDouble());
    assertThat(line.path("duration_ms").asDouble())
        .isGreaterThan(line.path("upstream_ms").asDouble());
    assertThat(line.path("timestamp").asText()).matches("....-..-..T..:..:.*Z");
    assertThat(GATEWAY.log()).doesNotContain(GATEWAY.key()).doesNotContain("messages\"");
  }

  @Test
  void aStreamIsOneLineWhenItIsOver() throws Exception {
    send("stream-1", "/v1/chat/completions", "{\"model\":\"gpt-5\",\"stream\":true}");

    JsonNode line = line("stream-1");
    assertThat(line.path("stream").asBoolean()).isTrue();
    assertThat(line.path("output_tokens").asInt()).isPositive();
  }

  @Test
  void pathsOfTheMemoryApiAreTemplatesAndHoldNoIds() throws Exception {
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads/secret-thread/messages/secret-message?resourceId=secret-r")
            .header("X-Request-Id", "memory-1"));

    assertThat(line("memory-1").path("endpoint").asText())
        .isEqualTo("/v1/memory/threads/{thread}/messages/{message}");
    assertThat(line("memory-1").path("status").asInt()).isEqualTo(404);
    assertThat(GATEWAY.log()).doesNotContain("secret-");
  }

  @Test
  void whatIsRefusedBeforeAResourceHasALineToo() throws Exception {
    GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/models"))
            .header("X-Request-Id", "no-key"));
    GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/memory/threads/secret-id"))
            .header("X-Request-Id", "no-key-memory"));
    GATEWAY.send(GATEWAY.request("/nowhere/msk_secret").header("X-Request-Id", "no-path"));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "GET / HTTP/1.1\r\nX-Request-Id: no-http\r\nHost: a\r\nContent-Length: x\r\n\r\n");
      client.readAnswer();
    }

    assertThat(line("no-key").path("status").asInt()).isEqualTo(401);
    assertThat(line("no-key").has("project")).isFalse();
    assertThat(line("no-key").path("endpoint").asText()).isEqualTo("/v1/models");
    assertThat(line("no-key-memory").path("endpoint").asText()).isEqualTo("/v1/memory");
    assertThat(line("no-path").path("status").asInt()).isEqualTo(404);
    assertThat(line("no-path").path("endpoint").asText()).isEqualTo("unmatched");
    assertThat(line("no-http").path("status").asInt()).isEqualTo(400);
    assertThat(GATEWAY.log()).doesNotContain("msk_secret").doesNotContain("secret-id");
  }

  @Test
  void aModelsNameCannotForgeALine() throws Exception {
    String model = "gpt-\\n{\\\"forged\\\":1}\\u2028" + "x".repeat(200);
    send("forger", "/v1/chat/completions", "{\"model\":\"" + model + "\"}");
    send("leaker", "/v1/chat/completions", "{\"model\":\"" + GATEWAY.key() + "\"}");

    assertThat(line("forger").path("model").asText())
        .hasSize(128)
        .startsWith("gpt-?{\"forged\":1}?x");
    assertThat(line("leaker").path("model").asText()).isEqualTo("msk_***");
  }

  @Test
  void itIsTurnedOffAndOnByTheTaskLogLevel() throws Exception {
    task("log-level?logger=io.memorygateway.access&level=OFF");
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(raw("unseen")).readAnswer();
      // A request is over, for the log too, before the next of its connection begins.
      client.send(raw("next")).readAnswer();
    } finally {
      task("log-level?logger=io.memorygateway.access&level=INFO");
    }
    send("seen", "/v1/chat/completions", "{\"model\":\"gpt-5\"}");

    line("seen");
    assertThat(GATEWAY.log()).doesNotContain("unseen");
  }

  @Test
  void otherLinesAreJsonAsWell() throws Exception {
    UPSTREAM.enqueue(Answer.reset(), Answer.reset());
    send("broken", "/v1/chat/completions", "{\"model\":\"gpt-5\"}");

    line("broken");
    for (String text : logged()) {
      JsonNode line = JSON.readTree(text);
      assertThat(line.path("timestamp").asText()).matches("....-..-..T..:..:.*Z");
      assertThat(line.path("level").asText()).isNotEmpty();
      assertThat(line.path("logger").asText()).isNotEmpty();
    }
    assertThat(GATEWAY.log()).contains("\"level\":\"WARN\"").contains("\"request_id\":\"broken\"");
  }

  @Test
  void requestsAreCountedByTemplateAndProject() throws Exception {
    send("counted", "/v1/chat/completions", "{\"model\":\"gpt-5\"}");
    line("counted");

    assertThat(GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))))
        .extracting(java.net.http.HttpResponse::body)
        .asString()
        .contains(
            "memory_gateway_http_requests_total{endpoint=\"/v1/chat/completions\",method=\"POST\",status=\"200\"} ")
        .contains("memory_gateway_http_request_seconds_bucket{endpoint=\"/v1/chat/completions\",")
        .contains("memory_gateway_project_requests_total{project=\"test\",status=\"2xx\"} ")
        .contains("memory_gateway_project_tokens_total{kind=\"input\",project=\"test\"} ")
        .contains("memory_gateway_project_cost_dollars_total{project=\"test\"} ")
        .contains("memory_gateway_llm_cost_dollars_total{endpoint=\"chat\",provider=\"openai\"} ")
        .contains("memory_gateway_llm_added_seconds_bucket{endpoint=\"chat\",")
        .contains(
            "memory_gateway_llm_upstream_seconds_bucket{endpoint=\"chat\",provider=\"openai\"")
        .contains("memory_gateway_access_log_dropped_total 0.0")
        .doesNotContain("secret-thread");
  }

  @Test
  void probesOfLoadBalancersAreNoRequestsWhateverTheAnswer() throws Exception {
    task("drain");
    try {
      for (String probe :
          List.of(
              "GET /health-check",
              "OPTIONS /health-check",
              "POST /health-check",
              "FOO /health-check",
              "GET /health-check;a=b?type=ready",
              "GET /health-check?type=alive")) {
        try (RawClient client = new RawClient(GATEWAY.port())) {
          client.send(probe + " HTTP/1.1\r\nHost: a\r\nX-Request-Id: probe\r\n\r\n").readAll();
        }
      }
    } finally {
      task("drain?state=off");
    }
    send("after-drain", "/v1/chat/completions", "{\"model\":\"gpt-5\"}");

    line("after-drain");
    assertThat(lines("\"status\":503")).isEmpty();
    assertThat(logged()).noneMatch(line -> line.contains("\"probe\""));
    assertThat(
            GATEWAY
                .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
                .body())
        .doesNotContainPattern("http_requests_total\\{.*(503|405|501|OPTIONS)");
  }

  private static void task(String words) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + words))
            .POST(HttpRequest.BodyPublishers.noBody());
    assertThat(GATEWAY.send(request).statusCode()).isEqualTo(200);
  }

  private static void send(String id, String path, String body) throws Exception {
    GATEWAY.send(
        GATEWAY
            .request(path)
            .header("X-Request-Id", id)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static String raw(String id) {
    String body = "{\"model\":\"gpt-5\"}";
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nX-Request-Id: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(id, GATEWAY.key(), body.length(), body);
  }

  /** The one line of a request. */
  private static JsonNode line(String id) throws Exception {
    String field = "\"request_id\":\"" + id + "\"";
    await().until(() -> lines(field).size() == 1);
    return JSON.readTree(lines(field).get(0));
  }

  private static List<String> lines(String field) throws Exception {
    return logged().stream()
        .filter(line -> line.contains("\"" + AccessLog.LOGGER_NAME + "\"") && line.contains(field))
        .toList();
  }

  /** Whole lines: the last one may be half written. */
  private static List<String> logged() throws Exception {
    String log = GATEWAY.log();
    return log.substring(0, log.lastIndexOf('\n') + 1).lines().toList();
  }
}
