package io.memorygateway.proxy;

import static io.memorygateway.proxy.Routed.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15: what a call holds of its budgets, what it settles, and how it is refused. */
class BudgetsIT {
  private static final String WORDS = "Hello there, how are you?";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.provider(config, "priced", UPSTREAM)
                    .putArray("endpoints")
                    .add("chat")
                    .add("responses");
                Routed.provider(config, "free", UPSTREAM).putArray("endpoints").add("chat");
                ObjectNode prices = config.withObject("/prices");
                prices.putObject("priced/m").put("input", 1).put("output", 2);
                prices.putObject("priced/none").put("input", 0).put("output", 0);
                config.withObject("/budgets").put("assumedOutput", 500);
              });

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    key = BudgetedKey.issue(GATEWAY, "budgets");
  }

  @Test
  void aCallHoldsItsInputAndItsLimitAndSettlesWhatItUsed() throws Exception {
    key.budget("b", "tokens", "1000", "total", "");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(held(gate, usage(30, 12)));

    CompletableFuture<HttpResponse<String>> call =
        key.posting(Routed.CHAT, asked("priced/m", WORDS, ",\"max_tokens\":100"));
    UPSTREAM.takeRequest();
    long held = key.limit("b").path("held").asLong();
    assertThat(held).isBetween(101L, 120L);
    assertThat(key.limit("b").path("remaining").asLong()).isEqualTo(1000 - held);
    gate.release();

    HttpResponse<String> answer = call.get();
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Budget-Remaining")).hasValue("958");
    key.assertSettled("b", 42);
    assertThat(key.limit("b").path("remaining").asLong()).isEqualTo(958);
  }

  @Test
  void aCallThatDoesNotFitIsRefusedAndNothingGoesUp() throws Exception {
    key.budget("b", "tokens", "100", "month", "");

    HttpResponse<String> refused = chat("priced/m", ",\"max_tokens\":100");

    JsonNode error = ErrorEnvelope.check(refused, 402, "billing_error");
    assertThat(error.path("scope").asText()).isEqualTo("tokens");
    assertThat(error.path("resets_at").asText()).endsWith("Z");
    assertThat(error.path("message").asText()).contains("'b'", "limit 100", "used 0", "held 0");
    assertThat(refused.headers().firstValue("x-should-retry")).hasValue("false");
    assertThat(refused.headers().firstValue("X-Budget-Remaining")).hasValue("100");
    assertThat(UPSTREAM.requests()).isEmpty();
    assertThat(key.limit("b").path("held").asLong()).isZero();
  }

  @Test
  void aShortWindowIsWaitedFor() throws Exception {
    key.budget("b", "tokens", "10", "1h", "");

    HttpResponse<String> refused = chat("priced/m", ",\"max_tokens\":100");

    JsonNode error = ErrorEnvelope.check(refused, 429, "rate_limit_error");
    assertThat(error.path("scope").asText()).isEqualTo("tokens");
    assertThat(refused.headers().firstValueAsLong("Retry-After").orElseThrow())
        .isBetween(1L, 3600L);
  }

  /** Else a caller would wait for one, to be refused by the other. */
  @Test
  void ofBudgetsThatLeaveTooLittleTheOneThatEndsLastRefuses() throws Exception {
    key.budget("a", "tokens", "10", "1m", "");
    key.budget("b", "tokens", "20", "total", "");
    key.budget("c", "tokens", "30", "1h", "");
    key.budget("d", "tokens", "0", "total", "&mode=shadow");

    HttpResponse<String> refused = chat("priced/m", ",\"max_tokens\":100");

    JsonNode error = ErrorEnvelope.check(refused, 402, "billing_error");
    assertThat(error.path("message").asText()).contains("'b'", "limit 20");
    assertThat(error.path("resets_at").isNull()).isTrue();
    assertThat(refused.headers().firstValue("x-should-retry")).hasValue("false");
  }

  @Test
  void aBudgetOfDollarsCountsPicoDollars() throws Exception {
    key.budget("money", "usd", "0.0005", "total", "");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)));

    HttpResponse<String> answer = chat("priced/m", ",\"max_tokens\":100");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    key.assertSettled("money", "0.000054");
    JsonNode limit = key.limit("money");
    assertThat(limit.path("limit").asText()).isEqualTo("0.0005");
    assertThat(limit.path("remaining").asText()).isEqualTo("0.000446");
    assertThat(limit.path("reset").isNull()).isTrue();

    JsonNode error =
        ErrorEnvelope.check(chat("priced/m", ",\"max_tokens\":300"), 402, "billing_error");
    assertThat(error.path("scope").asText()).isEqualTo("cost");
    assertThat(error.path("resets_at").isNull()).isTrue();
  }

  /** What is used and held is then no more than the limit. */
  @Test
  void aBudgetOfNoDollarsLetsThroughWhatCostsNothing() throws Exception {
    key.budget("money", "usd", "0", "total", "");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)));

    HttpResponse<String> onPremises = chat("priced/none", ",\"max_tokens\":100");
    assertThat(onPremises.statusCode()).as(onPremises.body()).isEqualTo(200);
    assertThat(onPremises.headers().firstValue("X-Budget-Remaining")).hasValue("0");
    ErrorEnvelope.check(chat("priced/m", ",\"max_tokens\":1"), 402, "billing_error");

    key.budget("b", "tokens", "0", "total", "");
    ErrorEnvelope.check(chat("priced/none", ",\"max_tokens\":1"), 402, "billing_error");
  }

  @Test
  void aModelWithoutAPriceIsRefusedUnlessThatIsAllowed() throws Exception {
    key.budget("money", "usd", "1", "total", "");

    HttpResponse<String> refused = chat("free/m", ",\"max_tokens\":9");
    assertThat(refused.headers().firstValue("X-Budget-Remaining")).hasValue("1");
    JsonNode error = ErrorEnvelope.check(refused, 402, "billing_error");
    assertThat(error.path("message").asText()).contains("price", "free/m");
    assertThat(UPSTREAM.requests()).isEmpty();

    key.budget("money", "usd", "1", "total", "&unpriced=allow");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)));
    assertThat(chat("free/m", ",\"max_tokens\":9").statusCode()).isEqualTo(200);
  }

  @Test
  void aShadowBudgetCountsAndNeverRefuses() throws Exception {
    key.budget("s", "tokens", "10", "total", "&mode=shadow");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)), Answer.json(usage(30, 12)));

    HttpResponse<String> alone = chat("priced/m", ",\"max_tokens\":100");
    assertThat(alone.statusCode()).isEqualTo(200);
    assertThat(alone.headers().firstValue("X-Budget-Remaining")).hasValue("0");
    key.assertSettled("s", 42);
    key.budget("b", "tokens", "1000", "total", "");
    assertThat(chat("priced/m", ",\"max_tokens\":100").headers().firstValue("X-Budget-Remaining"))
        .hasValue("958");
    assertThat(key.limit("s").path("mode").asText()).isEqualTo("shadow");
    assertThat(
            GATEWAY
                .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
                .body())
        .contains("outcome=\"would_refuse\"");
  }

  @Test
  void aBudgetOfOtherModelsDoesNotCoverTheCall() throws Exception {
    key.budget("others", "tokens", "1", "total", "&models=other/*,x");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)));

    HttpResponse<String> answer = chat("priced/m", ",\"max_tokens\":100");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Budget-Remaining")).isEmpty();
  }

  @Test
  void aWholeAnswerWithoutALimitIsLimitedWhereLittleIsLeft() throws Exception {
    key.budget("b", "tokens", "1000", "total", "");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)));

    assertThat(chat("priced/m", "").statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().json().path("max_tokens").asLong()).isBetween(610L, 625L);

    UPSTREAM.enqueue(Answer.json(usage(30, 12)));
    assertThat(chat("openai/o1", "").statusCode()).isEqualTo(200);
    JsonNode toOpenAi = UPSTREAM.takeRequest().json();
    assertThat(toOpenAi.has("max_tokens")).isFalse(); // OpenAI's models that think refuse it
    assertThat(toOpenAi.path("max_completion_tokens").asLong()).isBetween(560L, 615L);

    key.budget("b", "tokens", "1000000", "total", "");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)));
    assertThat(chat("priced/m", "").statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().json().has("max_tokens")).isFalse();
  }

  @Test
  void anInputIsHeldAsItsProviderCounts() throws Exception {
    key.budget("b", "tokens", "100000", "total", "");
    String words = "many words ".repeat(500);
    UPSTREAM.enqueue(Answer.json(usage(2000, 12)));
    assertThat(ask("priced/other", words, ",\"max_tokens\":10").statusCode()).isEqualTo(200);

    Semaphore gate = new Semaphore(0);
    UPSTREAM.takeRequest();
    UPSTREAM.enqueue(held(gate, usage(2000, 12)));
    CompletableFuture<HttpResponse<String>> call =
        key.posting(Routed.CHAT, asked("priced/other", words, ",\"max_tokens\":10"));
    UPSTREAM.takeRequest();
    await()
        .untilAsserted(
            () -> assertThat(key.limit("b").path("held").asLong()).isBetween(2000L, 2020L));
    gate.release();
    assertThat(call.get().statusCode()).isEqualTo(200);
  }

  /** As of a call with a conversation that the provider keeps. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"previous_response_id\":\"resp_1\"",
        "\"conversation\":{\"id\":\"c\"}",
        "\"thread\":{\"type\":\"continue\",\"id\":\"t\"}",
        "\"tools\":[{\"type\":\"web_search\"}]",
        "\"plugins\":[{\"id\":\"web\"}]",
        "\"search_parameters\":{\"mode\":\"on\"}",
        "kept:online",
        "kept@preset/mine",
        "sonar-pro",
        "\"input\":[{\"type\":\"item_reference\",\"id\":\"msg_1\"},%w]",
        "\"input\":[{\"id\":\"msg_1\"},%w]",
        "\"input\":[%w,{\"role\":\"user\",\"content\":[{\"type\":\"input_file\",\"file_id\":\"file_1\"}]}]"
      })
  void anInputThatTheGatewayDoesNotSeeSaysNothingOfHowItIsCounted(String member) throws Exception {
    key.budget("b", "tokens", "100000", "total", "");
    String words = "many words ".repeat(500);
    boolean isName = !member.startsWith("\"");
    String model = "priced/" + (isName ? member : "kept" + member.hashCode());
    UPSTREAM.takingAll("members of more than one provider");
    UPSTREAM.enqueue(
        Answer.json(
            "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":40000,\"output_tokens\":9}}"));
    String input =
        member.startsWith("\"input\"")
            ? member.replace("%w", "{\"role\":\"user\",\"content\":\"" + words + "\"}")
            : (isName ? "" : member + ",") + "\"input\":\"" + words + "\"";
    HttpResponse<String> kept =
        key.post(
            Routed.RESPONSES,
            "{\"model\":\"%s\",\"max_output_tokens\":16,%s}".formatted(model, input));
    assertThat(kept.statusCode()).as(kept.body()).isEqualTo(200);
    key.assertSettled("b", 40_009);

    Semaphore gate = new Semaphore(0);
    UPSTREAM.takeRequest();
    UPSTREAM.enqueue(held(gate, usage(1000, 12)));
    CompletableFuture<HttpResponse<String>> call =
        key.posting(Routed.CHAT, asked(model, words, ",\"max_tokens\":10"));
    UPSTREAM.takeRequest();
    await()
        .untilAsserted(
            () -> assertThat(key.limit("b").path("held").asLong()).isBetween(1000L, 1100L));
    gate.release();
    assertThat(call.get().statusCode()).isEqualTo(200);
  }

  @Test
  void anIncreaseIsForATime() throws Exception {
    key.budget("b", "tokens", "100", "total", "");
    GATEWAY.task("key-budget-increase?id=" + key.id() + "&name=b&by=900&expiresIn=1h");
    assertThat(key.limit("b").path("limit").asLong()).isEqualTo(1000);
    JsonNode listed = GATEWAY.task("key-list?project=budgets");
    assertThat(listed.toString()).contains("\"budgets\":{\"b\"");

    GATEWAY.task("key-budget?id=" + key.id() + "&name=b");
    assertThat(key.limits().findValuesAsText("name")).doesNotContain("b");
  }

  @Test
  void anIncreaseOfTokensIsNoneOfDollars() throws Exception {
    key.budget("b", "tokens", "100", "total", "");
    GATEWAY.task("key-budget-increase?id=" + key.id() + "&name=b&by=900&expiresIn=1h");
    key.budget("b", "tokens", "200", "total", "");
    assertThat(key.limit("b").path("limit").asLong()).isEqualTo(1100);

    key.budget("b", "usd", "5", "total", "");
    assertThat(key.limit("b").path("limit").asText()).isEqualTo("5");
  }

  @Test
  void aProjectsBudgetHoldsAtOnceForKeysInUse() throws Exception {
    String project = UUID.randomUUID().toString();
    key = BudgetedKey.issue(GATEWAY, project);
    assertThat(key.limits().findValuesAsText("name")).doesNotContain("all");

    String budget = "project-budget?name=all&project=" + project;
    GATEWAY.task(budget + "&unit=tokens&limit=100&window=day");
    assertThat(key.limit("all").path("appliesTo").asText()).isEqualTo("project");

    GATEWAY.task(budget);
    assertThat(key.limits().findValuesAsText("name")).doesNotContain("all");
  }

  @Test
  void anIncreaseThatIsNoneIsRefused() throws Exception {
    key.budget("b", "tokens", "100", "day", "");
    for (String by : List.of("0", "-5")) {
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () ->
                  GATEWAY.task(
                      "key-budget-increase?id=%s&name=b&by=%s&expiresIn=1h"
                          .formatted(key.id(), by)))
          .hasMessageContaining("by must be more than 0");
    }
  }

  @Test
  void callsAfterAnotherAreNotRefusedForWhatIsAboutToBeSettled() throws Exception {
    key.budget("b", "tokens", "1000", "total", "");
    UPSTREAM.answerAlways(Answer.json(usage(30, 10)));
    int answered = 0;
    while (chat("priced/m", ",\"max_tokens\":50").statusCode() == 200) {
      answered++;
    }
    // The last call that fits needs about 60 of what is left.
    assertThat(answered).isBetween(23, 25);
    key.assertSettled("b", answered * 40L);
  }

  @Test
  void aFailedCallGivesAllBack() throws Exception {
    key.budget("b", "tokens", "1000", "total", "");
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", "no"));

    HttpResponse<String> failed = chat("priced/m", ",\"max_tokens\":50");

    assertThat(failed.statusCode()).isEqualTo(400);
    assertThat(failed.headers().firstValue("X-Budget-Remaining")).hasValue("1000");
    key.assertSettled("b", 0);
  }

  @Test
  void anAnswerThatIsNoneTellsWhatIsLeft() throws Exception {
    key.budget("b", "tokens", "1000", "day", "");
    UPSTREAM.enqueue(Answer.garbage());

    HttpResponse<String> failed = chat("priced/m", ",\"max_tokens\":50");

    assertThat(failed.statusCode()).isEqualTo(502);
    assertThat(failed.headers().firstValue("X-Budget-Remaining")).hasValue("1000");
    assertThat(failed.headers().firstValue("X-Budget-Reset")).isPresent();
  }

  /** Contract §15: a call that is answered again costs nothing, and tells what is left. */
  @Test
  void anAnswerThatIsGivenAgainTellsWhatIsLeft() throws Exception {
    key.budget("b", "tokens", "1000", "month", "");
    key.budget("others", "tokens", "5", "total", "&models=other/*");
    UPSTREAM.enqueue(Answer.json(usage(30, 12)), Answer.json(usage(30, 12)));
    HttpResponse<String> first = turn("priced/m");
    key.assertSettled("b", 42);
    chat("priced/m", ",\"max_tokens\":100");
    key.assertSettled("b", 84);

    HttpResponse<String> again = turn("priced/m");

    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(again.headers().firstValue("X-Budget-Remaining")).hasValue("916");
    assertThat(again.headers().firstValue("X-Budget-Reset"))
        .isPresent()
        .isEqualTo(first.headers().firstValue("X-Budget-Reset"));
    key.assertSettled("b", 84);

    key.budget("b", "tokens", "5", "month", "&models=other/*");
    assertThat(turn("priced/m").headers().firstValue("X-Budget-Remaining")).isEmpty();
  }

  private HttpResponse<String> turn(String model) throws Exception {
    String[] headers = {"x-thread-id", "again", "x-resource-id", "r", "Idempotency-Key", "again"};
    return key.post(Routed.CHAT, asked(model, "Hi", ",\"max_tokens\":100"), headers);
  }

  @Test
  void nonsenseIsRefused() {
    for (String words :
        List.of(
            "&unit=tokens&limit=-1&window=day",
            "&unit=tokens&limit=1.5&window=day",
            "&unit=euro&limit=1&window=day",
            "&unit=usd&limit=1&window=32d",
            "&unit=usd&limit=&window=day",
            "&limit=",
            "&unit=usd&limit=1&window=0m",
            "&unit=usd&limit=1",
            "&unit=usd&limit=1e99999999&window=day",
            "&unit=usd&limit=1&window=day&mode=loud",
            "&unit=usd&limit=1&window=day&limit=2")) {
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> GATEWAY.task("key-budget?id=" + key.id() + "&name=b" + words))
          .as(words)
          .hasMessageStartingWith("400");
    }
  }

  private HttpResponse<String> chat(String model, String more) throws Exception {
    return ask(model, WORDS, more);
  }

  private HttpResponse<String> ask(String model, String words, String more) throws Exception {
    return key.post(Routed.CHAT, asked(model, words, more));
  }

  private static String asked(String model, String words, String more) {
    return "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]%s}"
        .formatted(model, words, more);
  }

  private static Answer held(Semaphore gate, String body) {
    return exchange -> {
      gate.acquireUninterruptibly();
      Answer.json(body).write(exchange);
    };
  }
}
