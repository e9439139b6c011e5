package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §12: what a key holds of its limits, and why it was refused. */
class AdminLimitsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final TestGateway GATEWAY = gateway();
  @RegisterExtension static final TestGateway OTHER = gateway();

  private static AdminClient operator;
  private static String id;
  private static String key;

  private static TestGateway gateway() {
    return new TestGateway(DATABASE, UPSTREAM)
        .withoutKey()
        .configured(AdminClient::takeTokens)
        .configured(
            config ->
                ((ObjectNode) config.at("/rateLimits/rules"))
                    .putObject("daily")
                    .put("appliesTo", "memory_read")
                    .put("limit", 1000)
                    .put("window", "1d"));
  }

  @BeforeAll
  static void key() throws Exception {
    Limits.awaitRoomInTheDay();
    operator = AdminClient.of(GATEWAY, DATABASE, "operator");
    JsonNode issued =
        AdminClient.of(GATEWAY, DATABASE, "owner")
            .post("/keys", "{\"project\":\"shop\",\"name\":\"till\"}");
    id = issued.path("id").asText();
    key = issued.path("key").asText();
  }

  @Test
  void aRefusalIsExplainedByTheRuleThatRefused() throws Exception {
    AdminClient.json(operator.send("PUT", "/keys/" + id + "/limits/daily", "{\"limit\":3}"));
    for (int i = 0; i < 3; i++) {
      assertThat(read(GATEWAY, "ok-" + i)).isEqualTo(200);
    }
    for (int i = 0; i < 4; i++) {
      assertThat(read(GATEWAY, "refused-" + i)).isEqualTo(429);
    }
    for (int i = 0; i < 2; i++) {
      assertThat(read(OTHER, "elsewhere-" + i)).isEqualTo(429);
    }
    await().until(() -> refused(operator.get("/limits/" + id)) == 6);
    JsonNode limits = operator.get("/limits/" + id);
    JsonNode refusal = limits.path("refusals").get(0);
    assertThat(refusal.path("rule").asText()).isEqualTo("daily");
    assertThat(refusal.path("scope").asText()).isEqualTo("memory_read");
    assertThat(refusal.path("limit").asInt()).isEqualTo(3);
    assertThat(refusal.path("windowSeconds").asInt()).isEqualTo(86_400);
    assertThat(refusal.path("lastRequestId").asText()).isEqualTo("elsewhere-1");
    JsonNode daily = rule(limits, "daily");
    assertThat(daily.path("used").asInt()).isEqualTo(3);
    assertThat(daily.path("remaining").asInt()).isZero();
    assertThat(daily.path("limit").asInt()).isEqualTo(3);
    assertThat(daily.path("configured").asInt()).isEqualTo(1000);
    assertThat(daily.path("own").asBoolean()).isTrue();
    assertThat(daily.path("resetsAt").asText()).endsWith("T00:00:00.000Z");
    assertThat(rule(limits, "llm_burst").path("used").asInt()).isZero();
    assertThat(limits.at("/key/id").asText()).isEqualTo(id);
    assertThat(operator.send("GET", "/limits/" + id, null).body()).doesNotContain(key);

    JsonNode overview = operator.get("/overview");
    assertThat(overview.at("/totals/refused").asInt()).isEqualTo(6);
    assertThat(overview.at("/refusals/0/rule").asText()).isEqualTo("daily");
    assertThat(
            overview.path("buckets").findValues("refused").stream().mapToInt(JsonNode::asInt).sum())
        .isEqualTo(6);
  }

  @Test
  void theRulesAreThoseOfTheConfiguration() throws Exception {
    JsonNode limits = operator.get("/limits");
    assertThat(limits.path("rules").findValuesAsText("rule"))
        .containsExactly(
            "global", "llm_proxy", "llm_burst", "memory_read", "memory_write", "daily");
    assertThat(limits.at("/rules/2/windowSeconds").asInt()).isEqualTo(10);
    assertThat(limits.at("/rules/2/appliesTo").asText()).isEqualTo("llm");
    assertThat(limits.path("shared").asBoolean()).isTrue();
  }

  @Test
  void anUnknownKeyIsNotFound() throws Exception {
    ErrorEnvelope.check(operator.send("GET", "/limits/nobody", null), 404, "not_found");
  }

  private static int refused(JsonNode limits) {
    return limits.path("refusals").findValues("refused").stream().mapToInt(JsonNode::asInt).sum();
  }

  private static JsonNode rule(JsonNode limits, String name) {
    for (JsonNode rule : limits.path("rules")) {
      if (rule.path("rule").asText().equals(name)) {
        return rule;
      }
    }
    throw new AssertionError("no " + name);
  }

  private static int read(TestGateway node, String requestId) throws Exception {
    return node.send(
            HttpRequest.newBuilder(URI.create(node.url() + "/v1/memory/threads"))
                .header("x-api-key", key)
                .header("X-Request-Id", requestId))
        .statusCode();
  }
}
