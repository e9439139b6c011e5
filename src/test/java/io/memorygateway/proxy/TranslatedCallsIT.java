package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.answer.UpstreamErrorTest;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: calls of one format at targets of another. */
class TranslatedCallsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : PATHS.keySet()) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages").add("responses");
                }
                Routed.provider(config, "untranslated", UPSTREAM).putArray("endpoints").add("chat");
                config
                    .withObject("/modelAliases")
                    .put("claude-alias", "only-chat/m")
                    .put("native-alias", "only-messages/m")
                    .put("wild-*", "only-chat/m");
                Routed.route(config, "mixed", "only-chat/bad-mixed", "only-messages/good-mixed");
              });

  @ParameterizedTest
  @CsvSource({
    "messages, chat", "responses, chat", "chat, messages",
    "responses, messages", "messages, responses", "chat, responses"
  })
  void aCallIsAnsweredInItsFormatByATargetOfAnother(String called, String served) throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      HttpResponse<String> answer =
          Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/m", stream);

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(text(called, stream, answer.body())).isEqualTo(CannedReplies.TEXT);
      RecordedRequest request = UPSTREAM.takeRequest();
      assertThat(request.target()).isEqualTo("/only-" + served + PATHS.get(served));
      assertThat(request.json().path("model").asText()).isEqualTo("m");
      assertThat(answer.headers().firstValue("X-Gateway-Target")).hasValue("only-" + served + "/m");
    }
  }

  private static String text(String format, boolean stream, String body) throws Exception {
    if (!stream) {
      JsonNode json = JSON.readTree(body);
      return switch (format) {
        case "chat" -> json.at("/choices/0/message/content").asText();
        case "messages" -> json.at("/content/0/text").asText();
        default -> json.at("/output/0/content/0/text").asText();
      };
    }
    StringBuilder text = new StringBuilder();
    for (String line : body.lines().toList()) {
      if (line.startsWith("data: {")) {
        JsonNode data = JSON.readTree(line.substring("data: ".length()));
        text.append(
            switch (format) {
              case "chat" -> data.at("/choices/0/delta/content").asText("");
              case "messages" -> data.at("/delta/text").asText("");
              default ->
                  data.path("type").asText().equals("response.output_text.delta")
                      ? data.path("delta").asText()
                      : "";
            });
      }
    }
    return text.toString();
  }

  @Test
  void withoutTheSettingTheFormatIsRefused() throws Exception {
    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.MESSAGES, "untranslated/m", false);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("does not serve /v1/messages");
  }

  @Test
  void anthropicsSdkReadsAChatServer() {
    AnthropicClient client =
        AnthropicOkHttpClient.builder().baseUrl(GATEWAY.url()).apiKey(GATEWAY.key()).build();
    MessageCreateParams params =
        MessageCreateParams.builder()
            .model("claude-alias")
            .maxTokens(50)
            .system("Be short.")
            .addUserMessage("Hello?")
            .build();
    MessageAccumulator accumulator = MessageAccumulator.create();
    try (StreamResponse<RawMessageStreamEvent> stream = client.messages().createStreaming(params)) {
      stream.stream().forEach(accumulator::accumulate);
    }
    Message answer = accumulator.message();

    assertThat(
            answer.content().stream()
                .flatMap(block -> block.text().stream())
                .map(block -> block.text())
                .collect(Collectors.joining()))
        .isEqualTo(CannedReplies.TEXT);
    assertThat(answer.model().asString()).isEqualTo("claude-alias");
    assertThat(answer.usage().outputTokens()).isPositive();
    JsonNode sent = UPSTREAM.takeRequest().json();
    assertThat(sent.at("/messages/0/role").asText()).isEqualTo("system");
    assertThat(sent.at("/messages/0/content").asText()).isEqualTo("Be short.");
    client.close();
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void anAliasIsTheModelThatAnAnswerNames(boolean stream) throws Exception {
    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.MESSAGES, "native-alias", stream);

    assertThat(answer.body()).contains("\"model\":\"native-alias\"");
    assertThat(UPSTREAM.takeRequest().json().path("model").asText()).isEqualTo("m");
    assertThat(Routed.call(GATEWAY, Routed.CHAT, "wild-one", false).body())
        .contains("\"model\":\"wild-one\"");
  }

  @Test
  void whatIsLeftOutIsNamed() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post(
            Routed.MESSAGES,
            """
            {"model":"only-chat/m","max_tokens":50,"messages":[{"role":"user","content":"Hi"}],
             "tools":[{"type":"web_search_20250305","name":"web_search"}],
             "context_management":{"edits":[]}}
            """);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Dropped"))
        .hasValue("context_management, tools.web_search");
  }

  @ParameterizedTest
  @CsvSource({"messages", "responses", "chat"})
  void aContextThatIsTooLongIsSaidInTheWordsOfTheCalledFormat(String called) throws Exception {
    String served = called.equals("chat") ? "messages" : "chat";
    UPSTREAM.answerAlways(
        Answer.json(
            500,
            "{\"error\":{\"message\":\"This model's maximum context length is 10 tokens.\"}}"));

    HttpResponse<String> answer =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/m", true);

    assertThat(answer.statusCode()).isEqualTo(400);
    JsonNode error = JSON.readTree(answer.body()).path("error");
    if (called.equals("messages")) {
      assertThat(error.path("message").asText()).startsWith("prompt is too long");
    } else {
      assertThat(error.path("code").asText()).isEqualTo("context_length_exceeded");
    }
  }

  @ParameterizedTest
  @CsvSource({"400", "413", "500"})
  void aLongContextIsTheSameErrorWhateverItsStatusAndWords(int status) throws Exception {
    for (String words : UpstreamErrorTest.TOO_LONG) {
      UPSTREAM.answerAlways(
          Answer.json(status, JSON.createObjectNode().put("error", words).toString()));

      HttpResponse<String> answer =
          Routed.call(GATEWAY, Routed.MESSAGES, "only-chat/m", status == 500);

      assertThat(answer.statusCode()).as(words).isEqualTo(400);
      assertThat(JSON.readTree(answer.body()).at("/error/message").asText())
          .startsWith("prompt is too long");
      assertThat(JSON.readTree(answer.body()).at("/error/type").asText())
          .isEqualTo("invalid_request_error");
    }
  }

  @ParameterizedTest
  @CsvSource({"messages, chat", "responses, chat", "chat, messages", "responses, messages"})
  void anErrorOfStatus200IsAnError(String called, String served) throws Exception {
    UPSTREAM.answerAlways(
        Answer.json(200, "{\"error\":{\"message\":\"no model\",\"type\":\"server_error\"}}"));

    HttpResponse<String> answer =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/m", false);

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(JSON.readTree(answer.body()).at("/error/message").asText()).contains("no model");
    UPSTREAM.answerAlways(
        Answer.json(200, "{\"error\":\"the request exceeds the available context size\"}"));
    assertThat(Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/m", false).statusCode())
        .isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat|messages|'n':2|n",
        "chat|responses|'n':2|n",
        "chat|responses|'stop':'x'|stop",
        "messages|responses|'stop_sequences':['x']|stop_sequences",
        "messages|chat|'thread':{'type':'create'}|thread",
        "responses|chat|'background':true|background",
        "responses|messages|'background':true|background",
        "responses|chat|'previous_response_id':'resp_1'|previous_response_id",
        "responses|chat|'conversation':'conv_1'|conversation",
        "responses|chat|'input':[{'type':'item_reference','id':'i'}]|item_reference",
        "chat|messages|'tools':[{'type':'web_search'}],'tool_choice':{'type':'web_search'}|tool_choice",
        "responses|chat|'tools':[{'type':'web_search'}],'tool_choice':{'type':'web_search'}|tool_choice",
      })
  void whatWouldChangeTheAnswerIsRefused(String called, String served, String members, String named)
      throws Exception {
    HttpResponse<String> answer = GATEWAY.post(PATHS.get(called), body(called, served, members));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(JSON.readTree(answer.body()).at("/error/message").asText()).contains(named);
    assertThat(UPSTREAM.requests()).isEmpty();
    assertThat(answer.body().contains("thread_unsupported_request"))
        .isEqualTo(named.equals("thread"));
  }

  private static String body(String called, String served, String members) {
    String input =
        called.equals("responses") ? "'input':'x'," : "'messages':[{'role':'user','content':'x'}],";
    return ("{'model':'only-"
            + served
            + "/m','max_tokens':50,"
            + (members.startsWith("'input'") || members.startsWith("'messages'") ? "" : input)
            + members
            + "}")
        .replace(called.equals("responses") ? "'max_tokens':50," : "\0", "")
        .replace('\'', '"');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat|messages|'logprobs':true,'top_logprobs':2,'seed':7|logprobs, seed, top_logprobs",
        "responses|messages|'top_logprobs':2,'truncation':'auto'|top_logprobs, truncation",
        "messages|chat|'tools':[{'type':'web_search_20250305','name':'a'},{'type':'web_search_20260209','name':'b'}],'top_k':3,'speed':'fast'|speed, tools.web_search, top_k",
        "messages|chat|'service_tier':'auto','metadata':{}|",
      })
  void whatIsLeftOutIsNamedOnceAndSorted(String called, String served, String members, String named)
      throws Exception {
    HttpResponse<String> answer = GATEWAY.post(PATHS.get(called), body(called, served, members));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Dropped").orElse(null)).isEqualTo(named);
    assertThat(UPSTREAM.takeRequest().json().toString()).doesNotContain("logprobs");
  }

  @Test
  void whatIsSealedForAnotherFormatIsLeftOutOfAnUntranslatedCallAndNamed() throws Exception {
    String seal = new Seal("other", Shape.CHAT, "{\"reasoning_content\":\"hm\"}").text();
    String call =
        """
        {"model":"only-messages/m","max_tokens":50,"messages":[{"role":"user","content":"x"},
         {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"%s"},
           {"type":"text","text":"said"}]},{"role":"user","content":"more"}]}
        """
            .formatted(seal);

    HttpResponse<String> answer = GATEWAY.post(Routed.MESSAGES, call);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().json().at("/messages/1/content"))
        .hasToString("[{\"type\":\"text\",\"text\":\"said\"}]");
    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("reasoning");
  }

  @ParameterizedTest
  @CsvSource({"messages, chat", "responses, messages", "chat, responses"})
  void anAnswerThatNamesNoModelIsOfTheOneThatWasAsked(String called, String served)
      throws Exception {
    UPSTREAM.answerAlways(
        Answer.json(
            200, "{\"choices\":[{\"finish_reason\":\"stop\"}],\"content\":[],\"output\":[{}]}"));

    HttpResponse<String> answer =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/m", false);

    assertThat(JSON.readTree(answer.body()).path("model").asText())
        .as(answer.body())
        .isEqualTo("m");
  }

  @ParameterizedTest
  @CsvSource({"pause_turn, 0", "never_heard_of, 1"})
  void aStopThatIsUnknownIsTheEndAndIsCounted(String reason, int counted) throws Exception {
    UPSTREAM.answerAlways(
        Answer.json(
            200,
            """
            {"id":"i","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"said"},
             {"type":"server_tool_use","id":"s","name":"web_search","input":{}}],
             "stop_reason":"%s","usage":{"input_tokens":3,"output_tokens":4}}
            """
                .formatted(reason)));
    double before = unknownStops();

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "only-messages/m", false);

    JsonNode choice = JSON.readTree(answer.body()).at("/choices/0");
    assertThat(choice.path("finish_reason").asText()).isEqualTo("stop");
    assertThat(choice.at("/message/content").asText()).isEqualTo("said");
    assertThat(unknownStops() - before).isEqualTo(counted);
  }

  private static double unknownStops() throws Exception {
    String name =
        "memory_gateway_translated_stops_unknown_total{endpoint=\"chat\",provider=\"only-messages\"} ";
    return GATEWAY
        .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @ParameterizedTest
  @CsvSource({"401, false", "403, false", "429, true", "500, true"})
  void clientsAreToldNotToRepeatWhatAKeyIsRefusedFor(int status, String shouldRetry)
      throws Exception {
    UPSTREAM.enqueue(
        Answer.error(status, "authentication_error", "No.").header("x-should-retry", "true"));

    HttpResponse<String> answer =
        Routed.call(GATEWAY, Routed.MESSAGES, "only-chat/refused-" + status, false);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("x-should-retry").orElse(null)).isEqualTo(shouldRetry);
  }

  @Test
  void aThreadGoesOnFromAnyFormatToAnyTarget() throws Exception {
    String[] threadHeaders = {"x-thread-id", "moves", "x-resource-id", "r"};
    for (String served : new String[] {"chat", "messages", "responses"}) {
      for (String called : new String[] {"messages", "responses", "chat"}) {
        HttpResponse<String> answer =
            Routed.call(
                GATEWAY,
                PATHS.get(called),
                Routed.body(PATHS.get(called), "only-" + served + "/m", true)
                    .replace("Hello?", "Hello from " + called + " to " + served),
                threadHeaders);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
      }
    }
    String last = null;
    for (RecordedRequest request : UPSTREAM.requests()) {
      last = request.json().toString();
    }
    assertThat(last)
        .contains("Hello from messages to chat", "Hello from chat to messages")
        .contains("Hello from chat to responses");
  }

  /** What only another provider has is no reason to refuse what is asked now. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat | messages | 'messages':[{'role':'user','content':[{'type':'input_audio','input_audio':{'data':'AA','format':'wav'}}]}] | 'messages':[{'role':'user','content':'and now?'}] | messages.input_audio | input_audio",
        "responses | chat | 'input':[{'role':'user','content':[{'type':'input_image','file_id':'file-1'}]}] | 'input':'and now?' | input.input_image | input.file_id",
        "messages | responses | 'messages':[{'role':'user','content':[{'type':'document','source':{'type':'file','file_id':'f'}}]}] | 'messages':[{'role':'user','content':'and now?'}] | messages.document | messages.source.file_id",
      })
  void whatATargetDoesNotHaveIsLeftOutOfAThread(
      String called, String served, String shown, String asked, String left, String refused)
      throws Exception {
    String[] thread = {"x-thread-id", "left-" + called, "x-resource-id", "r"};
    HttpResponse<String> first =
        Routed.call(GATEWAY, PATHS.get(called), body(called, called, shown), thread);
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);

    for (int turn = 0; turn < 2; turn++) {
      HttpResponse<String> next =
          Routed.call(
              GATEWAY,
              PATHS.get(called),
              body(called, served, asked.replace("now?", "now? " + turn)),
              thread);
      assertThat(next.statusCode()).as(next.body()).isEqualTo(200);
      assertThat(next.headers().firstValue("X-Gateway-Dropped")).hasValue(left);
    }
    assertThat(UPSTREAM.requests().get(2).text()).contains(CannedReplies.TEXT, "and now? 0");

    // The caller sends it again, and so asks for it.
    HttpResponse<String> again =
        Routed.call(GATEWAY, PATHS.get(called), body(called, served, shown), thread);
    assertThat(again.statusCode()).as(again.body()).isEqualTo(400);
    assertThat(again.body()).contains(refused + " cannot be asked of this model");
  }

  @Test
  void aRouteMixesTargetsOfDifferentFormats() throws Exception {
    UPSTREAM.answer(
        request ->
            request.json().path("model").asText().equals("bad-mixed")
                ? Answer.json(503, "{\"error\":{\"message\":\"busy\"}}")
                : CannedReplies.answer(request));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.RESPONSES, "mixed", true);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(text("responses", true, answer.body())).isEqualTo(CannedReplies.TEXT);
    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .hasValue("only-chat/bad-mixed=503, only-messages/good-mixed=200");
  }

  @Test
  void tokensAreCountedHereWhereTheTargetCountsNone() throws Exception {
    HttpResponse<String> messages =
        GATEWAY.post(
            "/v1/messages/count_tokens",
            "{\"model\":\"only-chat/m\",\"messages\":[{\"role\":\"user\",\"content\":\"one two\"}]}");
    HttpResponse<String> responses =
        GATEWAY.post(
            "/v1/responses/input_tokens", "{\"model\":\"only-chat/m\",\"input\":\"one two\"}");

    assertThat(messages.body()).isEqualTo("{\"input_tokens\":2}");
    assertThat(responses.body())
        .isEqualTo("{\"object\":\"response.input_tokens\",\"input_tokens\":2}");
    assertThat(UPSTREAM.requests()).isEmpty();
  }
}
