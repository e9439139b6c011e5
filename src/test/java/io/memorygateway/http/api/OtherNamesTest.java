package io.memorygateway.http.api;

import static io.memorygateway.testing.HostileText.assertLinear;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OtherNamesTest {
  @ParameterizedTest
  @CsvSource({
    "/chat/completions, /v1/chat/completions,",
    "/messages/count_tokens, /v1/messages/count_tokens,",
    "/models/openai%2Fgpt-5, /v1/models/openai%2Fgpt-5,",
    "/memory/threads/a%2Fb, /v1/memory/threads/a%2Fb,",
    "/v1/v1/messages, /v1/messages,",
    "/v1/v1/memory/threads, /v1/memory/threads,",
    "/openai/v1/responses, /v1/responses,",
    "/openai/responses, /v1/responses,",
    "/openai/models, /v1/models,",
    "/openai/deployments/gpt-5/chat/completions, /v1/chat/completions, gpt-5",
    "/openai/deployments/openai/gpt-5/chat/completions, /v1/chat/completions, openai/gpt-5",
    "/openai/deployments/a%20+b/embeddings, /v1/embeddings, a +b",
  })
  void anotherNameIsTheRightPath(String path, String right, String deployment) {
    assertThat(OtherNames.of(path)).isEqualTo(new OtherNames.Right(right, deployment));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/v1/chat/completions",
        "/v1/unknown",
        "/v1/v1/v1/messages",
        "/openai/v1/v1/responses",
        "/unknown",
        "/openai",
        "/openai/deployments/completions",
        "/openai/deployments//chat/completions",
        "/openai/deployments/%zz/chat/completions",
        "/openai/deployments/gpt-5/unknown",
      })
  void anyOtherPathIsNone(String path) {
    assertThat(OtherNames.of(path)).isNull();
  }

  @Test
  void longPathsAreReadInLinearTime() {
    assertLinear(2_000, text -> OtherNames.of("/openai/deployments/" + text));
  }
}
