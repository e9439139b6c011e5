package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Jersey serves and what is served before it is answered alike. */
class DirectFilterIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  private static final Set<String> OF_THE_REQUEST =
      Set.of("date", "request-id", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset");

  @ParameterizedTest(name = "{0} {1} {2} {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "whole|200|chat/completions|{'model':'gpt-5','messages':[{'role':'user','content':'Hi'}]}",
        "whole|200|responses|{'model':'gpt-5','input':'Hi'}",
        "whole|200|messages?beta=true|{'model':'claude-x','max_tokens':9,'messages':[{'role':'user','content':'Hi'}]}",
        "whole|200|messages/count_tokens|{'model':'claude-x','messages':[{'role':'user','content':'Hi'}]}",
        "whole|200|embeddings|{'model':'text-embedding-3-small','input':'Hi'}",
        "whole|200|completions|{'model':'gpt-5','prompt':'Hi'}",
        "stream|200|chat/completions|{'stream':true,'model':'gpt-5','messages':[{'role':'user','content':'Hi'}]}",
        "stream|200|messages|{'stream':true,'model':'claude-x','max_tokens':9,'messages':[{'role':'user','content':'Hi'}]}",
        "upstream's error|429|chat/completions|{'model':'gpt-5','messages':[]}",
        "upstream's error|429|messages|{'model':'claude-x','messages':[]}",
        "malformed|400|chat/completions|{'model':",
        "malformed|400|messages|{'model':",
        "empty|400|responses|``",
        "no key|401|chat/completions|{'model':'gpt-5','messages':[]}",
        "no key|401|messages|{'model':'claude-x','messages':[]}",
        "chunked|200|responses|{'model':'gpt-5','input':'Hi'}",
        "large|413|chat/completions|",
        "large|413|messages|",
        "large, chunked|413|messages|",
      })
  void requestsAreAnsweredAlike(String kind, int status, String path, String json)
      throws Exception {
    String body = kind.startsWith("large") ? "\"" + "x".repeat(40 << 20) + "\"" : json;
    if (kind.equals("upstream's error")) {
      UPSTREAM.answerAlways(
          new Answer.HttpAnswer(
              429,
              List.of("Content-Type: application/json", "X-Upstream: 1", "Retry-After: 3"),
              "{\"error\":{\"message\":\"slow\",\"type\":\"rate_limit_error\"}}"));
    } else {
      UPSTREAM.answer(CannedReplies::answer);
    }

    HttpResponse<String> direct = post(kind, path, body, "*/*");
    HttpResponse<String> byJersey = post(kind, path, body, "*/*;q=1");

    assertThat(byJersey.statusCode()).as(byJersey.body()).isEqualTo(status);
    assertThat(direct.statusCode()).isEqualTo(status);
    assertThat(direct.body()).isEqualTo(byJersey.body());
    assertThat(headers(direct)).isEqualTo(headers(byJersey));
  }

  private static HttpResponse<String> post(String kind, String path, String body, String accept)
      throws Exception {
    HttpRequest.Builder request =
        kind.equals("no key")
            ? HttpRequest.newBuilder(java.net.URI.create(GATEWAY.url() + "/v1/" + path))
            : GATEWAY.request("/v1/" + path);
    return GATEWAY.send(
        request
            .header("Content-Type", "application/json")
            .header("Accept", accept)
            .POST(
                kind.endsWith("chunked")
                    ? BodyPublishers.ofInputStream(() -> stream(body))
                    : BodyPublishers.ofString(json(body))));
  }

  private static InputStream stream(String body) {
    return new ByteArrayInputStream(json(body).getBytes(StandardCharsets.UTF_8));
  }

  private static String json(String body) {
    return body.replace('\'', '"');
  }

  private static Map<String, List<String>> headers(HttpResponse<String> answer) {
    Map<String, List<String>> headers = new TreeMap<>(answer.headers().map());
    headers.keySet().removeAll(OF_THE_REQUEST);
    return headers;
  }
}
