package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §14: what targets refuse to be told of how much to reason and to answer. */
class RefusedTermsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ASKED = "{\"role\":\"user\",\"content\":\"a\"}";

  private static final Answer LESS =
      Answer.error(
          400,
          "invalid_request_error",
          "max_tokens is too large: 32000. This model supports at most 16384 completion tokens,"
              + " whereas you provided 32000.");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : List.of("chat", "messages")) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages");
                }
              });

  /** Of a prompt that is too long beside the output, vLLM tells no more than that. */
  @Test
  void howLongAPromptIsThatTheTargetDidNotReadIsCounted() throws Exception {
    UPSTREAM.answerAlways(
        Answer.error(
            400,
            "BadRequestError",
            "This model's maximum context length is 1000 tokens. However, you requested 999 output"
                + " tokens and your prompt contains at least 2 input tokens, for a total of at"
                + " least 1001 tokens."));

    HttpResponse<String> answer =
        GATEWAY.post(
            Routed.MESSAGES,
            "{\"model\":\"only-chat/m\",\"max_tokens\":999,\"messages\":[%s]}"
                .formatted(ThreadCaller.message("user", "One two three four five six.")));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(JSON.readTree(answer.body()).at("/error/message").asText())
        .matches("input length and `max_tokens` exceed context limit: \\d+ \\+ 999 > 1000, .*")
        .doesNotContain("limit: 2 +");
  }

  /** And later calls are written so from the beginning, once it has answered. */
  @Test
  void aTargetThatTakesNoEffortIsAskedOnceMoreWithoutIt() throws Exception {
    String call =
        "{\"model\":\"only-chat/untold\",\"max_tokens\":9,\"thinking\":{\"type\":\"adaptive\"},\"messages\":[%s]}"
            .formatted(ASKED);
    Answer refusal =
        Answer.error(400, "invalid_request_error", "m does not support reasoning_effort.");
    UPSTREAM.enqueue(refusal, Answer.error(400, "invalid_request_error", "something else"));
    assertThat(GATEWAY.post(Routed.MESSAGES, call).statusCode()).isEqualTo(400);
    UPSTREAM.enqueue(refusal);
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer = GATEWAY.post(Routed.MESSAGES, call);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("thinking");
    }

    assertThat(efforts()).containsExactly("medium", "", "medium", "", "");
  }

  /** Models of OpenAI's take no effort beside tools in Chat, and any without. */
  @Test
  void whatATargetRefusesBesideToolsIsOfThatCallAlone() throws Exception {
    String call =
        "{\"model\":\"only-chat/tooled\",\"max_tokens\":9,\"thinking\":{\"type\":\"adaptive\"},\"messages\":[%s]}"
            .formatted(ASKED);
    UPSTREAM.enqueue(
        Answer.error(
            400,
            "invalid_request_error",
            "Function tools with reasoning_effort are not supported for m in /v1/chat/completions."));
    for (int i = 0; i < 2; i++) {
      assertThat(GATEWAY.post(Routed.MESSAGES, call).statusCode()).isEqualTo(200);
    }

    assertThat(efforts()).containsExactly("medium", "", "medium");
  }

  /** Also where the format demands a limit and the caller gives none. */
  @Test
  void aTargetThatHasLessOutputIsAskedForThat() throws Exception {
    String chat = "{\"model\":\"only-messages/m\",\"messages\":[%s]}".formatted(ASKED);
    UPSTREAM.enqueue(
        Answer.error(
            400,
            "invalid_request_error",
            "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m"));
    for (int i = 0; i < 2; i++) {
      assertThat(GATEWAY.post(Routed.CHAT, chat).statusCode()).isEqualTo(200);
    }
    assertThat(limits()).containsExactly(8192L, 4096L, 4096L);
    UPSTREAM.reset();

    String messages =
        "{\"model\":\"only-chat/less\",\"max_tokens\":32000,\"messages\":[%s]}".formatted(ASKED);
    UPSTREAM.enqueue(LESS);
    for (int i = 0; i < 2; i++) {
      assertThat(GATEWAY.post(Routed.MESSAGES, messages).statusCode()).isEqualTo(200);
    }
    GATEWAY.post(Routed.MESSAGES, messages.replace("32000", "100"));
    assertThat(limits()).containsExactly(32_000L, 16_384L, 16_384L, 100L);
  }

  /** What a caller asks for in the provider's own words is for the provider to answer. */
  @Test
  void aLimitOfTheCallersOwnIsRefusedToTheCaller() throws Exception {
    UPSTREAM.enqueue(LESS);
    HttpResponse<String> answer =
        GATEWAY.post(
            Routed.CHAT,
            "{\"model\":\"only-chat/own\",\"max_tokens\":32000,\"messages\":[%s]}"
                .formatted(ASKED));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("at most 16384");
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  /** Contract §15: of a whole answer that its caller does not limit. */
  @Test
  void aLimitThatABudgetDemandsIsNoMoreThanTheTargetHas() throws Exception {
    BudgetedKey key = BudgetedKey.issue(GATEWAY, "limited").tokens(100_000);
    UPSTREAM.enqueue(LESS);
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer =
          key.post(
              Routed.CHAT, "{\"model\":\"only-chat/made\",\"messages\":[%s]}".formatted(ASKED));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
    assertThat(limits().get(0)).isGreaterThan(20_000);
    assertThat(limits().subList(1, 3)).containsOnly(16_384L);
  }

  private static List<Long> limits() {
    return UPSTREAM.requests().stream()
        .map(sent -> sent.json().path("max_tokens").asLong())
        .toList();
  }

  private static List<String> efforts() {
    return UPSTREAM.requests().stream()
        .map(sent -> sent.json().path("reasoning_effort").asText())
        .toList();
  }

  /** One that names what it knows is told the nearest of that first; other efforts stay. */
  @Test
  void aTargetThatTakesAnotherEffortIsAskedWithThat() throws Exception {
    String words = "reasoning_effort: Input should be 'low', 'medium' or 'high'";
    String call =
        "{\"model\":\"only-chat/other\",\"max_tokens\":9,\"output_config\":{\"effort\":\"max\"},\"messages\":[%s]}"
            .formatted(ASKED);
    Answer refusal = Answer.error(400, "invalid_request_error", words);
    UPSTREAM.enqueue(refusal);
    HttpResponse<String> answer = GATEWAY.post(Routed.MESSAGES, call);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).isEmpty();
    assertThat(efforts()).containsExactly("max", "high");
    UPSTREAM.reset();

    GATEWAY.post(Routed.MESSAGES, call.replace("\"max\"", "\"low\""));
    GATEWAY.post(Routed.MESSAGES, call);
    assertThat(efforts()).containsExactly("low", "high");
    UPSTREAM.reset();

    UPSTREAM.enqueue(refusal, refusal);
    assertThat(GATEWAY.post(Routed.MESSAGES, call).statusCode()).isEqualTo(200);
    assertThat(efforts()).containsExactly("high", "medium", "");
  }

  /** Models that reason take no other than their own; newer ones of Anthropic's none at all. */
  @Test
  void aTargetThatTakesNoTemperatureIsAskedOnceMoreWithoutIt() throws Exception {
    String call =
        "{\"model\":\"only-messages/cool\",\"temperature\":0.2,\"top_p\":0.5,\"messages\":[%s]}"
            .formatted(ASKED);
    UPSTREAM.enqueue(
        Answer.error(400, "invalid_request_error", "`temperature` is deprecated for this model."),
        Answer.error(400, "invalid_request_error", "`top_p` is deprecated for this model."));
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer = GATEWAY.post(Routed.CHAT, call);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("temperature, top_p");
    }

    assertThat(UPSTREAM.requests())
        .extracting(sent -> sent.json().has("temperature") + " " + sent.json().has("top_p"))
        .containsExactly("true true", "false true", "false false", "false false");
    UPSTREAM.reset();

    UPSTREAM.enqueue(
        Answer.error(
            400,
            "invalid_request_error",
            "`temperature` and `top_p` cannot both be specified for this model."));
    GATEWAY.post(Routed.CHAT, call.replace("/cool", "/single"));
    GATEWAY.post(Routed.CHAT, call.replace("/cool", "/single").replace("\"temperature\":0.2,", ""));
    assertThat(UPSTREAM.requests())
        .extracting(sent -> sent.json().has("temperature") + " " + sent.json().has("top_p"))
        .containsExactly("true true", "true false", "false true");
    UPSTREAM.reset();

    // What is refused of a call as its caller wrote it is the caller's.
    UPSTREAM.enqueue(
        Answer.error(
            400, "invalid_request_error", "Unsupported parameter: 'temperature' is not supported"));
    assertThat(GATEWAY.post(Routed.CHAT, call.replace("only-messages", "only-chat")).statusCode())
        .isEqualTo(400);
  }

  /** The gateway looks for them itself then; what comes behind is not told, but for its tokens. */
  @Test
  void aTargetThatTakesNoStopsIsAskedOnceMoreWithoutThem() throws Exception {
    String call =
        "{\"model\":\"only-chat/endless\",\"max_tokens\":9,\"stop_sequences\":[\"</a>\",\"STOP\"],"
            + "\"messages\":[%s],\"stream\":%s}";
    String said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n";
    UPSTREAM.enqueue(
        Answer.error(
            400,
            "invalid_request_error",
            "Unsupported parameter: 'stop' is not supported with this model."),
        Answer.sse(
            List.of(
                said.formatted("one <"),
                said.formatted("/b> ST"),
                said.formatted("OP two"),
                said.formatted("two"),
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":9}}\n\n",
                "data: [DONE]\n\n")),
        Answer.json(
            "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                + "\"content\":\"one</a>two\"},\"finish_reason\":\"stop\"}],"
                + "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7}}"));

    HttpResponse<String> stream = GATEWAY.post(Routed.MESSAGES, call.formatted(ASKED, true));
    assertThat(stream.body())
        .contains("\"one \"", "\"</b> \"", "\"stop_reason\":\"stop_sequence\"", "\"STOP\"")
        .contains("\"output_tokens\":9", "event: message_stop")
        .doesNotContain("two", "event: error");
    JsonNode whole =
        JSON.readTree(GATEWAY.post(Routed.MESSAGES, call.formatted(ASKED, false)).body());
    assertThat(whole.at("/content/0/text").asText()).isEqualTo("one");
    assertThat(whole.path("stop_sequence").asText()).isEqualTo("</a>");
    assertThat(whole.at("/usage/output_tokens").asInt()).isEqualTo(7);
    assertThat(UPSTREAM.requests())
        .extracting(sent -> sent.json().has("stop"))
        .containsExactly(true, false, false);
  }

  @Test
  void aTargetThatWasToldNoEffortIsAskedOnce() throws Exception {
    UPSTREAM.enqueue(
        Answer.error(400, "invalid_request_error", "reasoning_effort is not this error's cause."));
    HttpResponse<String> answer =
        GATEWAY.post(
            Routed.MESSAGES,
            "{\"model\":\"only-chat/m\",\"max_tokens\":9,\"messages\":[%s]}".formatted(ASKED));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }
}
