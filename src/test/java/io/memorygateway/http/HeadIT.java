package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.SharedGateway;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §5: HEAD on every GET has the same headers and no body. */
class HeadIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private static final Set<String> OF_THE_MOMENT =
      Set.of("date", "x-request-id", "request-id", "x-ratelimit-remaining", "x-ratelimit-reset");

  @BeforeAll
  static void makeAThread() throws Exception {
    send("POST", "/v1/memory/threads", "identity", "{\"id\":\"t\",\"resourceId\":\"r\"}");
    String message = "{\"id\":\"m\",\"role\":\"user\",\"content\":\"" + "wörd ".repeat(200) + "\"}";
    send("POST", "/v1/memory/threads/t/messages", "identity", "{\"messages\":[" + message + "]}");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/memory/threads, 200",
    "/v1/memory/threads/t, 200",
    "/v1/memory/threads/none, 404",
    "/v1/memory/threads?limit=0, 400",
    "/v1/memory/threads/t/messages, 200",
    "/v1/memory/threads/t/messages/m, 200",
    "/v1/memory/threads/t/observations, 200",
    "/v1/memory/threads/t/observations/record, 200",
    "/v1/memory/threads/t/observations/history, 200",
    "/v1/models, 200",
    "/openapi.json, 200",
    "/docs, 200",
    "/, 200",
    "/v1/chat/completions, 405"
  })
  void hasTheHeadersOfGet(String path, int status) throws Exception {
    for (String encoding : List.of("identity", "gzip")) {
      HttpResponse<String> get = send("GET", path, encoding, "");
      HttpResponse<String> head = send("HEAD", path, encoding, "");
      assertThat(head.statusCode()).isEqualTo(get.statusCode()).isEqualTo(status);
      assertThat(headers(head)).isEqualTo(headers(get));
      assertThat(head.body()).isEmpty();
      if (encoding.equals("identity")) {
        int length = get.body().getBytes(StandardCharsets.UTF_8).length;
        assertThat(head.headers().firstValueAsLong("Content-Length")).hasValue(length);
      }
    }
  }

  private static Map<String, List<String>> headers(HttpResponse<?> answer) {
    Map<String, List<String>> headers = new TreeMap<>();
    answer
        .headers()
        .map()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
    headers.keySet().removeAll(OF_THE_MOMENT);
    return headers;
  }

  private static HttpResponse<String> send(String method, String path, String encoding, String body)
      throws Exception {
    return GATEWAY.send(
        GATEWAY
            .request(path)
            .setHeader("Accept-Encoding", encoding)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
  }
}
