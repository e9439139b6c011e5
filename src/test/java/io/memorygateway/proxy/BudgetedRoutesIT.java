package io.memorygateway.proxy;

import static io.memorygateway.proxy.Routed.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15: what calls of routes hold for all their targets, and settle of each attempt. */
class BudgetedRoutesIT {
  private static final String MESSAGES =
      "\"messages\":[{\"role\":\"user\",\"content\":\"Hello there, how are you?\"}]";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ObjectNode prices = config.withObject("/prices");
                Map.of("one", 1, "two", 10, "three", 3)
                    .forEach(
                        (name, dollars) -> {
                          ObjectNode unused = Routed.provider(config, name, UPSTREAM);
                          prices
                              .putObject(name + "/m")
                              .put("input", dollars)
                              .put("output", 2 * dollars);
                        });
                Routed.route(config, "all", "one/m", "two/m", "three/m");
              });

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    key = BudgetedKey.issue(GATEWAY, "routes");
  }

  @Test
  void aRouteHoldsTheDearestTargetAndSettlesTheOneThatAnswered() throws Exception {
    key.budget("usd", "0.01", "");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.answer(
        request ->
            request.path().startsWith("/three")
                ? exchange -> {
                  gate.acquireUninterruptibly();
                  Answer.json(usage(10, 20)).write(exchange);
                }
                : Answer.error(500, "server_error", "no"));
    CompletableFuture<HttpResponse<String>> call =
        calling("{\"model\":\"all\",\"max_tokens\":100,%m}");
    for (int i = 0; i < 3; i++) {
      RecordedRequest unused = UPSTREAM.takeRequest();
    }

    // 100 tokens of output at 20 dollars a million, and some of input.
    assertThat(key.limit().path("held").asDouble()).isBetween(0.002, 0.0025);
    gate.release();
    call.join();
    key.assertSettled("0.00015");
  }

  /** Each attempt may use as much as the call holds, whatever those before it have used. */
  @Test
  void whatAFailedAttemptUsedIsHeldOnceMore() throws Exception {
    key.tokens(200);
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(
        Answer.json("{\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":40}}"),
        exchange -> {
          gate.acquireUninterruptibly();
          Answer.json(usage(10, 20)).write(exchange);
        });
    CompletableFuture<HttpResponse<String>> call =
        calling("{\"model\":\"all\",\"max_tokens\":100,%m}");
    for (int i = 0; i < 2; i++) {
      RecordedRequest unused = UPSTREAM.takeRequest();
    }

    await().untilAsserted(() -> assertThat(key.limit().path("used").asLong()).isEqualTo(50));
    assertThat(key.limit().path("held").asLong()).isGreaterThan(100);
    gate.release();
    call.join();
    key.assertSettled(80);
  }

  @Test
  void anAttemptThatBudgetsLeaveTooLittleForIsNotMade() throws Exception {
    key.tokens(200);
    UPSTREAM.answer(
        request -> Answer.json("{\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":90}}"));

    HttpResponse<String> answer = call("{\"model\":\"all\",\"max_tokens\":100,%m}");

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.headers().firstValue("X-Budget-Remaining")).hasValue("100");
    assertThat(UPSTREAM.requests()).hasSize(1);
    key.assertSettled(100);
  }

  /** As of a server that is down: it costs nothing to try it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"id\":\"c\",\"choi",
        ": keep",
        "{\"error\":\"overloaded\"}",
        "data: {}\n\n"
      })
  void anAttemptWhoseStreamEndsBeforeItsAnswerCostsNothing(String stream) throws Exception {
    key.tokens(1000);
    List<String> whole =
        List.of(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":20}}\n\n",
            "data: [DONE]\n\n");
    UPSTREAM.answer(
        request -> Answer.sse(request.path().startsWith("/one") ? List.of(stream) : whole));

    HttpResponse<String> answer = call("{\"model\":\"all\",\"stream\":true,\"max_tokens\":100,%m}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.requests()).hasSize(2);
    key.assertSettled(30);
  }

  @Test
  void ofABudgetOfOneTargetOnlyItsAttemptsCount() throws Exception {
    key.budget("tokens", "1000", "&models=two/*");
    UPSTREAM.answer(
        request ->
            request.path().startsWith("/one")
                ? Answer.error(500, "server_error", "no")
                : Answer.json(usage(10, 20)));
    assertThat(call("{\"model\":\"all\",\"max_tokens\":100,%m}").statusCode()).isEqualTo(200);
    key.assertSettled(30);

    UPSTREAM.answerAlways(Answer.json(usage(10, 20)));
    assertThat(call("{\"model\":\"one/m\",\"max_tokens\":100,%m}").statusCode()).isEqualTo(200);
    key.assertSettled(30);
  }

  @ParameterizedTest
  @CsvSource({"200, 100000", "500, 99985"})
  void whatIsLeftIsToldOfTheTargetsThatABudgetCovers(int first, String left) throws Exception {
    key.budget("tokens", "100000", "&models=two/*");
    UPSTREAM.answer(
        request ->
            request.path().startsWith("/one")
                ? Answer.json(first, usage(100, 50))
                : Answer.json(usage(10, 5)));

    HttpResponse<String> answer = call("{\"model\":\"all\",\"max_tokens\":100,%m}");

    assertThat(answer.headers().firstValue("X-Budget-Remaining")).hasValue(left);
    key.assertSettled(100_000 - Long.parseLong(left));
  }

  private CompletableFuture<HttpResponse<String>> calling(String body) {
    return key.posting(Routed.CHAT, body.replace("%m", MESSAGES));
  }

  private HttpResponse<String> call(String body) throws Exception {
    return key.post(Routed.CHAT, body.replace("%m", MESSAGES));
  }
}
