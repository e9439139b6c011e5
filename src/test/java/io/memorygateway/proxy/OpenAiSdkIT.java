package io.memorygateway.proxy;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.NotFoundException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.completions.CompletionUsage;
import com.openai.models.embeddings.CreateEmbeddingResponse;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.models.Model;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;
import com.openai.services.blocking.chat.ChatCompletionService;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.SharedGateway;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §6 with OpenAI's own SDK, which knows nothing of a gateway but its address and key. */
class OpenAiSdkIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @AutoClose private static OpenAIClient client;

  @BeforeAll
  static void connect() {
    client =
        OpenAIOkHttpClient.builder().baseUrl(GATEWAY.url() + "/v1").apiKey(GATEWAY.key()).build();
  }

  @Test
  void aChatCompletionIsTheUpstreamsWithItsModelAndUsage() {
    ChatCompletion answer = client.chat().completions().create(chat().build());

    assertThat(answer.choices().get(0).message().content()).contains(CannedReplies.TEXT);
    assertThat(answer.usage().orElseThrow().completionTokens()).isPositive();
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.path()).isEqualTo("/openai/v1/chat/completions");
    assertThat(request.json().path("model").asText()).isEqualTo("gpt-5-mini");
    assertThat(request.headers().get("Authorization"))
        .containsExactly("Bearer " + TestGateway.PROVIDER_KEY);
    assertThat(request.header("x-stainless-lang")).isEqualTo("java");
    assertThat(request.header("user-agent")).contains("/Java ");
  }

  @Test
  void aChatStreamCarriesItsUsageLastThoughNobodyAskedForIt() {
    List<ChatCompletionChunk> chunks = drain(client.chat().completions(), chat().build());

    assertThat(text(chunks)).isEqualTo(CannedReplies.TEXT);
    CompletionUsage usage = chunks.get(chunks.size() - 1).usage().orElseThrow();
    assertThat(usage.totalTokens()).isEqualTo(usage.promptTokens() + usage.completionTokens());
    assertThat(usage.completionTokens()).isPositive();
  }

  @Test
  void bodyMembersThatNobodyKnowsReachTheUpstream() {
    client
        .chat()
        .completions()
        .create(
            chat()
                .putAdditionalBodyProperty(
                    "chat_template_kwargs", JsonValue.from(Map.of("enable_thinking", false)))
                .build());

    assertThat(UPSTREAM.takeRequest().text())
        .contains("\"chat_template_kwargs\":{\"enable_thinking\":false}");
  }

  @Test
  void aResponseIsTheUpstreamsWithItsUsage() {
    Response answer = client.responses().create(response());

    assertThat(
            answer.output().get(0).message().orElseThrow().content().get(0).asOutputText().text())
        .isEqualTo(CannedReplies.TEXT);
    assertThat(answer.usage().orElseThrow().outputTokens()).isPositive();
    assertThat(UPSTREAM.takeRequest().path()).isEqualTo("/openai/v1/responses");
  }

  @Test
  void aStreamOfAResponseEndsWithTheWholeResponse() {
    List<ResponseStreamEvent> events;
    try (StreamResponse<ResponseStreamEvent> stream =
        client.responses().createStreaming(response())) {
      events = stream.stream().toList();
    }

    assertThat(
            events.stream()
                .flatMap(event -> event.outputTextDelta().stream())
                .map(delta -> delta.delta())
                .collect(joining()))
        .isEqualTo(CannedReplies.TEXT);
    Response whole = events.get(events.size() - 1).completed().orElseThrow().response();
    assertThat(whole.usage().orElseThrow().outputTokens()).isPositive();
  }

  @Test
  void embeddingsComeOnePerInput() {
    CreateEmbeddingResponse answer =
        client
            .embeddings()
            .create(
                EmbeddingCreateParams.builder()
                    .model("openai/text-embedding-3-small")
                    .inputOfArrayOfStrings(List.of("one", "two"))
                    .build());

    assertThat(answer.data()).hasSize(2);
    assertThat(answer.data().get(1).embedding()).hasSize(4).endsWith(0.25f, -0.5f);
    assertThat(UPSTREAM.takeRequest().path()).isEqualTo("/openai/v1/embeddings");
  }

  @Test
  void theListOfModelsIsOneThatTheSdkUnderstands() {
    List<Model> models = client.models().list().autoPager().stream().toList();

    assertThat(models).extracting(Model::id).containsExactly("openai/o1");
    assertThat(models).allSatisfy(model -> assertThat(model.validate().ownedBy()).isNotEmpty());
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void aModelIsOneThatTheSdkUnderstands() {
    assertThat(client.models().retrieve("gpt-5").validate().id()).isEqualTo("gpt-5");
    assertThat(client.models().retrieve("openai/gpt-5").ownedBy()).isEqualTo("openai");
    assertThatThrownBy(() -> client.models().retrieve("nobodys"))
        .isInstanceOf(NotFoundException.class);
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void legacyCompletionsComeWholeAndAsAStream() {
    CompletionCreateParams params =
        CompletionCreateParams.builder().model("openai/gpt-3.5-turbo-instruct").prompt("x").build();

    assertThat(client.completions().create(params).choices().get(0).text()).isEqualTo("Hello");
    assertThat(UPSTREAM.takeRequest().path()).isEqualTo("/openai/v1/completions");
    try (var stream = client.completions().createStreaming(params)) {
      assertThat(stream.stream().toList()).isNotEmpty();
    }
    assertThat(UPSTREAM.takeRequest().json().at("/stream_options/include_usage").asBoolean())
        .isTrue();
  }

  @Test
  void aToolIsCalledAndItsResultGoesBack() {
    UPSTREAM.takingAll("refusal: null, from the SDK itself");
    UPSTREAM.enqueue(
        Answer.json(
            """
            {"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-5-mini",
             "choices":[{"index":0,"logprobs":null,"finish_reason":"tool_calls","message":{
               "role":"assistant","content":null,"refusal":null,"tool_calls":[
                {"id":"call_1","type":"function",
                 "function":{"name":"weather","arguments":"{\\"city\\":\\"Zürich\\"}"}}]}}]}
            """));
    ChatCompletionCreateParams.Builder conversation = chat().addFunctionTool(weather());

    ChatCompletion first = client.chat().completions().create(conversation.build());
    ChatCompletionMessageFunctionToolCall call =
        first.choices().get(0).message().toolCalls().orElseThrow().get(0).asFunction();
    conversation
        .addMessage(first.choices().get(0).message())
        .addMessage(
            ChatCompletionToolMessageParam.builder().toolCallId(call.id()).content("rain").build());
    ChatCompletion second = client.chat().completions().create(conversation.build());

    assertThat(call.function().name()).isEqualTo("weather");
    assertThat(call.function().arguments()).isEqualTo("{\"city\":\"Zürich\"}");
    assertThat(second.choices().get(0).message().content()).contains(CannedReplies.TEXT);
    assertThat(UPSTREAM.takeRequest().json().at("/tools/0/function/name").asText())
        .isEqualTo("weather");
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.json().at("/messages/1/tool_calls/0/id").asText()).isEqualTo("call_1");
    assertThat(request.json().at("/messages/2/tool_call_id").asText()).isEqualTo("call_1");
    assertThat(request.json().at("/messages/2/content").asText()).isEqualTo("rain");
  }

  @Test
  void aToolCallThatIsStreamedInPiecesIsOneCallInTheEnd() {
    String chunk =
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
            + "\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n";
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                chunk.formatted(
                    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_1\","
                        + "\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}]}",
                    "null"),
                chunk.formatted(
                    "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\"}}]}",
                    "null"),
                chunk.formatted(
                    "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"Bern\\\"}\"}}]}",
                    "null"),
                chunk.formatted("{}", "\"tool_calls\""),
                "data: [DONE]\n\n")));
    ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();

    drain(client.chat().completions(), chat().addFunctionTool(weather()).build())
        .forEach(accumulator::accumulate);

    ChatCompletionMessageFunctionToolCall call =
        accumulator
            .chatCompletion()
            .choices()
            .get(0)
            .message()
            .toolCalls()
            .orElseThrow()
            .get(0)
            .asFunction();
    assertThat(call.id()).isEqualTo("call_1");
    assertThat(call.function().arguments()).isEqualTo("{\"city\":\"Bern\"}");
  }

  @Test
  void aStreamThatIsClosedEarlyIsCancelledUpstream() throws Exception {
    String chunk =
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
            + "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once\"},\"finish_reason\":null}]}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk), Answer.hang()));

    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(chat().build())) {
      Iterator<ChatCompletionChunk> chunks = stream.stream().iterator();
      assertThat(chunks.next().choices().get(0).delta().content()).contains("Once");
    }

    UPSTREAM.takeRequest().clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }

  static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder()
        .model("openai/gpt-5-mini")
        .addUserMessage("What is the weather like?");
  }

  static List<ChatCompletionChunk> drain(
      ChatCompletionService service, ChatCompletionCreateParams params) {
    try (StreamResponse<ChatCompletionChunk> stream = service.createStreaming(params)) {
      return new ArrayList<>(stream.stream().toList());
    }
  }

  private static String text(List<ChatCompletionChunk> chunks) {
    return chunks.stream()
        .flatMap(chunk -> chunk.choices().stream())
        .flatMap(choice -> choice.delta().content().stream())
        .collect(joining());
  }

  private static ResponseCreateParams response() {
    return ResponseCreateParams.builder().model("openai/gpt-5-mini").input("Hello?").build();
  }

  private static FunctionDefinition weather() {
    return FunctionDefinition.builder()
        .name("weather")
        .parameters(
            FunctionParameters.builder()
                .putAdditionalProperty("type", JsonValue.from("object"))
                .build())
        .build();
  }
}
