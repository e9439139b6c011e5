package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate limits as a client of the gateway meets them (contract §4). Windows are of a day. */
class RateLimitFilterIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).configured(RateLimitFilterIT::rules);

  private String key;
  private String keyId;

  private static void rules(ObjectNode config) {
    ObjectNode limits = (ObjectNode) config.get("rateLimits");
    // A request that a stalled database answers too late is counted twice.
    limits.put("timeout", "20s");
    ObjectNode rules = limits.putObject("rules");
    rule(rules, "global", "all", 20);
    rule(rules, "llm_proxy", "llm", 10);
    rule(rules, "llm_burst", "llm", 5);
    rule(rules, "memory_read", "memory_read", 8);
    rule(rules, "memory_write", "memory_write", 4);
  }

  private static void rule(ObjectNode rules, String name, String appliesTo, long limit) {
    rules.putObject(name).put("appliesTo", appliesTo).put("limit", limit).put("window", "1d");
  }

  @BeforeEach
  void aFreshKey() throws Exception {
    Limits.awaitRoomInTheDay();
    await().until(() -> sharing().equals("shared"));
    JsonNode issued = GATEWAY.task("key-issue?project=limits&name=it");
    key = issued.path("key").asText();
    keyId = issued.path("id").asText();
  }

  @ParameterizedTest
  @CsvSource({
    "GET,    /v1/memory/threads,       memory_read,  8,  7",
    "HEAD,   /v1/memory/threads,       memory_read,  8,  7",
    "GET,    /v1/memory;a=b/threads/x, memory_read,  8,  7",
    "GET,    /v1/memory,               memory_read,  8,  7",
    "PATCH,  /v1/memory/threads/a%2Fb, memory_write, 4,  3",
    "DELETE, /v1/memory/threads/a,     memory_write, 4,  3",
    "OPTIONS, /v1/memory/threads,      memory_write, 4,  3",
    "POST,   /v1/messages,             llm_proxy,    5,  4",
    "POST,   /v1/chat/completions/,    llm_proxy,    5,  4",
    "GET,    /v1/responses,            llm_proxy,    5,  4",
    "GET,    /v1/nowhere,              llm_proxy,    20, 19",
    "GET,    /v1/memoryless,           llm_proxy,    20, 19",
    "GET,    /v1/models,               llm_proxy,    20, 19",
    "POST,   /v1/messages/count_tokens, llm_proxy,   20, 19",
  })
  void everyAnswerShowsTheRuleWithTheFewestRequestsLeft(
      String method, String path, String scope, String limit, String remaining) throws Exception {
    HttpResponse<String> answer = call(method, path);

    assertThat(header(answer, "X-RateLimit-Scope")).isEqualTo(scope);
    assertThat(header(answer, "X-RateLimit-Limit")).isEqualTo(limit);
    assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo(remaining);
    assertThat(Long.parseLong(header(answer, "X-RateLimit-Reset")))
        .isEqualTo((Instant.now().getEpochSecond() / 86_400 + 1) * 86_400);
    assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "GET,  /v1/memory/threads,   memory_read,  8",
    "POST, /v1/memory/threads,   memory_write, 4",
    "POST, /v1/chat/completions, llm_proxy,    5",
    "GET,  /v1/nowhere,          llm_proxy,    5",
  })
  void withoutAValidKeyTheTightestRuleOfTheScopeIsShownUntouched(
      String method, String path, String scope, String limit) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
                .header("x-api-key", "msk_00000000000000000000000000000000")
                .method(method, BodyPublishers.noBody()));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(header(answer, "X-RateLimit-Scope")).isEqualTo(scope);
    assertThat(header(answer, "X-RateLimit-Limit")).isEqualTo(limit);
    assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo(limit);
  }

  @Test
  void healthChecksShowTheHeadersToo() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/health-check")));
    assertThat(header(answer, "X-RateLimit-Scope")).isEqualTo("llm_proxy");
    assertThat(header(answer, "X-RateLimit-Limit")).isEqualTo("5");
    assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo("5");
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/zebra", "zebra"})
  void aBodyOfAnotherTypeIsCounted(String type) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/messages"))
                .header("x-api-key", key)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString("{}")));
    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo("4");
  }

  @Test
  void aRefusalSaysWhenToComeBackAndConsumesNothing() throws Exception {
    for (int i = 3; i >= 0; i--) {
      HttpResponse<String> answer = call("DELETE", "/v1/memory/threads/none");
      assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo(String.valueOf(i));
    }
    for (int i = 0; i < 30; i++) {
      HttpResponse<String> refused = call("DELETE", "/v1/memory/threads/none");
      assertThat(refused.statusCode()).isEqualTo(429);
      JsonNode error = JSON.readTree(refused.body()).path("error");
      assertThat(error.path("type").asText()).isEqualTo("rate_limit_error");
      assertThat(error.path("scope").asText()).isEqualTo("memory_write");
      assertThat(error.path("retry_after_seconds").asLong()).isBetween(1L, 86_400L);
      assertThat(header(refused, "Retry-After"))
          .isEqualTo(error.path("retry_after_seconds").asText());
      assertThat(header(refused, "X-RateLimit-Limit")).isEqualTo("4");
      assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
    }

    // Of the global 20, only the four that were let in are gone.
    assertThat(header(call("GET", "/v1/nowhere"), "X-RateLimit-Remaining")).isEqualTo("15");
  }

  @Test
  void keysAreCountedApart() throws Exception {
    call("DELETE", "/v1/memory/threads/none");
    aFreshKey();

    assertThat(header(call("DELETE", "/v1/memory/threads/none"), "X-RateLimit-Remaining"))
        .isEqualTo("3");
  }

  @ParameterizedTest
  @CsvSource({
    "GET /v1/memory/threads HTTP/1.1, memory_read, 8",
    "GET /v1/messages HTTP/1.1,       llm_proxy,   5",
    "NONSENSE,                        llm_proxy,   5",
    "GET / HTTP/7.7,                  llm_proxy,   5",
  })
  void whatJettyItselfRefusesShowsTheHeadersToo(String firstLine, String scope, String limit)
      throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      String answer = client.send(firstLine + "\r\nBad Header\r\n\r\n").readAnswer();

      assertThat(answer).startsWith("HTTP/1.1 ");
      assertThat(answer).contains("X-RateLimit-Scope: " + scope, "X-RateLimit-Remaining: " + limit);
    }
  }

  @Test
  void aLimitOfAKeysOwnTakesEffectSoonAndNeverLeavesLessThanNothing() throws Exception {
    for (int i = 0; i < 5; i++) {
      call("GET", "/v1/memory/threads");
    }
    GATEWAY.task("key-limits?rule=memory_read&limit=2&id=" + keyId);
    await()
        .untilAsserted(
            () -> {
              HttpResponse<String> answer = call("GET", "/v1/memory/threads");
              assertThat(answer.statusCode()).isEqualTo(429);
              assertThat(header(answer, "X-RateLimit-Limit")).isEqualTo("2");
              assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo("0");
            });

    GATEWAY.task("key-limits?rule=memory_read&limit=12&id=" + keyId);
    await()
        .untilAsserted(
            () ->
                assertThat(header(call("GET", "/v1/memory/threads"), "X-RateLimit-Limit"))
                    .isEqualTo("12"));
  }

  @Test
  void metricsAndHealthSayThatTheNodesCountTogether() throws Exception {
    call("GET", "/v1/memory/threads");

    String metrics = admin("/metrics");
    assertThat(metrics)
        .containsPattern(
            "memory_gateway_rate_limit_decisions_total\\{outcome=\"allowed\",scope=\"memory_read\"\\} [1-9]")
        .contains("memory_gateway_rate_limit_shared 1.0")
        .doesNotContain(key.substring(4));
    assertThat(sharing()).isEqualTo("shared");
  }

  private static String sharing() throws Exception {
    return JSON.readTree(admin("/healthcheck")).at("/rate-limits/message").asText();
  }

  private static String admin(String path) throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path))).body();
  }

  private HttpResponse<String> call(String method, String path) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
            .header("Authorization", "Bearer " + key)
            .method(method, BodyPublishers.noBody()));
  }

  private static String header(HttpResponse<String> answer, String name) {
    assertThat(answer.headers().allValues(name)).as(name).hasSize(1);
    return answer.headers().firstValue(name).orElseThrow();
  }
}
