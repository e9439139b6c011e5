package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §12: how providers do, a test call, and circuits by hand. */
class AdminProvidersIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(AdminClient::takeTokens)
          .configured(AdminProvidersIT::addRoute)
          .withoutKey();

  private static final String PONG =
      "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"pong\"}}]}";

  private static AdminClient viewer;
  private static AdminClient operator;
  private static String key;
  private static String otherKey;

  private static void addRoute(ObjectNode config) {
    ObjectNode narrow = config.withObject("/providers").putObject("narrow");
    narrow.put("baseUrl", UPSTREAM.url() + "/narrow/v1").put("apiKey", "sk-narrow");
    narrow.putArray("endpoints").add("chat");
    ArrayNode groups = config.putObject("routes").putObject("safe").putArray("groups");
    for (String model : List.of("openai/gpt-a", "openai/gpt-b")) {
      groups.addArray().addObject().put("to", model);
    }
  }

  @BeforeAll
  static void clients() throws Exception {
    viewer = AdminClient.of(GATEWAY, DATABASE, "viewer");
    operator = AdminClient.of(GATEWAY, DATABASE, "operator");
    AdminClient owner = AdminClient.of(GATEWAY, DATABASE, "owner");
    String wanted = "{\"project\":\"shop\",\"name\":\"%s\"}";
    key = owner.post("/keys", wanted.formatted("till")).path("key").asText();
    otherKey = owner.post("/keys", wanted.formatted("stock")).path("key").asText();
  }

  @Test
  void aTestCallIsMadeAndShown() throws Exception {
    UPSTREAM.enqueue(Answer.json(PONG));
    JsonNode call = operator.post("/providers/openai/test", "{\"model\":\"gpt-5\"}");
    assertThat(call.path("ok").asBoolean()).isTrue();
    assertThat(call.path("status").asInt()).isEqualTo(200);
    assertThat(call.path("answer").asText()).isEqualTo("pong");
    assertThat(call.path("endpoint").asText()).isEqualTo("chat");
    assertThat(call.path("firstByteMs").isNumber()).isTrue();
    JsonNode row = viewer.get("/audit?limit=200").path("rows").get(0);
    assertThat(row.path("action").asText()).isEqualTo("provider-test");
    assertThat(row.path("subject").asText()).isEqualTo("openai");
    assertThat(row.at("/after/status").asInt()).isEqualTo(200);
    assertThat(row.path("outcome").asText()).isEqualTo("done");
    assertThat(row.toString()).doesNotContain("pong");
  }

  @Test
  void anErrorIsShownWithoutTheKey() throws Exception {
    UPSTREAM.enqueue(
        Answer.error(401, "invalid", "Incorrect API key: " + TestGateway.PROVIDER_KEY));
    JsonNode call = operator.post("/providers/openai/test", "{\"model\":\"openai/gpt-5\"}");
    assertThat(call.path("ok").asBoolean()).isFalse();
    assertThat(call.path("status").asInt()).isEqualTo(401);
    assertThat(call.path("answer").asText())
        .contains("Incorrect API key: ***")
        .doesNotContain(TestGateway.PROVIDER_KEY);
    assertThat(provider("openai").path("keyRefusedSince").isTextual()).isTrue();
    UPSTREAM.enqueue(Answer.json(PONG));
    operator.post("/providers/openai/test", "{\"model\":\"gpt-5\",\"endpoint\":\"chat\"}");
    assertThat(provider("openai").path("keyRefusedSince").isNull()).isTrue();
  }

  @Test
  void aModelThatTheKeyMayNotUseSaysNothingAgainstTheKey() throws Exception {
    CountDownLatch askedWithoutKey = new CountDownLatch(1);
    UPSTREAM.answerModels(
        request -> {
          if (request.header("Authorization") != null) {
            return Answer.json("{\"data\":[]}");
          }
          askedWithoutKey.countDown();
          return Answer.error(401, "authentication_error", "no key");
        });
    for (int i = 0; i < 3; i++) {
      UPSTREAM.enqueue(Answer.error(403, "permission_error", "no access to this model"));
      call(key, "narrow/large");
    }

    assertThat(askedWithoutKey.await(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(provider("narrow").path("keyRefusedSince").isNull()).isTrue();
  }

  @Tag("heavy")
  @Test
  void aProviderThatSaysNothingIsGivenUpAndOneThatHangsUpIsSaid() throws Exception {
    UPSTREAM.enqueue(Answer.hang());
    JsonNode silent = operator.post("/providers/openai/test", "{\"model\":\"gpt-5\"}");
    assertThat(silent.path("ok").asBoolean()).isFalse();
    assertThat(silent.path("status").isNull()).isTrue();
    assertThat(silent.path("error").asText()).startsWith("TIMEOUT");
    UPSTREAM.enqueue(Answer.reset());
    JsonNode reset = operator.post("/providers/openai/test", "{\"model\":\"gpt-5\"}");
    assertThat(reset.path("error").asText()).isNotEmpty().doesNotContain("Exception");
    assertThat(silent.path("error").asText()).doesNotContain("Exception");
    JsonNode row = viewer.get("/audit?limit=1").path("rows").get(0);
    assertThat(row.path("outcome").asText()).isEqualTo("failed");
    UPSTREAM.enqueue(Answer.json("{{{"));
    JsonNode odd = operator.post("/providers/openai/test", "{\"model\":\"gpt-5\"}");
    assertThat(odd.path("ok").asBoolean()).isFalse();
    assertThat(odd.path("error").asText()).contains("not JSON");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/providers/zebra/test|{\"model\":\"m\"}|404|not_found",
        "/providers/openai/test|{}|400|invalid_request_error",
        "/providers/openai/test|{\"model\":\"m\",\"endpoint\":\"zebra\"}|400|invalid_request_error",
        "/providers/openai/test|{\"model\":\"m\",\"endpoint\":\"messages\"}|400|invalid_request_error",
        "/circuits|{\"provider\":\"openai\",\"model\":\"zebra\",\"state\":\"open\"}|404|not_found",
        "/circuits|{\"provider\":\"openai\",\"model\":\"gpt-a\",\"state\":\"ajar\"}|400|invalid_request_error",
        "/circuits|{}|400|invalid_request_error",
      })
  void aWrongQuestionIsRefused(String path, String body, int status, String type) throws Exception {
    ErrorEnvelope.check(operator.send("POST", path, body), status, type);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/providers/openai/test|{\"model\":\"m\"}",
        "/circuits|{\"provider\":\"openai\",\"model\":\"gpt-a\",\"state\":\"open\"}"
      })
  void aViewerOnlyLooks(String path, String body) throws Exception {
    ErrorEnvelope.check(viewer.send("POST", path, body), 403, "invalid_request_error");
    assertThat(viewer.get("/audit?limit=1").at("/rows/0/outcome").asText()).isEqualTo("refused");
  }

  @Test
  void aCircuitIsOpenedAndClosedByHandAndByFailures() throws Exception {
    String gptB = "{\"provider\":\"openai\",\"model\":\"gpt-b\",\"state\":\"%s\"}";
    JsonNode opened = operator.post("/circuits", gptB.formatted("open"));
    assertThat(opened.at("/circuit/state").asText()).isEqualTo("forced_open");
    assertThat(opened.at("/circuit/closesAt").isNull()).isTrue();
    assertThat(circuit("gpt-b").path("state").asText()).isEqualTo("forced_open");
    JsonNode row = viewer.get("/audit?limit=1").path("rows").get(0);
    assertThat(row.path("action").asText()).isEqualTo("circuit");
    assertThat(row.path("subject").asText()).isEqualTo("openai/gpt-b");
    assertThat(row.at("/before/state").asText()).isEqualTo("closed");
    assertThat(row.at("/after/state").asText()).isEqualTo("forced_open");
    operator.post("/circuits", gptB.formatted("closed"));
    assertThat(circuit("gpt-b").path("state").asText()).isEqualTo("closed");

    for (int i = 0; i < 3; i++) {
      UPSTREAM.enqueue(Answer.error(503, "overloaded", "no"), Answer.json(PONG));
      assertThat(call(key)).isEqualTo("openai/gpt-b");
    }
    // It stays open for ten seconds: what is logged in the background is looked at afterwards.
    JsonNode failing = circuit("gpt-a");
    assertThat(failing.path("state").asText()).isEqualTo("open");
    assertThat(failing.path("closesAt").asText()).isGreaterThan(failing.path("openSince").asText());
    assertThat(failing.path("openForKeys").asInt()).isEqualTo(1);
    assertThat(failing.path("openForAll").asBoolean()).isFalse();
    assertThat(call(key)).isEqualTo("openai/gpt-b");
    assertThat(call(otherKey)).as("nobody else's matter").isEqualTo("openai/gpt-a");

    for (int i = 0; i < 3; i++) {
      UPSTREAM.enqueue(Answer.error(503, "overloaded", "no"), Answer.json(PONG));
      call(otherKey);
    }
    assertThat(circuit("gpt-a").path("openForKeys").asInt()).isEqualTo(2);
    assertThat(circuit("gpt-a").path("openForAll").asBoolean()).isTrue();
    await()
        .untilAsserted(
            () -> {
              assertThat(provider("openai").at("/lastHour/attempts").asInt()).isEqualTo(14);
              assertThat(provider("openai").at("/lastHour/failures").asInt()).isEqualTo(6);
              assertThat(provider("openai").at("/recent/samples").asInt()).isEqualTo(8);
            });
    assertThat(provider("openai").at("/recent/p95Ms").isNumber()).isTrue();
    assertThat(provider("openai").at("/lastMinutes/failures").asInt()).isEqualTo(6);
    assertThat(viewer.get("/providers").path("routes").get(0).asText()).contains("safe");
  }

  @Test
  void noProviderShowsItsKey() throws Exception {
    String shown = viewer.send("GET", "/providers", null).body();
    assertThat(shown).contains("\"hasKey\":true").doesNotContain(TestGateway.PROVIDER_KEY);
  }

  private static JsonNode provider(String name) throws Exception {
    for (JsonNode provider : viewer.get("/providers").path("providers")) {
      if (provider.path("name").asText().equals(name)) {
        return provider;
      }
    }
    throw new AssertionError("no " + name);
  }

  private static JsonNode circuit(String model) throws Exception {
    for (JsonNode circuit : provider("openai").path("circuits")) {
      if (circuit.path("model").asText().equals(model)) {
        return circuit;
      }
    }
    throw new AssertionError("no " + model);
  }

  /** Calls the route; returns the target that answered. */
  private static String call(String withKey) throws Exception {
    return call(withKey, "safe");
  }

  private static String call(String withKey, String model) throws Exception {
    return GATEWAY
        .send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"))
                .header("x-api-key", withKey)
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"model\":\"%s\",\"messages\":[]}".formatted(model))))
        .headers()
        .firstValue("X-Gateway-Target")
        .orElse("none");
  }
}
