package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.proxy.Routed.Script;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §10: whole answers of routes, and which failures go on to the next target. */
class RoutesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> NAMES =
      List.of(
          "unreachable",
          "html",
          "broken-json",
          "error-in-200",
          "other-json",
          "unasked-stream",
          "key-401",
          "key-402",
          "key-403",
          "status-408",
          "status-429",
          "status-500",
          "status-503",
          "status-529",
          "reset-in-body",
          "redirect",
          "bad-400",
          "bad-404",
          "bad-413",
          "bad-422",
          "off",
          "all-fail",
          "three",
          "headers",
          "in-time",
          "metrics");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.provider(config, "one", UPSTREAM).put("apiKey", "sk-of-provider-one");
                Routed.provider(config, "barred", UPSTREAM).put("apiKey", "sk-barred");
                Routed.route(config, "keys-only", "barred/bad-keys-only", "two/good-keys-only");
                Routed.provider(config, "hasty", UPSTREAM).put("firstByteTimeout", "1s");
                Routed.provider(config, "two", UPSTREAM);
                Routed.provider(config, "three", UPSTREAM);
                gone(config);
                for (String name : NAMES) {
                  Routed.route(config, name, "one/bad-" + name, "two/good-" + name);
                }
                Routed.route(config, "own-key", "one/bad-own-key two/good-own-key*1000");
                Routed.route(config, "whole", "one/bad-whole", "two/good-whole");
                Routed.route(config, "refused", "gone/model", "two/good-refused");
                Routed.route(config, "alone", "one/alone");
                Routed.route(config, "long", "one/l1", "two/l2", "three/l3", "one/l4", "two/l5");
                Routed.route(config, "shared/slash", "two/good-slash");
                ObjectNode windows = Routed.route(config, "windows", "one/w", "two/w", "three/w");
                ((ObjectNode) windows.at("/groups/0/0")).put("window", 1000);
                ((ObjectNode) windows.at("/groups/2/0")).put("window", 2000);
                Routed.route(config, "stalls", "hasty/bad-stalls", "two/good-stalls");
                Routed.route(config, "hurried", "one/h1", "two/h2").put("timeout", "1s");
                Routed.route(config, "hangs", "one/hangs", "two/good").put("timeout", "1s");
                config
                    .withObject("/providers/openrouter")
                    .put("baseUrl", UPSTREAM.url() + "/openrouter/v1");
              });

  private static void gone(ObjectNode config) {
    ObjectNode provider = Routed.provider(config, "gone", UPSTREAM);
    provider.put("baseUrl", "http://127.0.0.1:" + FakeUpstream.closedPort() + "/v1");
  }

  private static final Map<String, Answer> FAILURES =
      Map.ofEntries(
          Map.entry("unreachable", Answer.close()),
          Map.entry("html", Answer.html(200)),
          Map.entry("broken-json", Answer.json("{\"id\":")),
          Map.entry("other-json", Answer.json("{\"detail\":\"welcome\"}")),
          Map.entry("unasked-stream", Answer.sse(List.of("data: {\"choices\":[]}\n\n"))),
          Map.entry("error-in-200", Answer.json("{\"error\":{\"message\":\"no\",\"code\":502}}")),
          Map.entry("key-401", Answer.error(401, "authentication_error", "bad key")),
          Map.entry("key-402", Answer.error(402, "billing", "pay")),
          Map.entry("key-403", Answer.error(403, "permission_error", "no")),
          Map.entry("status-408", Answer.error(408, "timeout", "slow")),
          Map.entry("status-429", Answer.error(429, "rate_limit_error", "slow down")),
          Map.entry("status-500", Answer.error(500, "server_error", "no")),
          Map.entry("status-503", Answer.html(503)),
          Map.entry("status-529", Answer.error(529, "overloaded_error", "no")),
          Map.entry("reset-in-body", Answer.resetInBody()),
          Map.entry("redirect", Answer.json(302, "{}")));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unreachable",
        "html",
        "broken-json",
        "error-in-200",
        "key-401",
        "key-402",
        "key-403",
        "status-408",
        "status-429",
        "status-500",
        "status-503",
        "status-529",
        "reset-in-body",
        "redirect"
      })
  void whatIsTheTargetsFaultGoesOnToTheNext(String name) throws Exception {
    UPSTREAM.answer(new Script().on("bad-" + name, FAILURES.get(name)));
    for (String path : Routed.ENDPOINTS) {
      HttpResponse<String> answer = Routed.call(GATEWAY, path, name, false);

      assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(200);
      assertThat(JSON.readTree(answer.body()))
          .isEqualTo(JSON.readTree(Routed.canned(path, "good-" + name, false).json()));
      assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("two/good-" + name);
      GATEWAY.task("circuit?provider=one&model=bad-" + name + "&state=closed");
    }
  }

  @Test
  void aWholeAnswerInsteadOfAStreamGoesOn() throws Exception {
    for (String path : Routed.ENDPOINTS) {
      UPSTREAM.answer(
          new Script()
              .on("bad-whole", Answer.json(Routed.canned(path, "bad-whole", false).json())));

      HttpResponse<String> answer = Routed.call(GATEWAY, path, "whole", true);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
          .contains("one/bad-whole=502, two/good-whole=200");
      assertThat(answer.headers().firstValue("Content-Type").orElse(""))
          .startsWith("text/event-stream");
      GATEWAY.task("circuit?provider=one&model=bad-whole&state=closed");
    }
  }

  @Test
  void aRefusedConnectionGoesOn() throws Exception {
    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "refused", false);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("gone/model=502, two/good-refused=200");
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 413, 422})
  void whatIsTheCallsOwnFaultDoesNot(int status) throws Exception {
    String name = "bad-" + status;
    UPSTREAM.answer(
        new Script().on("bad-" + name, Answer.error(status, "invalid_request_error", "policy")));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, name, false);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body()).contains("policy");
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("one/bad-" + name + "=" + status);
  }

  @Test
  void aTargetThatSaysNothingInTimeIsLeftAndItsCallCancelled() throws Exception {
    UPSTREAM.answer(new Script().on("bad-stalls", Answer.hang()));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "stalls", false);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("hasty/bad-stalls=504, two/good-stalls=200");
    UPSTREAM.requests().get(0).clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    assertThat(UPSTREAM.requests()).hasSize(2);
    assertThat(failures("hasty&model=bad-stalls")).as("the provider's own").isEqualTo(1);
  }

  private static int failures(String target) throws Exception {
    return GATEWAY.task("circuit?provider=" + target).at("/circuit/failures").asInt();
  }

  @Test
  void oneDeadlineHoldsForAllAttempts() throws Exception {
    UPSTREAM.answer(new Script().on("h1", Answer.hang()).on("h2", Answer.hang()));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "hurried", false);

    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(failures("one&model=h1")).as("it had all the time").isEqualTo(1);
  }

  @Test
  void aTargetThatHangsUntilTheRoutesTimeIsOverIsLeftByTheKeyThatMetIt() throws Exception {
    UPSTREAM.answer(new Script().on("hangs", Answer.hang()));
    for (int i = 0; i < 3; i++) {
      assertThat(Routed.call(GATEWAY, Routed.CHAT, "hangs", false).statusCode()).isEqualTo(504);
    }

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "hangs", false);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("two/good");
    assertThat(GATEWAY.task("circuit?provider=one&model=hangs").at("/circuit/openForKeys").asInt())
        .isEqualTo(1);
    assertThat(
            GATEWAY.task("circuit?provider=one&model=hangs").at("/circuit/openForAll").asBoolean())
        .isFalse();
  }

  @Test
  void noMoreAttemptsThanTheRouteAllows() throws Exception {
    UPSTREAM.answerAlways(Answer.error(500, "server_error", "no"));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "long", false);

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(UPSTREAM.requests()).hasSize(3);
  }

  @Test
  void ifAllFailTheFirstTargetsErrorIsAnsweredWithTheShortestRetryAfter() throws Exception {
    UPSTREAM.answer(
        new Script()
            .on(
                "bad-all-fail",
                Answer.json(429, "{\"error\":{\"message\":\"first\",\"type\":\"limit\"}}")
                    .header("Retry-After", "60"))
            .on(
                "good-all-fail",
                Answer.error(503, "server_error", "second").header("Retry-After", "7")));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "all-fail", false);

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.body()).contains("first").doesNotContain("second");
    assertThat(answer.headers().allValues("Retry-After")).containsExactly("7");
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("one/bad-all-fail");
    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("one/bad-all-fail=429, two/good-all-fail=503");
  }

  @Test
  void aKeyThatNobodyAcceptsIsA502BecauseTheCallersKeyWasFine() throws Exception {
    Answer refused = Answer.error(401, "authentication_error", "bad key sk-barred");
    UPSTREAM.answerAlways(refused).answerModels(request -> refused);

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "keys-only", false);

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).contains("upstream_error").doesNotContain("bad key");
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("barred/bad-keys-only");
    await().until(() -> keyRefusedSince().asText().endsWith("Z"));

    UPSTREAM.reset();
    assertThat(Routed.call(GATEWAY, Routed.CHAT, "keys-only", false).statusCode()).isEqualTo(200);
    assertThat(keyRefusedSince().isNull()).isTrue();
  }

  private static JsonNode keyRefusedSince() throws Exception {
    return JSON.readTree(admin("/healthcheck")).at("/provider-barred/keyRefusedSince");
  }

  @Test
  void aShortRetryAfterIsWaitedForWhereThereIsNoOtherTarget() throws Exception {
    UPSTREAM.enqueue(Answer.error(429, "limit", "no").header("retry-after-ms", "30"));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "alone", false);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("one/alone=429, one/alone=200");
  }

  @Test
  void aWaitThatTheBodyAloneTellsCountsAsOneOfTheHeader() throws Exception {
    UPSTREAM.enqueue(Answer.error(429, "limit", "Please try again in 20s."));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "alone", false);

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().allValues("Retry-After")).containsExactly("20");
    GATEWAY.task("circuit?provider=one&model=alone&state=closed");
  }

  @ParameterizedTest
  @CsvSource({"Retry-After, 3", "x-nothing, 1"})
  void aLongerOneIsNotAndNeitherIsNone(String header, String value) throws Exception {
    UPSTREAM.enqueue(Answer.error(429, "limit", "no").header(header, value));

    assertThat(Routed.call(GATEWAY, Routed.CHAT, "alone", false).statusCode()).isEqualTo(429);
    assertThat(UPSTREAM.requests()).hasSize(1);
    GATEWAY.task("circuit?provider=one&model=alone&state=closed");
  }

  @ParameterizedTest
  @CsvSource({"400, context_length_exceeded", "413, tokens_limit_reached"})
  void aCallThatIsTooLongGoesToATargetThatIsKnownToReadMore(int status, String code)
      throws Exception {
    UPSTREAM.enqueue(
        Answer.json(
            status,
            "{\"error\":{\"message\":\"too long\",\"type\":\"invalid_request_error\","
                + "\"code\":\"%s\"}}".formatted(code)));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "windows", false);

    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("one/w=%d, three/w=200".formatted(status));
  }

  @Test
  void aCallerMayHaveTheFirstTargetTriedAlone() throws Exception {
    UPSTREAM.answer(new Script().on("bad-off", Answer.error(500, "server_error", "no")));

    HttpResponse<String> answer =
        Routed.call(
            GATEWAY,
            Routed.CHAT,
            Routed.body(Routed.CHAT, "off", false),
            "X-Gateway-Fallback",
            "off");

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void aCallersOwnKeyGoesToTheFirstTargetAlone() throws Exception {
    UPSTREAM.answer(new Script().on("bad-own-key", Answer.error(401, "auth", "your key")));

    HttpResponse<String> answer =
        GATEWAY.send(
            java.net.http.HttpRequest.newBuilder(java.net.URI.create(GATEWAY.url() + Routed.CHAT))
                .header("X-Memory-Gateway-Authorization", "Bearer " + GATEWAY.key())
                .header("Authorization", "Bearer sk-callers-own")
                .header("Content-Type", "application/json")
                .POST(
                    java.net.http.HttpRequest.BodyPublishers.ofString(
                        Routed.body(Routed.CHAT, "own-key", false))));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("your key");
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(UPSTREAM.requests().get(0).header("Authorization"))
        .isEqualTo("Bearer sk-callers-own");
  }

  @Test
  void eachTargetGetsItsModelAndItsKeyAndTheRestUnchanged() throws Exception {
    UPSTREAM.answer(new Script().on("bad-headers", Answer.error(500, "server_error", "no")));
    String body =
        "{ \"model\" : \"headers\",\"temperature\":1.00e0, \"messages\":[],\"x\":\"\\u00e9\"}";

    assertThat(GATEWAY.post(Routed.CHAT, body).statusCode()).isEqualTo(200);

    RecordedRequest first = UPSTREAM.requests().get(0);
    RecordedRequest second = UPSTREAM.requests().get(1);
    assertThat(first.text()).isEqualTo(body.replace("headers", "bad-headers"));
    assertThat(second.text()).isEqualTo(body.replace("headers", "good-headers"));
    assertThat(first.header("Authorization")).isEqualTo("Bearer sk-of-provider-one");
    assertThat(second.header("Authorization")).isNull();
    assertThat(second.path()).isEqualTo("/two/v1/chat/completions");
  }

  @ParameterizedTest
  @ValueSource(strings = {Routed.CHAT, Routed.RESPONSES})
  void modelsNamesTheTargetsInOrder(String path) throws Exception {
    UPSTREAM.answer(new Script().on("m1", Answer.error(500, "server_error", "no")));
    String body =
        "{\"models\":[\"two/m2\",\"three/m3\"],"
            + " \"model\":\"one/m1\",\"input\":\"x\",\"messages\":[]}";

    HttpResponse<String> answer = GATEWAY.post(path, body);

    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("one/m1=500, two/m2=200");
    assertThat(UPSTREAM.requests().get(1).text())
        .isEqualTo("{ \"model\":\"m2\",\"input\":\"x\",\"messages\":[]}");
  }

  @Test
  void modelsAloneWillDo() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post(Routed.CHAT, "{\"models\":[\"one/n1\",\"two/n2\"],\"messages\":[]}");

    assertThat(answer.headers().firstValue("X-Gateway-Attempts")).contains("one/n1=200");
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo("{\"model\":\"n1\",\"messages\":[]}");
  }

  @Test
  void modelsOfACallToOpenRouterAreItsOwnBusiness() throws Exception {
    String body = "{\"model\":\"meta/llama\",\"models\":[\"a/b\",\"c/d\"],\"messages\":[]}";

    assertThat(GATEWAY.post(Routed.CHAT, body).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo(body);
  }

  @Test
  void fallbacksOfAnthropicPassUntouched() throws Exception {
    String body =
        "{\"model\":\"claude-x\",\"fallbacks\":\"default\",\"models\":[\"one/x\"],\"messages\":[]}";

    assertThat(GATEWAY.post(Routed.MESSAGES, body).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo(body);
  }

  @Test
  void routesAreListedAsModels() throws Exception {
    JsonNode list = JSON.readTree(GATEWAY.get("/v1/models").body());

    assertThat(list.path("data").findValuesAsText("id")).contains("windows", "shared/slash");
    JsonNode one = JSON.readTree(GATEWAY.get("/v1/models/mastra/shared/slash").body());
    assertThat(one.path("id").asText()).isEqualTo("shared/slash");
    assertThat(one.path("owned_by").asText()).isEqualTo("memory-gateway");
    assertThat(Routed.call(GATEWAY, Routed.CHAT, "shared/slash", false).statusCode())
        .isEqualTo(200);
  }

  @Test
  void anEndpointThatNotEveryTargetServesIsRefused() throws Exception {
    HttpResponse<String> answer = GATEWAY.post("/v1/embeddings", "{\"model\":\"windows\"}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("This route does not serve", "/v1/responses");
  }

  @Test
  void aCallWithoutARouteHasItsHeadersToo() throws Exception {
    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "gpt-5", false);

    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("openai/gpt-5");
    assertThat(answer.headers().firstValue("X-Gateway-Attempts")).contains("openai/gpt-5=200");
  }

  @Test
  void aNameThatCannotStandInAHeaderIsMadePlain() throws Exception {
    String body = "{\"model\":\"two/\\r\\nX-Evil: 1,é=\",\"messages\":[]}";

    HttpResponse<String> answer = GATEWAY.post(Routed.CHAT, body);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("two/??X-Evil:?1???");
    assertThat(answer.headers().firstValue("X-Evil")).isEmpty();
  }

  private static String admin(String path) throws Exception {
    return GATEWAY
        .send(java.net.http.HttpRequest.newBuilder(java.net.URI.create(GATEWAY.adminUrl() + path)))
        .body();
  }
}
