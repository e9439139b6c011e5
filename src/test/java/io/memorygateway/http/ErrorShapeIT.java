package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §3: one error shape, down to what Jetty's parser refuses, on either port. */
class ErrorShapeIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.put("maxRequestBody", "64KiB"));

  /**
   * A request and what it has to be answered with.
   *
   * @param text {@code \n} stands for CR LF; {@code @} for Host, key and request id
   */
  record Case(String name, int status, String text) {
    @Override
    public String toString() {
      return status + " " + name;
    }

    String type() {
      return status == 404 ? "not_found" : "invalid_request_error";
    }
  }

  private static final Set<String> REFUSED_BEFORE_ITS_HEADERS =
      Set.of(
          "long request line",
          "bad percent",
          "NUL in the path",
          "raw NUL in the path",
          "unknown version",
          "no version");
  private static final String REQUEST_ID = "the-callers_id:1.0";

  static Stream<Case> refusedByTheParser() {
    String x = "x".repeat(40_000);
    return Stream.of(
        new Case("long request line", 414, "GET /" + x + " HTTP/1.1\n@\n"),
        new Case("large headers", 431, "GET /zebra HTTP/1.1\n@A: zebra" + x + "\n\n"),
        new Case("bad percent", 400, "GET /zebra%zz HTTP/1.1\n@\n"),
        new Case("NUL in the path", 400, "GET /zebra%00 HTTP/1.1\n@\n"),
        new Case("raw NUL in the path", 400, "GET /zebra\0 HTTP/1.1\n@\n"),
        new Case("broken UTF-8 in the path", 400, "GET /zebra%C3%28 HTTP/1.1\n@\n"),
        new Case("bad host", 400, "GET /zebra HTTP/1.1\n@Host: zebra:zebra:1\n\n"),
        new Case("two hosts", 400, "GET /zebra HTTP/1.1\n@Host: zebra\n\n"),
        new Case("no host", 400, "GET /zebra HTTP/1.1\nX-Request-Id: " + REQUEST_ID + "\n\n"),
        new Case("unknown version", 505, "GET /zebra HTTP/3.7\n@\n"),
        new Case("no version", 505, "GET /zebra zebra\n@\n"),
        new Case("space in a header name", 400, "GET /zebra HTTP/1.1\n@ze bra: 1\n\n"),
        new Case(
            "length and chunks",
            400,
            "POST /zebra HTTP/1.1\n@Content-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n"),
        new Case(
            "two lengths", 400, "POST /zebra HTTP/1.1\n@Content-Length: 5\nContent-Length: 6\n\n"),
        new Case("bad length", 400, "POST /zebra HTTP/1.1\n@Content-Length: zebra\n\n"),
        new Case("negative length", 400, "POST /zebra HTTP/1.1\n@Content-Length: -1\n\n"),
        new Case("unknown coding", 400, "POST /zebra HTTP/1.1\n@Transfer-Encoding: zebra\n\n"));
  }

  static Stream<Case> refusedLater() {
    String chat = "POST /v1/chat/completions HTTP/1.1\n@Content-Type: application/json\n";
    return Stream.of(
        new Case("unknown path", 404, "GET /zebra HTTP/1.1\n@\n"),
        new Case("slash in an id", 404, "GET /v1/zebra/a%2Fb HTTP/1.1\n@\n"),
        new Case("percent in an id", 404, "GET /v1/zebra/a%25b HTTP/1.1\n@\n"),
        new Case("dots in an id", 404, "GET /v1/zebra/%2E%2E HTTP/1.1\n@\n"),
        new Case("backslash in an id", 404, "GET /v1/zebra/a%5Cb HTTP/1.1\n@\n"),
        new Case("semicolon in an id", 404, "GET /v1/zebra/a%3Bb HTTP/1.1\n@\n"),
        new Case("emoji in an id", 404, "GET /v1/zebra/%F0%9F%A6%93 HTTP/1.1\n@\n"),
        new Case("method of another resource", 405, "GET /v1/chat/completions HTTP/1.1\n@\n"),
        new Case("unknown method", 405, "FOO /v1/chat/completions HTTP/1.1\n@\n"),
        new Case("trace", 405, "TRACE /zebra HTTP/1.1\n@\n"),
        new Case("accept", 406, chat + "Accept: text/zebra\nContent-Length: 2\n\n{}"),
        new Case("media type", 415, chat.replace("/json", "/zebra") + "Content-Length: 2\n\n{}"),
        new Case(
            "no media type at all",
            415,
            chat.replace("application/json", "zebra") + "Content-Length: 2\n\n{}"),
        new Case("large by length", 413, chat + "Content-Length: 65537\n\n"),
        new Case(
            "large by chunks",
            413,
            chat + "Transfer-Encoding: chunked\n\n10001\n" + " ".repeat(65_537) + "\n0\n\n"),
        new Case("bad chunk", 400, chat + "Transfer-Encoding: chunked\n\nzebra\n{}\n0\n\n"),
        new Case("expectation", 417, chat + "Expect: zebra\nContent-Length: 2\n\n{}"),
        new Case("empty body", 400, chat + "Content-Length: 0\n\n"),
        new Case("no body", 400, chat + "\n"),
        new Case("malformed JSON", 400, chat + "Content-Length: 8\n\n{\"zebra\""),
        new Case("two JSON texts", 400, chat + "Content-Length: 4\n\n{}{}"));
  }

  @ParameterizedTest
  @MethodSource({"refusedByTheParser", "refusedLater"})
  void theApplicationPortSaysEveryErrorInOneShape(Case refused) throws Exception {
    RawAnswer answer = exchange(GATEWAY.port(), refused);

    ErrorEnvelope.check(answer, refused.status(), refused.type());
    if (refused.status() == 405) {
      assertThat(answer.header("Allow")).contains("POST");
    }
  }

  @ParameterizedTest
  @MethodSource("refusedByTheParser")
  void soDoesTheAdminPort(Case refused) throws Exception {
    ErrorEnvelope.check(exchange(adminPort(), refused), refused.status(), refused.type());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "404 GET /zebra",
        "404 POST /tasks/zebra",
        "405 GET /tasks/key-list",
        "405 POST /metrics",
        "405 FOO /healthcheck",
        "400 POST /tasks/key-issue?zebra=1",
        "404 HEAD /zebra",
        "405 POST /tasks",
        "405 DELETE /tasks/gc",
        "405 TRACE /tasks",
      })
  void theAdminPortsOwnErrorsLookTheSame(String text) throws Exception {
    Case refused =
        new Case(
            text, Integer.parseInt(text.substring(0, 3)), text.substring(4) + " HTTP/1.1\n@\n");
    RawAnswer answer = exchange(adminPort(), refused);
    if (!text.contains("HEAD")) {
      ErrorEnvelope.check(answer, refused.status(), refused.type());
    }
    assertThat(answer.status()).isEqualTo(refused.status());
    assertThat(answer.header("X-Request-Id")).isEqualTo(REQUEST_ID);
    if (refused.status() == 405) {
      assertThat(answer.header("Allow")).isNotBlank();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "admin, GET /tasks/key-list, 'POST, OPTIONS'",
    "admin, DELETE /tasks/gc, 'POST, OPTIONS'",
    "admin, POST /metrics, 'GET, HEAD, OPTIONS'",
    "admin, PUT /healthcheck, 'GET, HEAD, OPTIONS'",
    "admin, PATCH /tasks/gc, 'POST, OPTIONS'",
    "admin, PATCH /tasks, 'GET, HEAD, OPTIONS'",
    "admin, PATCH /metrics, 'GET, HEAD, OPTIONS'",
    "admin, PATCH /healthcheck, 'GET, HEAD, OPTIONS'",
    "admin, PATCH /ping, 'GET, HEAD, OPTIONS'",
    "admin, PATCH /threads, 'GET, HEAD, OPTIONS'",
    "admin, PATCH /admin/openapi.json, 'GET, HEAD, OPTIONS'",
    "application, PATCH /health-check, 'GET, HEAD, OPTIONS'",
    "application, POST /health-check, 'GET, HEAD, OPTIONS'",
    "application, FOO /health-check, 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'",
    "admin, FOO /healthcheck, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'",
  })
  void allowNamesTheMethodsOfThePathAndNotTheRefusedOne(String port, String line, String allowed)
      throws Exception {
    Case refused = new Case(line, 405, line + " HTTP/1.1\n@\n");
    RawAnswer answer = exchange(port.equals("admin") ? adminPort() : GATEWAY.port(), refused);
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo(allowed);
  }

  @ParameterizedTest
  @MethodSource({"refusedByTheParser", "refusedLater"})
  void theCallersRequestIdComesBack(Case refused) throws Exception {
    if (REFUSED_BEFORE_ITS_HEADERS.contains(refused.name())) {
      assertThat(exchange(GATEWAY.port(), refused).header("X-Request-Id")).matches("[0-9a-f-]{36}");
      return;
    }
    assertThat(exchange(GATEWAY.port(), refused).header("X-Request-Id")).isEqualTo(REQUEST_ID);
  }

  @Test
  void theIdOfAnEarlierRequestDoesNot() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(wire("GET /zebra HTTP/1.1\n@\n"));
      assertThat(RawAnswer.parse(client.readAnswer()).header("X-Request-Id")).isEqualTo(REQUEST_ID);
      client.send("GET /" + "x".repeat(40_000) + " HTTP/1.1\r\n\r\n");
      assertThat(RawAnswer.parse(client.readAnswer()).header("X-Request-Id"))
          .isNotEqualTo(REQUEST_ID);
    }
  }

  /** RFC 9110, 10.1.1: to HTTP/1.0, no interim response is sent, and no expectation counts. */
  @ParameterizedTest
  @ValueSource(strings = {"100-continue", "zebra"})
  void expectationsOfHttp10AreIgnored(String expected) throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      String head =
          "POST /v1/memory/threads HTTP/1.0\n@Connection: keep-alive\nExpect: "
              + expected
              + "\nContent-Type: application/json\nContent-Length: ";
      for (int i = 0; i < 2; i++) {
        client.send(wire(head + "19\n\n{\"resourceId\":\"ze\"}"));
        RawAnswer answer = RawAnswer.parse(client.readAnswer());
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
      }
      client.send(wire(head + "5\n\nzebra"));
      ErrorEnvelope.check(RawAnswer.parse(client.readAnswer()), 400, "invalid_request_error");
    }
  }

  @Test
  void aBodyIsAskedForAndOfAnUnknownExpectationThrownAway() throws Exception {
    String post = "POST /v1/memory/threads HTTP/1.1\n@Content-Type: application/json\n";
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(wire(post + "Expect: 100-continue\nContent-Length: 19\n\n"));
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100");
      client.send("{\"resourceId\":\"ze\"}");
      assertThat(RawAnswer.parse(client.readAnswer()).status()).isEqualTo(201);
      client.send(wire(post + "Expect: 100-continue, zebra\nContent-Length: 20\n\n"));
      client.send(wire("GET /zebra HTTP/1.1\n@\n"));
      ErrorEnvelope.check(RawAnswer.parse(client.readAnswer()), 417, "invalid_request_error");
      assertThat(client.atEnd()).isTrue();
    }
  }

  @AfterEach
  void itIsThereForTheNextCaller() throws Exception {
    assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
  }

  @Test
  void headOfAnUnknownPathHasTheHeadersOnly() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(wire("HEAD /zebra HTTP/1.1\n@Connection: close\n\n"));
      RawAnswer answer = RawAnswer.parse(client.readAll());
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.header("Content-Type")).isEqualTo("application/json");
      assertThat(answer.header("X-Request-Id")).isEqualTo(REQUEST_ID);
      assertThat(answer.body()).isEmpty();
    }
  }

  private static RawAnswer exchange(int port, Case refused) throws Exception {
    try (RawClient client = new RawClient(port)) {
      client.send(wire(refused.text()));
      return RawAnswer.parse(
          refused.text().startsWith("HEAD") ? client.readUntil("\r\n\r\n") : client.readAnswer());
    }
  }

  private static String wire(String text) {
    String host = text.contains("Host: zebra:") ? "" : "Host: localhost\n";
    return text.replace(
            "@",
            host
                + "X-Request-Id: "
                + REQUEST_ID
                + "\nAuthorization: Bearer "
                + GATEWAY.key()
                + "\n")
        .replace("\n", "\r\n");
  }

  private static int adminPort() {
    return URI.create(GATEWAY.adminUrl()).getPort();
  }
}
