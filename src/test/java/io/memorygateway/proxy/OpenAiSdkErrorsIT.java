package io.memorygateway.proxy;

import static io.memorygateway.proxy.OpenAiSdkIT.chat;
import static io.memorygateway.proxy.OpenAiSdkIT.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIServiceException;
import com.openai.errors.RateLimitException;
import com.openai.errors.SseException;
import com.openai.errors.UnauthorizedException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §3 and §6: what users of OpenAI's SDK catch when something fails. */
class OpenAiSdkErrorsIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @AutoClose private static OpenAIClient retrying;
  @AutoClose private static OpenAIClient client;

  @BeforeAll
  static void connect() {
    retrying = client(GATEWAY.key(), 2);
    client = client(GATEWAY.key(), 0);
  }

  @Test
  void aWrongKeyIsUnauthorizedAndGoesNowhere() {
    OpenAIClient stranger = client("msk_00000000000000000000000000000000", 0);

    UnauthorizedException thrown =
        catchThrowableOfType(
            UnauthorizedException.class,
            () -> stranger.chat().completions().create(chat().build()));

    assertThat(thrown.type()).contains("authentication_error");
    assertThat(thrown).hasMessageContaining("The API key is not valid.");
    assertThat(UPSTREAM.requests()).isEmpty();
    stranger.close();
  }

  @Test
  void aModelThatTheUpstreamDoesNotKnowIsNotFoundInTheUpstreamsWords() {
    UPSTREAM.enqueue(
        Answer.json(
            404,
            "{\"error\":{\"message\":\"The model `gpt-9` does not exist\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}"));

    NotFoundException thrown = failure(NotFoundException.class);

    assertThat(thrown.code()).contains("model_not_found");
    assertThat(thrown.type()).contains("invalid_request_error");
    assertThat(thrown).hasMessageContaining("The model `gpt-9` does not exist");
  }

  @Test
  void aRateLimitOfTheUpstreamIsToldApartFromOurs() {
    UPSTREAM.enqueue(
        Answer.error(429, "rate_limit_error", "Slow down.")
            .header("Retry-After", "17")
            .header("x-ratelimit-remaining-requests", "0"));

    RateLimitException thrown = failure(RateLimitException.class);

    assertThat(thrown.headers().values("Retry-After")).containsExactly("17");
    assertThat(thrown.headers().values("x-upstream-ratelimit-remaining-requests"))
        .containsExactly("0");
    assertThat(thrown.headers().values("x-ratelimit-remaining-requests")).isEmpty();
    Map<?, ?> error = thrown.body().convert(Map.class);
    assertThat(error.containsKey("scope")).isFalse();
    assertThat(error.containsKey("retry_after_seconds")).isFalse();
  }

  @Test
  void aRefusalOfTheUpstreamNamesItsParameter() {
    UPSTREAM.enqueue(
        Answer.json(
            400,
            "{\"error\":{\"message\":\"too high\",\"type\":\"invalid_request_error\",\"param\":\"temperature\",\"code\":\"decimal_above_max_value\"}}"));

    BadRequestException thrown = failure(BadRequestException.class);

    assertThat(thrown.param()).contains("temperature");
    assertThat(thrown.code()).contains("decimal_above_max_value");
  }

  @Test
  void aProviderThatDoesNotServeTheEndpointIsABadRequestThatNamesWhatItServes() {
    BadRequestException thrown =
        catchThrowableOfType(
            BadRequestException.class,
            () -> client.chat().completions().create(chat().model("claude-sonnet-4-5").build()));

    assertThat(thrown).hasMessageContaining("/v1/messages");
    assertThat(thrown.type()).contains("invalid_request_error");
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void theSdkRetriesAndTheUpstreamSeesThatItDoes() {
    UPSTREAM.enqueue(
        Answer.error(500, "server_error", "Oops.").header("retry-after-ms", "1"),
        Answer.error(429, "rate_limit_error", "Slow down.").header("retry-after-ms", "1"));

    ChatCompletion answer = retrying.chat().completions().create(chat().build());

    assertThat(answer.choices()).hasSize(1);
    assertThat(UPSTREAM.requests())
        .extracting(request -> request.header("x-stainless-retry-count"))
        .containsExactly("0", "1", "2");
  }

  @Test
  void theUpstreamsAdviceNotToRetryIsHeard() {
    UPSTREAM.enqueue(
        Answer.error(500, "server_error", "For good.").header("x-should-retry", "false"));

    assertThatThrownBy(() -> retrying.chat().completions().create(chat().build()))
        .isInstanceOf(InternalServerException.class);

    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void anErrorBeforeAStreamIsAnErrorOfTheCall() {
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", "No streams today."));

    BadRequestException thrown =
        catchThrowableOfType(
            BadRequestException.class, () -> drain(client.chat().completions(), chat().build()));

    assertThat(thrown).hasMessageContaining("No streams today.");
  }

  @Test
  void aChatStreamThatDiesIsAnExceptionAfterTheTextThatCame() {
    String chunk =
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
            + "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once\"},\"finish_reason\":null}]}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk), Answer.reset()));
    List<ChatCompletionChunk> chunks = new ArrayList<>();

    SseException thrown =
        catchThrowableOfType(
            SseException.class,
            () -> {
              try (StreamResponse<ChatCompletionChunk> stream =
                  client.chat().completions().createStreaming(chat().build())) {
                stream.stream().forEach(chunks::add);
              }
            });

    assertThat(thrown.type()).contains("upstream_error");
    assertThat(chunks).hasSize(1);
  }

  @Test
  void aStreamOfAResponseThatDiesEndsWithAnErrorEvent() {
    String created =
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"i\","
            + "\"output_index\":0,\"content_index\":0,\"logprobs\":[],\"delta\":\"Once\",\"sequence_number\":4}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(created), Answer.reset()));

    List<ResponseStreamEvent> events;
    try (StreamResponse<ResponseStreamEvent> stream =
        client
            .responses()
            .createStreaming(
                ResponseCreateParams.builder().model("openai/gpt-5").input("Hello?").build())) {
      events = stream.stream().toList();
    }

    assertThat(events).hasSize(2);
    assertThat(events.get(1).error().orElseThrow().validate().code()).contains("upstream_error");
    assertThat(events.get(1).error().orElseThrow().sequenceNumber()).isEqualTo(5);
  }

  private static <E extends OpenAIServiceException> E failure(Class<E> type) {
    return catchThrowableOfType(type, () -> client.chat().completions().create(chat().build()));
  }

  private static OpenAIClient client(String key, int retries) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(GATEWAY.url() + "/v1")
        .apiKey(key)
        .maxRetries(retries)
        .build();
  }
}
