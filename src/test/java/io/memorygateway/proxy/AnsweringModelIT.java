package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.ErrorEnvelope;
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

/** Contract §15: a call costs what the model costs that its answer names. */
class AnsweringModelIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);

  /** Pico-dollars for a token, of input as of output. */
  private static final Map<String, Long> PRICES =
      Map.of("asked", 1_000_000L, "cheap", 2_000_000L, "dear", 1_000_000_000L);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.provider(config, "broker", UPSTREAM).put("keepPrefix", true);
                price(config, "broker");
                for (String served : PATHS.keySet()) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  ArrayNode unused = provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages").add("responses");
                  price(config, "only-" + served);
                  config
                      .withObject("/modelAliases")
                      .put("quick-" + served, "only-" + served + "/asked");
                }
              });

  private static void price(ObjectNode config, String provider) {
    PRICES.forEach(
        (model, each) ->
            config
                .withObject("/prices")
                .putObject(provider + "/" + model)
                .put("input", each / 1e6)
                .put("output", each / 1e6));
  }

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    key = BudgetedKey.issue(GATEWAY, "answering");
  }

  @ParameterizedTest
  @CsvSource({
    "chat, chat", "messages, messages", "responses, responses",
    "messages, chat", "responses, chat", "chat, messages",
    "responses, messages", "messages, responses", "chat, responses"
  })
  void theModelThatTheAnswerNamesCounts(String called, String served) throws Exception {
    for (String model : List.of("only-" + served + "/asked", "quick-" + served)) {
      for (boolean stream : new boolean[] {false, true}) {
        String path = PATHS.get(called);
        String asked = model + " " + stream;
        UPSTREAM.answer(request -> namedBy(request, "dear"));
        assertThat(price(call(path, Routed.body(path, model, stream)))).as(asked).isEqualTo("dear");

        UPSTREAM.answer(request -> namedBy(request, "?"));
        assertThat(price(call(path, Routed.body(path, model, stream))))
            .as(asked + ", and the answer names a model without a price")
            .isEqualTo("asked");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"chat", "messages", "responses"})
  void aStreamThatIsCutIsPaidAsTheModelThatItBeganWith(String called) throws Exception {
    String path = PATHS.get(called);
    for (String model : List.of("only-" + called + "/asked", "quick-" + called)) {
      UPSTREAM.answer(
          request -> {
            List<String> events = reply(request, "dear").events();
            return Answer.sse(events.subList(0, events.size() / 2));
          });

      assertThat(price(call(path, Routed.body(path, model, true)))).as(model).isEqualTo("dear");
    }
  }

  /** A list that the provider follows itself. */
  @ParameterizedTest
  @CsvSource({"chat", "messages", "responses"})
  void theDearestOfAListIsHeldAndTheOneThatAnsweredIsSettled(String called) throws Exception {
    key.budget("usd", "1", "");
    String body = list(PATHS.get(called), "asked", "dear", "cheap");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.answer(
        request ->
            exchange -> {
              gate.acquireUninterruptibly();
              namedBy(request, "cheap").write(exchange);
            });
    CompletableFuture<HttpResponse<String>> call = key.posting(PATHS.get(called), body);
    assertThat(UPSTREAM.takeRequest().json().path("models")).hasSize(2);

    // 50 tokens of output at a thousand dollars a million, and some of input.
    assertThat(key.limit().path("held").asDouble()).isBetween(0.05, 0.1);
    gate.release();
    assertThat(call.join().statusCode()).isEqualTo(200);
    await().until(() -> !logged().isEmpty());
    assertThat(price(logged().get(0))).isEqualTo("cheap");
    assertThat(key.limit().path("used").asDouble()).isBetween(0.000001, 0.0002);

    key.budget("usd", "0.04", "");
    ErrorEnvelope.check(key.post(PATHS.get(called), body), 402, "billing_error");
  }

  @Test
  void aListWithAModelWithoutAPriceIsRefusedUnderABudgetOfDollars() throws Exception {
    key.budget("usd", "1", "");
    for (String models :
        List.of("\"models\":[\"cheap\",\"?\"]", "\"models\":\"dear\"", "\"Model\":\"dear\"")) {
      String body = "{\"model\":\"broker/asked\",%s,\"messages\":[]}".formatted(models);
      HttpResponse<String> answer = key.post(Routed.CHAT, body);

      ErrorEnvelope.check(answer, 402, "billing_error");
      assertThat(answer.body()).as(models).contains("price");
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void aBudgetOfOneModelOfAListCountsWhatThatAnswers() throws Exception {
    key.budget("tokens", "1000", "&models=broker/dear");
    String body = list(Routed.CHAT, "asked", "dear");
    UPSTREAM.answer(request -> namedBy(request, "asked"));
    call(Routed.CHAT, body);
    assertThat(key.limit().path("used").asLong()).isZero();

    UPSTREAM.answer(request -> namedBy(request, "dear"));
    long tokens = call(Routed.CHAT, body).tokens;
    assertThat(key.limit().path("used").asLong()).isEqualTo(tokens);
  }

  private static String list(String path, String first, String... others) {
    UPSTREAM.takingAll("a list of models, which OpenRouter follows, and limits of all formats");
    String models = JSON.valueToTree(List.of(others)).toString();
    return Routed.body(path, "broker/" + first, false)
        .replace(
            "\"max_tokens\"", "\"models\":" + models + ",\"max_output_tokens\":50,\"max_tokens\"");
  }

  private static CannedReplies.Reply reply(RecordedRequest request, String model) {
    ObjectNode named = request.json().deepCopy();
    return CannedReplies.reply(request.path(), named.put("model", model), CannedReplies.TEXT);
  }

  private static Answer namedBy(RecordedRequest request, String model) {
    CannedReplies.Reply reply = reply(request, model);
    return reply.isStream() ? Answer.sse(reply.events()) : Answer.json(reply.json());
  }

  /** A call in the request log. */
  private record Logged(long tokens, long cost) {}

  /** The model by whose price a call was paid. */
  private static String price(Logged call) {
    return PRICES.entrySet().stream()
        .filter(each -> call.tokens > 0 && each.getValue() * call.tokens == call.cost)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(call.toString());
  }

  private Logged call(String path, String body) throws Exception {
    long before = logged().size();
    HttpResponse<String> answer = key.post(path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    await().until(() -> logged().size() > before);
    return logged().get((int) before);
  }

  private List<Logged> logged() {
    return DATABASE
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT input_tokens + output_tokens, cost FROM request_log l"
                            + " JOIN api_keys k ON k.id = l.key_id WHERE k.public_id = :id"
                            + " ORDER BY started_at, l.id")
                    .bind("id", key.id())
                    .map((row, context) -> new Logged(row.getLong(1), row.getLong(2)))
                    .list());
  }
}
