package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §2: who guesses keys is slowed down, and who has one is not. */
class FailedAttemptsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.withObject("/auth").put("failuresPerMinute", 3));

  @Test
  void failuresAreSlowedDownButAValidKeyFromTheSameAddressIsServed() throws Exception {
    HttpResponse<String> answer = guessUntilSlowedDown("/v1/models");

    JsonNode error = ErrorEnvelope.check(answer, 429, "rate_limit_error");
    long wait = error.get("retry_after_seconds").asLong();
    assertThat(wait).isBetween(1L, 60L);
    assertThat(answer.headers().firstValue("Retry-After")).contains(Long.toString(wait));
    assertThat(error.get("scope").asText()).isEqualTo("llm_proxy");
    assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
    assertThat(guessUntilSlowedDown("/v1/memory/threads").body())
        .contains("\"scope\":\"memory_read\"");
  }

  private static HttpResponse<String> guessUntilSlowedDown(String path) throws Exception {
    HttpResponse<String> answer = guess(path, 0);
    for (int i = 1; answer.statusCode() == 401; i++) {
      // Three in a minute; twice that if the minute changes in between.
      assertThat(i).isLessThanOrEqualTo(6);
      answer = guess(path, i);
    }
    return answer;
  }

  private static HttpResponse<String> guess(String path, int number) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
            .header("Authorization", "Bearer msk_%032x".formatted(number)));
  }
}
