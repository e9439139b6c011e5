package io.memorygateway.proxy;

import static io.memorygateway.proxy.Routed.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.budget.hold.ReachedBudgets;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Contract §15: what calls of every kind hold, are limited to where budgets clamp, and settle. */
class BudgetedCallsIT {
  private static final String TEXT = "\"Hello there, how are you?\"";
  private static final String MESSAGES =
      "\"messages\":[{\"role\":\"user\",\"content\":" + TEXT + "}]";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String name : new String[] {"one", "three"}) {
                  Routed.provider(config, name, UPSTREAM)
                      .putArray("endpoints")
                      .add("chat")
                      .add("messages")
                      .add("responses")
                      .add("completions")
                      .add("embeddings");
                }
                ObjectNode translated = Routed.provider(config, "chatty", UPSTREAM);
                translated.putArray("endpoints").add("chat");
                translated.putArray("translate").add("messages");
                ObjectNode prices = config.withObject("/prices");
                prices.putObject("chatty/m").put("input", 1).put("output", 2);
                prices.putObject("one/m").put("input", 1).put("output", 2);
                prices.putObject("one/dear").put("input", 10).put("output", 20);
                prices.putObject("one/dearest").put("input", 1_000_000).put("output", 1_000_000);
                ObjectNode third = prices.putObject("three/m").put("input", 3).put("output", 6);
                ObjectNode tiers = third.putObject("serviceTiers");
                tiers.putObject("fast").put("input", 10).put("output", 20);
                tiers.putObject("priority").put("input", 10).put("output", 20);
                config.withObject("/budgets").put("assumedOutput", 500).put("clamp", true);
              });

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    key = BudgetedKey.issue(GATEWAY, "calls");
  }

  /** The log names the key as its operators know it. */
  @Test
  void aShareOfALimitIsLoggedWithTheNameOfItsKey() throws Exception {
    key.tokens(100);
    UPSTREAM.answer(
        request -> Answer.json("{\"usage\":{\"prompt_tokens\":50,\"completion_tokens\":2}}"));
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.list = new CopyOnWriteArrayList<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ReachedBudgets.class);
    logger.addAppender(lines);
    try {
      assertThat(call("chat/completions", "{\"model\":\"one/m\",%m}").statusCode()).isEqualTo(200);
      await().until(() -> !lines.list.isEmpty());
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "The budget b of the key " + key.id() + " (k of calls) has come to 50 % of its limit");
  }

  /** No row is lost, and the budget is used up. */
  @Test
  void whatIsMoreThanANumberTellsCountsAsMuchAsOneTells() throws Exception {
    key.budget("usd", "9000000", "&mode=shadow");
    UPSTREAM.answerAlways(
        Answer.json("{\"usage\":{\"prompt_tokens\":4000000,\"completion_tokens\":1000000}}"));
    for (int i = 0; i < 3; i++) {
      String body = "{\"model\":\"one/dearest\",\"max_tokens\":5,%m}";
      assertThat(call("chat/completions", body).headers().firstValue("X-Gateway-Cost"))
          .hasValue("5000000");
    }
    await().until(() -> key.limit().path("held").asText().equals("0"));
    assertThat(key.limit().path("used").asDouble()).isBetween(9.2e6, 9.3e6);
    assertThat(key.limit().path("remaining").asText()).isEqualTo("0");
    JsonNode usage = GATEWAY.task("usage?by=model&project=calls");
    assertThat(usage.findParents("model"))
        .filteredOn(row -> row.path("model").asText().equals("dearest"))
        .extracting(row -> row.path("cost").asText())
        .containsExactly("15000000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":500,%m} | max_tokens",
        "chat/completions | {\"max_completion_tokens\":500,\"model\":\"one/m\",%m} | max_completion_tokens",
        "chat/completions | {\"model\":\"one/m\",%m} | max_tokens",
        "messages | {\"model\":\"one/m\",\"max_tokens\":500,%m} | max_tokens",
        "responses | {\"model\":\"one/m\",\"max_output_tokens\":500,\"input\":%t} | max_output_tokens",
        "responses | {\"model\":\"one/m\",\"input\":%t} | max_output_tokens",
        "completions | {\"model\":\"one/m\",\"max_tokens\":500,\"prompt\":%t} | max_tokens"
      })
  void theLargestOutputThatFitsGoesUp(String path, String body, String member) throws Exception {
    key.tokens(300);
    UPSTREAM.answer(request -> Answer.json("{}"));

    HttpResponse<String> answer = call(path, body);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode sent = UPSTREAM.takeRequest().json();
    assertThat(sent.path(member).asLong()).as(sent.toString()).isBetween(270L, 299L);
    assertThat(
            sent.findValues("max_tokens").size()
                + sent.findValues("max_output_tokens").size()
                + sent.findValues("max_completion_tokens").size())
        .isOne();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "messages | {\"model\":\"one/m\",\"max_tokens\":500,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":100},%m} | 60",
        "responses | {\"model\":\"one/m\",\"max_output_tokens\":500,\"input\":%t} | 20",
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":500,\"n\":20,%m} | 25",
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":500,%m} | 5"
      })
  void aCallThatCannotBeLimitedSoFarIsRefused(String path, String body, String left)
      throws Exception {
    key.budget("tokens", left, "");

    ErrorEnvelope.check(call(path, body), 402, "billing_error");

    assertThat(UPSTREAM.requests()).isEmpty();
  }

  /** Each of the answers that a call asks for may be as long as its limit. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":50,\"n\":3,%m} | 150",
        // as lenient servers read numbers
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":5e1,\"n\":3.0,%m} | 150",
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":\"50\",\"n\":\"3\",%m} | 150",
        "chat/completions | {\"model\":\"one/m\",\"max_tokens\":50,\"n\":null,%m} | 50",
        "completions | {\"model\":\"one/m\",\"max_tokens\":50,\"n\":2,\"prompt\":[%t,%t,%t]} | 300",
        "completions | {\"model\":\"one/m\",\"max_tokens\":50,\"best_of\":4,\"prompt\":%t} | 200",
        "completions | {\"model\":\"one/m\",\"max_tokens\":50,\"prompt\":[1,2,3]} | 50",
        "completions | {\"model\":\"one/m\",\"max_tokens\":50,\"prompt\":[[1,2],[3]]} | 100",
        "embeddings | {\"model\":\"one/m\",\"input\":[%t,%t]} | 0"
      })
  void everyAnswerOfACallIsHeld(String path, String body, long output) throws Exception {
    UPSTREAM.takingAll("numbers in unusual forms");
    key.tokens(1000000);
    Semaphore gate = new Semaphore(0);
    UPSTREAM.answer(
        request ->
            exchange -> {
              gate.acquireUninterruptibly();
              Answer.json("{\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":1}}")
                  .write(exchange);
            });
    CompletableFuture<HttpResponse<String>> call = calling(path, body);
    UPSTREAM.takeRequest();

    assertThat(key.limit().path("held").asLong()).isBetween(output + 2, output + 40);
    gate.release();
    call.join();
    key.assertSettled(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"speed\":\"fast\"",
        "\"speed\":\"fast\",\"service_tier\":\"auto\"",
        "\"speed\":\"standard\",\"service_tier\":\"priority\""
      })
  void theSpeedThatIsAskedForIsHeld(String dear) throws Exception {
    UPSTREAM.takingAll("a member of a beta");
    key.budget("usd", "0.001", "");
    String answer = "{\"usage\":{\"input_tokens\":2,\"output_tokens\":1}}";
    UPSTREAM.enqueue(Answer.json(answer), Answer.json(answer));
    String body = "{\"model\":\"three/m\",\"max_tokens\":100,%%m,%s}";

    assertThat(call("messages", body.formatted("\"speed\":\"standard\"")).statusCode())
        .isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().json().path("max_tokens").asLong()).isEqualTo(100);
    key.assertSettled("0.000012");
    assertThat(call("messages", body.formatted(dear)).statusCode()).isEqualTo(200);
    // Each may cost 20 dollars a million.
    assertThat(UPSTREAM.takeRequest().json().path("max_tokens").asLong()).isBetween(30L, 49L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[{\"model\":\"unpriced\"}]", "\"default\""})
  void whatATranslationLeavesOutIsNotHeld(String fallbacks) throws Exception {
    key.budget("usd", "1", "");
    UPSTREAM.answer(request -> Answer.json(usage(10, 20)));

    HttpResponse<String> answer =
        call(
            "messages",
            "{\"model\":\"chatty/m\",\"max_tokens\":100,\"fallbacks\":" + fallbacks + ",%m}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().json().has("fallbacks")).isFalse();
  }

  @Test
  void whatFallbacksMayCostIsHeld() throws Exception {
    key.budget("usd", "0.005", "");
    UPSTREAM.takingAll("fallbacks, which are in beta").answer(request -> Answer.json("{}"));
    String body = "{\"model\":\"one/m\",\"max_tokens\":1000,\"fallbacks\":%s,%%m}";

    assertThat(call("messages", body.formatted("[{\"model\":\"dear\"}]")).statusCode())
        .isEqualTo(200);
    JsonNode sent = UPSTREAM.takeRequest().json();
    assertThat(sent.path("max_tokens").asLong()).isBetween(200L, 249L);
    assertThat(sent.at("/fallbacks/0/model").asText()).isEqualTo("dear");
    key.assertSettled("0");
    UPSTREAM.reset();
    for (String fallbacks :
        new String[] {
          "[{\"model\":\"dear\",\"max_tokens\":1000}]",
          "[{\"model\":\"unpriced\"}]",
          "[{\"model\":\"m\",\"speed\":\"fast\"}]",
          "\"default\""
        }) {
      ErrorEnvelope.check(call("messages", body.formatted(fallbacks)), 402, "billing_error");
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  /** It is no limit of the call's, which its own model would not know of. */
  @ParameterizedTest
  @CsvSource({"chat/completions, 1", "chat/completions, 0", "messages, 600"})
  void aLimitOfAFallbackIsNoneOfTheCalls(String path, long limit) throws Exception {
    UPSTREAM.takingAll("fallbacks, and Messages without a limit");
    String body =
        "{\"model\":\"one/m\",\"fallbacks\":[{\"model\":\"m\",\"max_tokens\":%d}],%s}"
            .formatted(limit, MESSAGES);
    key.tokens(300);
    UPSTREAM.answer(request -> Answer.json(usage(10, 12)));

    HttpResponse<String> answer = call(path, body);

    if (limit > 300) {
      ErrorEnvelope.check(answer, 402, "billing_error");
      return;
    }
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().json().path("max_tokens").asLong()).isBetween(250L, 299L);
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void anUpstreamThatSaysNoUsageIsCounted(boolean stream) throws Exception {
    key.tokens(1000);
    String whole =
        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"one two three\"},\"finish_reason\":\"stop\"}]}";
    UPSTREAM.enqueue(
        stream
            ? Answer.sse(
                java.util.List.of(
                    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one two three\"}}]}\n\n",
                    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                    "data: [DONE]\n\n"))
            : Answer.json(whole));

    HttpResponse<String> answer =
        call(
            "chat/completions",
            "{\"model\":\"one/m\",\"max_tokens\":100,\"stream\":" + stream + ",%m}");

    assertThat(answer.statusCode()).isEqualTo(200);
    // Until it is counted, as much is left as is certain.
    assertThat(Long.parseLong(answer.headers().firstValue("X-Budget-Remaining").orElseThrow()))
        .isBetween(870L, 900L);
    assertThat(key.settled()).isBetween(8L, 30L);
    assertLogIsSettled();
  }

  @Test
  void aReplayCostsAndHoldsNothing() throws Exception {
    key.tokens(130);
    UPSTREAM.answerAlways(Answer.json(usage(10, 90)));
    String[] headers = {
      "x-thread-id", "replayed", "x-resource-id", "someone", "Idempotency-Key", "once"
    };
    String body = "{\"model\":\"one/m\",\"max_tokens\":100,%m}";
    assertThat(call("chat/completions", body, headers).statusCode()).isEqualTo(200);
    key.assertSettled(100);

    HttpResponse<String> again = call("chat/completions", body, headers);

    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).isPresent();
    assertThat(UPSTREAM.requests()).hasSize(1);
    key.assertSettled(100);
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void aCallerThatLeavesGivesBackWhatWasNotUsed(boolean stream) throws Exception {
    key.tokens(1000);
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(
        exchange -> {
          gate.acquireUninterruptibly();
          Answer.json(usage(10, 90)).write(exchange);
        });
    String body =
        "{\"model\":\"one/m\",\"max_tokens\":500,\"stream\":" + stream + "," + MESSAGES + "}";
    RawClient client =
        new RawClient(GATEWAY.port()).post("/v1/chat/completions", key.secret(), body);
    UPSTREAM.takeRequest();
    assertThat(key.limit().path("held").asLong()).isGreaterThan(500);
    client.close();

    assertThat(key.settled()).isLessThan(30);
    gate.release();
    assertLogIsSettled();
  }

  /** What the log tells is what is settled. */
  private void assertLogIsSettled() throws Exception {
    long[] log = {0};
    DATABASE
        .jdbi()
        .useHandle(
            handle ->
                log[0] =
                    handle
                        .createQuery(
                            "SELECT COALESCE(SUM(COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)), 0)"
                                + " FROM request_log l JOIN api_keys k ON k.id = l.key_id"
                                + " WHERE k.public_id = :id")
                        .bind("id", key.id())
                        .mapTo(Long.class)
                        .one());
    assertThat(key.limit().path("used").asLong()).isEqualTo(log[0]);
  }

  private CompletableFuture<HttpResponse<String>> calling(String path, String body) {
    return key.posting("/v1/" + path, whole(body));
  }

  private HttpResponse<String> call(String path, String body, String... headers) throws Exception {
    return key.post("/v1/" + path, whole(body), headers);
  }

  private static String whole(String body) {
    return body.replace("%m", MESSAGES).replace("%t", TEXT);
  }
}
