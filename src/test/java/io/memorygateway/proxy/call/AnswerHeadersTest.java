package io.memorygateway.proxy.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.secret.SecretBytes;
import jakarta.ws.rs.core.Response;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;

/** What of an upstream's headers the caller gets. */
class AnswerHeadersTest {
  @Test
  void theProvidersKeyIsNeitherInAValueNorInAName() {
    HttpFields upstream =
        HttpFields.build()
            .add("x-ratelimit-sk-Upstream-Key-requests", "1")
            .add("x-ratelimit-limit", "of sk-Upstream-Key: 2");
    Response.ResponseBuilder response = Response.ok();

    AnswerHeaders.copy(upstream, SecretBytes.of("sk-Upstream-Key"), response);

    assertThat(response.build().getStringHeaders()).containsOnlyKeys("x-upstream-ratelimit-limit");
    assertThat(response.build().getHeaderString("x-upstream-ratelimit-limit"))
        .isEqualTo("of ***: 2");
  }

  /** A response whose head is too large cannot be sent. */
  @Test
  void asManyCrossAsThereIsRoomFor() {
    HttpFields.Mutable upstream = HttpFields.build().add("x-request-id", "a".repeat(40_000));
    for (int i = 0; i < 3000; i++) {
      upstream.add("x-ratelimit-" + i, "1");
    }
    upstream.add("content-type", "text/plain; a=" + "b".repeat(40_000));
    Response.ResponseBuilder response = Response.ok();

    AnswerHeaders.copy(upstream, SecretBytes.NONE, response);

    assertThat(response.build().getStringHeaders())
        .hasSizeBetween(40, 60)
        .containsKey("x-upstream-ratelimit-0")
        .doesNotContainKeys("x-upstream-request-id", "Content-Type");
  }

  @Test
  void withoutAKeyAllNamesCross() {
    Response.ResponseBuilder response = Response.ok();

    AnswerHeaders.copy(
        HttpFields.build().add("x-ratelimit-limit", "2"), SecretBytes.NONE, response);

    assertThat(response.build().getHeaderString("x-upstream-ratelimit-limit")).isEqualTo("2");
  }
}
