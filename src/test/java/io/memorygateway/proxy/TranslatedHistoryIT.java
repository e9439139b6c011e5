package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §14: {@code previous_response_id} and {@code conversation} where not all targets are
 * providers of Responses, or the gateway has made the id.
 */
class TranslatedHistoryIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FIRST = "What was said first.";
  private static final String SECOND = "What is said then.";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : new String[] {"chat", "messages", "responses"}) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("responses");
                }
                Routed.route(config, "translated-first", "only-messages/bad", "only-responses/m");
                Routed.route(config, "native-first", "only-responses/bad", "only-chat/m");
              });

  @ParameterizedTest
  @CsvSource({
    "only-messages/m, only-responses/m, false",
    "only-chat/m, only-responses/m, true",
    "only-messages/m, only-chat/m, false",
    "only-messages/m, translated-first, false",
    "only-messages/m, native-first, true",
    "only-responses/m, native-first, false",
    "only-responses/m, translated-first, true",
  })
  void aThreadTakesThePlaceOfAnIdThatATargetDoesNotKnow(String one, String other, boolean stream)
      throws Exception {
    UPSTREAM.answer(new Routed.Script().on("bad", Answer.json(503, "{}")));
    String thread = "moves-" + UUID.randomUUID();
    String id = id(ask(thread, one, "\"stream\":" + stream, FIRST));

    HttpResponse<String> answer =
        ask(thread, other, "\"previous_response_id\":\"%s\"".formatted(id), SECOND);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("previous_response_id");
    assertThat(lastBody())
        .contains(FIRST, CannedReplies.TEXT, SECOND)
        .doesNotContain("previous_response_id", id);
  }

  @Test
  void aCallThatGoesOnWithAnotherAnswerIsAnotherOne() throws Exception {
    String thread = "on-" + UUID.randomUUID();
    String body =
        "{\"model\":\"only-chat/m\",\"previous_response_id\":\"%s\",\"input\":\"Go on.\"}";
    String first = id(ask(thread, "only-chat/m", "\"stream\":false", FIRST));
    String second = id(retried(thread, body.formatted(first)));

    HttpResponse<String> third = retried(thread, body.formatted(second));
    assertThat(third.headers().firstValue("Idempotent-Replayed")).isEmpty();
    HttpResponse<String> again = retried(thread, body.formatted(second));
    assertThat(again.headers().firstValue("Idempotent-Replayed")).isPresent();
  }

  private static HttpResponse<String> retried(String thread, String body) throws Exception {
    return Routed.call(
        GATEWAY,
        Routed.RESPONSES,
        body,
        "x-thread-id",
        thread,
        "x-resource-id",
        "r",
        "x-stainless-retry-count",
        "1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"only-chat/m", "translated-first"})
  void aConversationOfAProviderIsLeftOutAndNamed(String model) throws Exception {
    String thread = "held-" + UUID.randomUUID();
    HttpResponse<String> unnamed = ask(thread, model, "\"conversation\":null", FIRST);
    HttpResponse<String> answer = ask(thread, model, "\"conversation\":{\"id\":\"c\"}", SECOND);

    assertThat(unnamed.headers().firstValue("X-Gateway-Dropped")).isEmpty();
    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("conversation");
    assertThat(lastBody()).contains(FIRST, SECOND).doesNotContain("\"conversation\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"only-responses/m", "only-messages/m", "translated-first"})
  void withoutAThreadNobodyHoldsWhatTheGatewayHasAnswered(String model) throws Exception {
    String id = id(ask(null, "only-chat/m", "\"stream\":false", FIRST));

    HttpResponse<String> answer =
        ask(null, model, "\"previous_response_id\":\"%s\"".formatted(id), SECOND);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("previous_response_id").doesNotContain(id);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void withoutAThreadAnIdOfAProviderGoesToIt() throws Exception {
    HttpResponse<String> answer =
        ask(null, "translated-first", "\"previous_response_id\":\"resp_1\"", SECOND);

    assertThat(answer.headers().firstValue("X-Gateway-Attempts")).hasValue("only-responses/m=200");
    assertThat(lastBody()).contains("\"previous_response_id\":\"resp_1\"");
  }

  private static HttpResponse<String> ask(String thread, String model, String member, String input)
      throws Exception {
    String body = "{\"model\":\"%s\",%s,\"input\":\"%s\"}".formatted(model, member, input);
    return thread == null
        ? Routed.call(GATEWAY, Routed.RESPONSES, body, "x-unknown", "x")
        : Routed.call(GATEWAY, Routed.RESPONSES, body, "x-thread-id", thread, "x-resource-id", "r");
  }

  private static String id(HttpResponse<String> answer) throws Exception {
    String last = answer.body().substring(answer.body().lastIndexOf("{\"id\":\"resp_"));
    JsonNode response = JSON.readTree(last);
    return response.path("id").asText();
  }

  private static String lastBody() {
    return UPSTREAM.requests().get(UPSTREAM.requests().size() - 1).text();
  }
}
