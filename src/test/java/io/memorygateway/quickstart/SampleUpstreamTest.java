package io.memorygateway.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleUpstreamTest {

  @ParameterizedTest
  @CsvSource({
    "/v1/chat/completions, messages",
    "/v1beta/openai/chat/completions, messages",
    "/v1/messages, messages",
    "/api/v1/responses, input"
  })
  void repeatsTheUsersLastWordsAndSaysWhatItIs(String path, String member) throws Exception {
    String body =
        """
        {"model":"m","%s":[{"role":"user","content":"first"},
          {"role":"user","content":[{"type":"text","text":"good morning"}]},
          {"role":"assistant","content":"so"}]%s}
        """;
    try (SampleUpstream sample = SampleUpstream.start(0)) {
      HttpResponse<String> whole = post(sample, path, body.formatted(member, ""));
      assertThat(whole.headers().firstValue("content-type")).contains("application/json");
      assertThat(whole.body())
          .contains("You said: \\\"good morning\\\"")
          .contains("sample upstream");

      HttpResponse<String> stream = post(sample, path, body.formatted(member, ",\"stream\":true"));
      assertThat(stream.headers().firstValue("content-type").orElseThrow())
          .startsWith("text/event-stream");
      assertThat(stream.body()).contains("morning").endsWith("\n\n");
    }
  }

  @Test
  void countsTokensEmbedsAndRefusesWhatItDoesNotKnow() throws Exception {
    try (SampleUpstream sample = SampleUpstream.start(0)) {
      assertThat(post(sample, "/v1/messages/count_tokens", "{\"messages\":[]}").body())
          .contains("input_tokens");
      assertThat(post(sample, "/v1/embeddings", "{\"input\":[\"a\",\"b\"]}").body())
          .contains("\"index\":1");
      assertThat(post(sample, "/v1/nothing", "{}").statusCode()).isEqualTo(404);
      assertThat(post(sample, "/v1/embeddings", "{").statusCode()).isEqualTo(400);
    }
  }

  private static HttpResponse<String> post(SampleUpstream sample, String path, String body)
      throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(sample.url() + path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
