package io.memorygateway.http;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.SharedGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §3: errors where clients look for them, and paths and requests that are served nowhere.
 */
class WrongPathIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MESSAGES = "/v1/messages";

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/chat/completions/chat/completions",
        "/v1/chat/completions/v1/messages",
        "/v1/messages/v1/messages",
        "/v1/v1/v1/messages",
        "/openai/v2/chat/completions",
        "/openai/deployments/completions",
        "/api/v1/responses",
        "/api/v1/memory/threads",
        "/api/memory/threads/x",
        "/foo/v1/memory/threads/t/messages",
        "/v2/memory/resources/r/observations",
        "/api/v1/memory/search",
        "/api/v1/models/gpt-5",
        "/api/v1/audio/speech",
        "/api/v1/files/f/content",
      })
  void aPathOfAWrongBaseUrlIsAnsweredWithAHint(String path) throws Exception {
    HttpResponse<String> answer = GATEWAY.post(path, "{\"model\":\"gpt-5\"}");

    assertThat(answer.statusCode()).isEqualTo(404);
    JsonNode error = JSON.readTree(answer.body()).get("error");
    assertThat(error.get("type").asText()).isEqualTo("not_found");
    assertThat(error.get("message").asText())
        .contains("base URL", "/v1", "/v1/memory")
        .doesNotContain("404", "gpt-5", "chat", "threads");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1",
        "/v1/filesx",
        "/v1/memory/threads/messages/nothing",
        "/v1/memory/threads/t/messages/m/messages",
        "/v2/something",
        "/v2/memory",
        "/v2/models-of-mine/x",
        "/v2/memory/threadsx",
      })
  void anyOtherPathIsSimplyNotThere(String path) throws Exception {
    HttpResponse<String> answer = GATEWAY.post(path, "{}");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).doesNotContain("base URL");
  }

  @Test
  void errorsOfMessagesAreMarkedWhereverTheyComeFrom() throws Exception {
    UPSTREAM.enqueue(
        Answer.json(
            529,
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\",\"x\":1},\"request_id\":\"r\"}"),
        Answer.garbage());

    assertMarked(GATEWAY.post(MESSAGES, "{\"model\":\"claude-x\"}"), 529, "overloaded_error");
    assertMarked(GATEWAY.post(MESSAGES, "{\"model\":\"claude-x\"}"), 502, "upstream_error");
    assertMarked(GATEWAY.post(MESSAGES, "nonsense"), 400, "invalid_request_error");
    assertMarked(GATEWAY.post(MESSAGES + "/count_tokens", "{}"), 400, "invalid_request_error");
    assertMarked(GATEWAY.get(MESSAGES), 405, "invalid_request_error");
    assertMarked(GATEWAY.get(MESSAGES + "/batches"), 400, "invalid_request_error");
    assertMarked(
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + MESSAGES))
                .POST(BodyPublishers.ofString("{}"))),
        401,
        "authentication_error");
    assertMarked(GATEWAY.post(MESSAGES, "x".repeat(33 << 20)), 413, "invalid_request_error");
  }

  @Test
  void errorsOfJettyItselfAreMarkedAsWell() throws Exception {
    RawAnswer answer =
        raw(
            "POST "
                + MESSAGES
                + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n");

    assertThat(answer.body()).startsWith("{\"type\":\"error\",\"error\":{");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/responses", "/v1/messagesX", "/v1/models/x"})
  void errorsElsewhereAreNot(String path) throws Exception {
    assertThat(GATEWAY.post(path, "nonsense").body()).startsWith("{\"error\":{");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip, chunked", "identity, chunked", "gzip", "chunked, gzip"})
  void transferCodingsThatNobodyDecodesAreRefused(String coding) throws Exception {
    RawAnswer answer =
        raw(
            "POST /v1/memory/threads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                + GATEWAY.key()
                + "\r\nContent-Type: application/json\r\nTransfer-Encoding: "
                + coding
                + "\r\n\r\n16\r\n{\"resourceId\":\"user-1\"}\r\n0\r\n\r\n");

    assertThat(answer.status()).isIn(400, 501);
    assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"");
    assertThat(answer.header("Connection")).isEqualTo("close");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/responses", "/responses", "/v1/chat/completions"})
  void whoAsksForAWebSocketIsSentToHttp(String path) throws Exception {
    RawAnswer answer =
        raw(
            "GET "
                + path
                + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                + GATEWAY.key()
                + "\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n");

    assertThat(answer.status()).isEqualTo(426);
    assertThat(answer.header("Upgrade")).isEqualTo("HTTP/1.1");
    assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"");
  }

  @Test
  void aTunnelIsRefusedAndItsConnectionClosed() throws Exception {
    RawAnswer answer = raw("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");

    assertThat(answer.status()).isIn(400, 405);
    assertThat(answer.header("Connection")).isEqualTo("close");
  }

  /** As many as are read one by one among all others; their bytes are bounded elsewhere. */
  @ParameterizedTest
  @CsvSource({"150, 200", "300, 431"})
  void aRequestHasNoMoreHeadersThanClientsSend(int number, int status) throws Exception {
    String headers =
        IntStream.range(0, number).mapToObj(i -> "x" + i + ": a\r\n").collect(joining());

    RawAnswer answer = raw("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "\r\n");

    assertThat(answer.status()).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2.0", "HTTP/3.0", "HTTP/1.2"})
  void otherVersionsAreRefusedAsSuch(String version) throws Exception {
    RawAnswer answer = raw("GET /v1/models " + version + "\r\nHost: x\r\n\r\n");

    assertThat(answer.status()).isEqualTo(505);
    assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"");
  }

  /** Reads until the connection is closed, which it has to be. */
  private static RawAnswer raw(String request) throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(request);
      return RawAnswer.parse(client.readAll());
    }
  }

  private static void assertMarked(HttpResponse<String> answer, int status, String type)
      throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    JsonNode body = JSON.readTree(answer.body());
    assertThat(body).hasSize(2);
    assertThat(body.path("type").asText()).isEqualTo("error");
    assertThat(body.at("/error/type").asText()).isEqualTo(type);
    assertThat(body.at("/error/message").asText()).isNotBlank();
  }
}
