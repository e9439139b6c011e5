package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.responses.ResponseCreateParams;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7 with the official SDKs: two headers are all that an agent has to add. */
class TurnSdkIT {
  private static final String THREAD = "sdk-agent";
  private static final String CALL =
      """
      {"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls",
       "message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_rome","type":"function",
       "function":{"name":"weather","arguments":"{\\"city\\":\\"Rome\\"}"}}]}}]}
      """;

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @AutoClose private static OpenAIClient openai;
  @AutoClose private static AnthropicClient anthropic;

  @BeforeAll
  static void connect() {
    openai =
        OpenAIOkHttpClient.builder()
            .baseUrl(GATEWAY.url() + "/v1")
            .apiKey(GATEWAY.key())
            .putHeader("x-thread-id", THREAD)
            .putHeader("x-resource-id", "user-1")
            .build();
    anthropic =
        AnthropicOkHttpClient.builder()
            .baseUrl(GATEWAY.url())
            .apiKey(GATEWAY.key())
            .putHeader("x-thread-id", THREAD)
            .putHeader("x-resource-id", "user-1")
            .build();
  }

  @Test
  void anAgentThatLoopsOverToolsAndChangesItsSdkKeepsItsThread() throws Exception {
    // A loop over tools: the second step sends the first one again.
    UPSTREAM.enqueue(Answer.json(CALL));
    ChatCompletionCreateParams.Builder loop = chat().addUserMessage("Do I need an umbrella?");
    ChatCompletionMessage asked =
        openai.chat().completions().create(loop.build()).choices().get(0).message();
    loop.addMessage(asked)
        .addMessage(
            ChatCompletionToolMessageParam.builder()
                .toolCallId("call_rome")
                .content("Sunny.")
                .build());
    openai.chat().completions().create(loop.build());
    // The next question comes alone.
    openai.chat().completions().create(chat().addUserMessage("And tomorrow?").build());
    // The same thread with another SDK, streaming.
    MessageAccumulator whole = MessageAccumulator.create();
    try (StreamResponse<RawMessageStreamEvent> stream =
        anthropic
            .messages()
            .createStreaming(
                MessageCreateParams.builder()
                    .model("claude-sonnet-4-5")
                    .maxTokens(100)
                    .addUserMessage("Sum it up.")
                    .build())) {
      stream.stream().forEach(whole::accumulate);
    }
    assertThat(whole.message().content()).isNotEmpty();
    openai
        .responses()
        .create(ResponseCreateParams.builder().model("openai/gpt-5-mini").input("Bye.").build());

    assertThat(UPSTREAM.takeRequest().json().path("messages")).hasSize(2);
    assertThat(UPSTREAM.takeRequest().json().path("messages")).hasSize(4);
    JsonNode third = UPSTREAM.takeRequest().json().path("messages");
    assertThat(third).hasSize(6);
    assertThat(third.get(2).at("/tool_calls/0/id").asText()).isEqualTo("call_rome");
    assertThat(third.get(3).path("tool_call_id").asText()).isEqualTo("call_rome");
    JsonNode fourth = UPSTREAM.takeRequest().json().path("messages");
    assertThat(fourth.get(1).at("/content/0/type").asText()).isEqualTo("tool_use");
    assertThat(fourth.get(2).at("/content/0/tool_use_id").asText()).isEqualTo("call_rome");
    assertThat(fourth.get(fourth.size() - 1).toString()).contains("Sum it up.");
    JsonNode fifth = UPSTREAM.takeRequest().json().path("input");
    assertThat(fifth.get(1).path("type").asText()).isEqualTo("function_call");
    assertThat(fifth.get(2).path("type").asText()).isEqualTo("function_call_output");

    assertThat(new ThreadCaller(GATEWAY, THREAD).stored())
        .hasSize(10)
        .filteredOn(row -> row.startsWith("user"))
        .hasSize(4);
  }

  private static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder()
        .model("openai/gpt-5-mini")
        .addSystemMessage("Answer in one sentence.")
        .addFunctionTool(
            FunctionDefinition.builder()
                .name("weather")
                .parameters(
                    FunctionParameters.builder()
                        .putAdditionalProperty("type", JsonValue.from("object"))
                        .putAdditionalProperty(
                            "properties", JsonValue.from(Map.of("city", Map.of("type", "string"))))
                        .build())
                .build());
  }
}
