package io.memorygateway.proxy;

import static io.memorygateway.proxy.AnthropicSdkIT.event;
import static io.memorygateway.proxy.AnthropicSdkIT.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.errors.BadRequestException;
import com.anthropic.errors.InternalServerException;
import com.anthropic.errors.NotFoundException;
import com.anthropic.errors.OverloadedException;
import com.anthropic.errors.RateLimitException;
import com.anthropic.errors.SseException;
import com.anthropic.errors.UnauthorizedException;
import com.anthropic.models.ErrorType;
import com.anthropic.models.messages.RawMessageStreamEvent;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §3 and §6: what users of Anthropic's SDK catch when something fails. */
class AnthropicSdkErrorsIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @AutoClose private static AnthropicClient retrying;
  @AutoClose private static AnthropicClient client;

  @BeforeAll
  static void connect() {
    retrying = client(GATEWAY.key(), 2);
    client = client(GATEWAY.key(), 0);
  }

  @Test
  void aWrongKeyIsUnauthorizedAndGoesNowhere() {
    AnthropicClient stranger = client("msk_00000000000000000000000000000000", 0);

    UnauthorizedException thrown =
        catchThrowableOfType(
            UnauthorizedException.class, () -> stranger.messages().create(message().build()));

    assertThat(thrown.type()).contains(ErrorType.AUTHENTICATION_ERROR);
    assertThat(thrown.apiMessage()).contains("The API key is not valid.");
    assertThat(UPSTREAM.requests()).isEmpty();
    stranger.close();
  }

  @Test
  void anOverloadedUpstreamIsOverloadedHereToo() {
    UPSTREAM.enqueue(error(529, "overloaded_error", "Overloaded"));

    OverloadedException thrown = failure(OverloadedException.class);

    assertThat(thrown.statusCode()).isEqualTo(529);
    assertThat(thrown.type()).contains(ErrorType.OVERLOADED_ERROR);
    assertThat(thrown.apiMessage()).contains("Overloaded");
  }

  @Test
  void aRateLimitOfTheUpstreamIsToldApartFromOurs() {
    UPSTREAM.enqueue(
        error(429, "rate_limit_error", "Slow down.")
            .header("retry-after", "17")
            .header("anthropic-ratelimit-requests-remaining", "0")
            .header("request-id", "req_upstream"));

    RateLimitException thrown = failure(RateLimitException.class);

    assertThat(thrown.type()).contains(ErrorType.RATE_LIMIT_ERROR);
    assertThat(thrown.headers().values("retry-after")).containsExactly("17");
    assertThat(thrown.headers().values("x-upstream-anthropic-ratelimit-requests-remaining"))
        .containsExactly("0");
    assertThat(thrown.headers().values("x-upstream-request-id")).containsExactly("req_upstream");
    assertThat(thrown.body().toString()).doesNotContain("scope");
  }

  @Test
  void aRefusalOfTheUpstreamIsABadRequestInItsWords() {
    UPSTREAM.enqueue(error(400, "invalid_request_error", "max_tokens: too many"));

    BadRequestException thrown = failure(BadRequestException.class);

    assertThat(thrown.apiMessage()).contains("max_tokens: too many");
    assertThat(thrown.type()).contains(ErrorType.INVALID_REQUEST_ERROR);
  }

  @Test
  void aModelThatTheUpstreamDoesNotKnowIsNotFound() {
    UPSTREAM.enqueue(error(404, "not_found_error", "model: claude-9"));

    assertThat(failure(NotFoundException.class).type()).contains(ErrorType.NOT_FOUND_ERROR);
  }

  @Test
  void aProviderThatDoesNotServeTheEndpointIsABadRequestThatNamesWhatItServes() {
    BadRequestException thrown =
        catchThrowableOfType(
            BadRequestException.class,
            () -> client.messages().create(message().model("openai/gpt-5").build()));

    assertThat(thrown.apiMessage().orElseThrow()).contains("/v1/chat/completions");
  }

  @Test
  void theSdkRetriesAndTheUpstreamSeesThatItDoes() {
    UPSTREAM.enqueue(
        error(529, "overloaded_error", "Overloaded").header("retry-after-ms", "1"),
        error(500, "api_error", "Oops.").header("retry-after-ms", "1"));

    assertThat(retrying.messages().create(message().build()).content()).hasSize(1);

    assertThat(UPSTREAM.requests())
        .extracting(request -> request.header("x-stainless-retry-count"))
        .containsExactly("0", "1", "2");
  }

  @Test
  void theUpstreamsAdviceNotToRetryIsHeard() {
    UPSTREAM.enqueue(error(500, "api_error", "For good.").header("x-should-retry", "false"));

    assertThatThrownBy(() -> retrying.messages().create(message().build()))
        .isInstanceOf(InternalServerException.class);

    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void aStreamThatDiesIsAnExceptionAfterTheEventsThatCame() {
    String start =
        event(
            "content_block_start",
            "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}");
    UPSTREAM.enqueue(Answer.sseThen(List.of(start), Answer.reset()));

    List<RawMessageStreamEvent> events = new ArrayList<>();
    SseException thrown = catchThrowableOfType(SseException.class, () -> drainInto(events));

    assertThat(thrown.body().toString()).contains("upstream_error");
    assertThat(events).hasSize(1);
  }

  @Test
  void anErrorEventOfTheUpstreamArrivesAsItIs() {
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                event(
                    "error",
                    "\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}"))));

    SseException thrown =
        catchThrowableOfType(SseException.class, () -> drainInto(new ArrayList<>()));

    assertThat(thrown.type()).contains(ErrorType.OVERLOADED_ERROR);
  }

  private static void drainInto(List<RawMessageStreamEvent> events) {
    try (StreamResponse<RawMessageStreamEvent> stream =
        client.messages().createStreaming(message().build())) {
      stream.stream().forEach(events::add);
    }
  }

  private static <E extends AnthropicServiceException> E failure(Class<E> type) {
    return catchThrowableOfType(type, () -> client.messages().create(message().build()));
  }

  private static Answer.HttpAnswer error(int status, String type, String message) {
    return Answer.json(
        status,
        "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\"},\"request_id\":\"req_1\"}"
            .formatted(type, message));
  }

  private static AnthropicClient client(String key, int retries) {
    return AnthropicOkHttpClient.builder()
        .baseUrl(GATEWAY.url())
        .apiKey(key)
        .maxRetries(retries)
        .build();
  }
}
