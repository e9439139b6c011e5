package io.memorygateway.proxy;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.beta.messages.BetaMessage;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageContentParam;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import com.anthropic.models.messages.ToolUseBlock;
import com.anthropic.models.models.ModelInfo;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.SharedGateway;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §6 with Anthropic's own SDK, which knows nothing of a gateway but address and key. */
class AnthropicSdkIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @AutoClose private static AnthropicClient client;

  @BeforeAll
  static void connect() {
    client = AnthropicOkHttpClient.builder().baseUrl(GATEWAY.url()).apiKey(GATEWAY.key()).build();
  }

  @Test
  void aMessageIsTheUpstreamsWithItsModelAndUsage() {
    Message answer = client.messages().create(message().build());

    assertThat(text(answer)).isEqualTo(CannedReplies.TEXT);
    assertThat(answer.usage().outputTokens()).isPositive();
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.target()).isEqualTo("/anthropic/v1/messages");
    assertThat(request.json().path("model").asText()).isEqualTo("claude-sonnet-4-5");
    assertThat(request.headers().get("x-api-key")).containsExactly(TestGateway.PROVIDER_KEY);
    assertThat(request.header("authorization")).isNull();
    assertThat(request.header("anthropic-version")).matches("\\d{4}-\\d\\d-\\d\\d");
    assertThat(request.header("x-stainless-lang")).isEqualTo("java");
  }

  @Test
  void anAuthTokenIsAsGoodAsAnApiKey() {
    AnthropicClient withToken =
        AnthropicOkHttpClient.builder().baseUrl(GATEWAY.url()).authToken(GATEWAY.key()).build();

    assertThat(text(withToken.messages().create(message().build()))).isEqualTo(CannedReplies.TEXT);

    assertThat(UPSTREAM.takeRequest().headers().get("x-api-key"))
        .containsExactly(TestGateway.PROVIDER_KEY);
    withToken.close();
  }

  @Test
  void aStreamAddsUpToTheWholeMessageWithItsUsage() {
    Message whole = drain(message().build());

    assertThat(text(whole)).isEqualTo(CannedReplies.TEXT);
    assertThat(whole.usage().outputTokens()).isGreaterThan(1);
    assertThat(whole.stopReason()).isPresent();
  }

  @Test
  void tokensAreCountedByTheUpstream() {
    long tokens =
        client
            .messages()
            .countTokens(
                MessageCountTokensParams.builder()
                    .model("anthropic/claude-sonnet-4-5")
                    .addUserMessage("one two three")
                    .build())
            .inputTokens();

    assertThat(tokens).isPositive();
    assertThat(UPSTREAM.takeRequest().target()).isEqualTo("/anthropic/v1/messages/count_tokens");
  }

  @Test
  void aBetaIsAskedForByHeaderAndQuery() {
    BetaMessage answer =
        client
            .beta()
            .messages()
            .create(
                com.anthropic.models.beta.messages.MessageCreateParams.builder()
                    .model("claude-sonnet-4-5")
                    .maxTokens(100)
                    .addBeta("context-1m-2025-08-07")
                    .addBeta("interleaved-thinking-2025-05-14")
                    .putAdditionalQueryParam("beta", "true")
                    .addUserMessage("Hello?")
                    .build());

    assertThat(answer.content()).hasSize(1);
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.target()).isEqualTo("/anthropic/v1/messages?beta=true");
    assertThat(String.join(",", request.headers().get("anthropic-beta")))
        .contains("context-1m-2025-08-07")
        .contains("interleaved-thinking-2025-05-14");
  }

  @Test
  void theVersionThatTheClientSpeaksReachesTheUpstream() {
    client
        .messages()
        .create(message().replaceAdditionalHeaders("anthropic-version", "2023-06-01").build());

    assertThat(UPSTREAM.takeRequest().headers().get("anthropic-version"))
        .containsExactly("2023-06-01");
  }

  @Test
  void theListOfModelsIsOneThatTheSdkUnderstands() {
    List<ModelInfo> models = client.models().list().autoPager().stream().toList();

    assertThat(models).extracting(ModelInfo::id).containsExactly("openai/o1");
    assertThat(models).allSatisfy(model -> assertThat(model.displayName()).isNotEmpty());
    assertThat(models).allSatisfy(model -> assertThat(model.createdAt()).isNotNull());
    assertThat(client.models().retrieve("claude-sonnet-4-5").displayName())
        .isEqualTo("claude-sonnet-4-5");
  }

  @Test
  void aToolIsCalledAndItsResultGoesBack() {
    UPSTREAM.enqueue(
        Answer.json(
            """
            {"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[
              {"type":"thinking","thinking":"Hm.","signature":"c2lnbmVk"},
              {"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Zürich","days":1.0}}],
             "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}
            """));
    MessageCreateParams.Builder conversation = message().addTool(weather());

    Message first = client.messages().create(conversation.build());
    ToolUseBlock call = first.content().get(1).toolUse().orElseThrow();
    conversation
        .addMessage(first)
        .addUserMessage(
            MessageContentParam.ofContentBlockParams(
                List.of(
                    ContentBlockParam.ofToolResult(
                        ToolResultBlockParam.builder()
                            .toolUseId(call.id())
                            .content("rain")
                            .build()))));
    Message second = client.messages().create(conversation.build());

    assertThat(call.name()).isEqualTo("weather");
    assertThat(text(second)).isEqualTo(CannedReplies.TEXT);
    assertThat(UPSTREAM.takeRequest().json().at("/tools/0/name").asText()).isEqualTo("weather");
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.json().at("/messages/1/content/0/signature").asText()).isEqualTo("c2lnbmVk");
    assertThat(request.json().at("/messages/1/content/1/input/city").asText()).isEqualTo("Zürich");
    assertThat(request.json().at("/messages/2/content/0/tool_use_id").asText())
        .isEqualTo("toolu_1");
  }

  @Test
  void aToolCallThatIsStreamedInPiecesIsOneCallInTheEnd() {
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                event(
                    "message_start",
                    "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],"
                        + "\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"),
                event(
                    "content_block_start",
                    "\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"weather\",\"input\":{}}"),
                delta("{\\\"city\\\":"),
                event("ping", "\"x\":0"),
                delta("\\\"Bern\\\"}"),
                event("content_block_stop", "\"index\":0"),
                event(
                    "message_delta",
                    "\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}"),
                event("message_stop", "\"x\":0"))));

    Message whole = drain(message().addTool(weather()).build());

    ToolUseBlock call = whole.content().get(0).toolUse().orElseThrow();
    Map<?, ?> input = call._input().convert(Map.class);
    assertThat(input.get("city")).isEqualTo("Bern");
    assertThat(whole.usage().outputTokens()).isEqualTo(9);
  }

  @Test
  void aStreamThatIsClosedEarlyIsCancelledUpstream() throws Exception {
    String start =
        event(
            "content_block_start",
            "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}");
    UPSTREAM.enqueue(Answer.sseThen(List.of(start), Answer.hang()));

    try (StreamResponse<RawMessageStreamEvent> stream =
        client.messages().createStreaming(message().build())) {
      assertThat(stream.stream().iterator().next().contentBlockStart()).isPresent();
    }

    UPSTREAM.takeRequest().clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }

  static MessageCreateParams.Builder message() {
    return MessageCreateParams.builder()
        .model("anthropic/claude-sonnet-4-5")
        .maxTokens(100)
        .addUserMessage("What is the weather like?");
  }

  static String event(String type, String members) {
    return "event: %s\ndata: {\"type\":\"%s\",%s}\n\n".formatted(type, type, members);
  }

  private static String delta(String partialJson) {
    return event(
        "content_block_delta",
        "\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"%s\"}"
            .formatted(partialJson));
  }

  private static Message drain(MessageCreateParams params) {
    MessageAccumulator accumulator = MessageAccumulator.create();
    try (StreamResponse<RawMessageStreamEvent> stream = client.messages().createStreaming(params)) {
      stream.stream().forEach(accumulator::accumulate);
    }
    return accumulator.message();
  }

  private static String text(Message message) {
    return message.content().stream()
        .flatMap(block -> block.text().stream())
        .map(block -> block.text())
        .collect(joining());
  }

  private static Tool weather() {
    return Tool.builder()
        .name("weather")
        .inputSchema(
            Tool.InputSchema.builder().putAdditionalProperty("x", JsonValue.from(1)).build())
        .build();
  }
}
