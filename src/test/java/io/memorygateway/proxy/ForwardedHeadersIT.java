package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: which headers cross the gateway, and which never do. */
class ForwardedHeadersIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "anthropic-version|2023-06-01",
        "Anthropic-Beta|context-1m-2025-08-07,interleaved-thinking-2025-05-14",
        "OpenAI-Beta|assistants=v2",
        "chatgpt-account-id|acc",
        "x-stainless-lang|python",
        "X-Stainless-Retry-Count|1",
        "User-Agent|OpenAI/Python 3.51.0",
        "Accept|application/json",
      })
  void thisHeaderOfTheClientReachesTheUpstream(String name, String value) throws Exception {
    call("/v1/chat/completions", name + ": " + value);

    assertThat(UPSTREAM.takeRequest().headers().get(name)).containsExactly(value);
  }

  @Test
  void aHeaderGivenTwiceReachesTheUpstreamTwice() throws Exception {
    call("/v1/chat/completions", "anthropic-beta: one", "anthropic-beta: two");

    assertThat(UPSTREAM.takeRequest().headers().get("anthropic-beta"))
        .containsExactly("one", "two");
  }

  @Test
  void aHeaderAsLongAsThePortTakesReachesTheUpstream() throws Exception {
    String agent = "x".repeat(15_000);

    assertThat(call("/v1/chat/completions", "User-Agent: " + agent)).startsWith("HTTP/1.1 200 ");

    assertThat(UPSTREAM.takeRequest().header("User-Agent")).isEqualTo(agent);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cookie: session=1",
        "X-Forwarded-For: 10.0.0.1",
        "X-Forwarded-Host: inside",
        "Forwarded: for=10.0.0.1",
        "X-Real-IP: 10.0.0.1",
        "Via: 1.1 proxy",
        "Referer: http://inside/",
        "Origin: http://inside",
        "TE: trailers",
        "Trailer: x-checksum",
        "Keep-Alive: timeout=5",
        "Proxy-Authorization: Basic Zm9vOmJhcg==",
        "Proxy-Connection: keep-alive",
        "x-api-key: sk-somebodys",
        "x-goog-api-key: sk-somebodys",
        "api-key: sk-somebodys",
        "X-Request-Id: mine",
        "Idempotency-Key: once",
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "OpenAI-Organization: org-1",
        "openai-project: proj_1",
        "x-custom: 1",
      })
  void thisHeaderOfTheClientStaysBehind(String line) throws Exception {
    assertThat(call("/v1/chat/completions", line)).startsWith("HTTP/1.1 200 ");

    assertThat(UPSTREAM.takeRequest().headers()).doesNotContainKey(line.split(":", 2)[0]);
  }

  @Test
  void aHeaderThatConnectionNamesStaysBehind() throws Exception {
    call(
        "/v1/chat/completions",
        "Connection: keep-alive, X-Stainless-Hop",
        "x-stainless-hop: 1",
        "x-stainless-os: Linux");

    assertThat(UPSTREAM.takeRequest().headers())
        .containsKey("x-stainless-os")
        .doesNotContainKey("x-stainless-hop");
  }

  @Test
  void theUpstreamIsAskedForAnAnswerThatIsNotCompressed() throws Exception {
    call("/v1/chat/completions", "Accept-Encoding: gzip, br");

    assertThat(UPSTREAM.takeRequest().headers().get("Accept-Encoding")).containsExactly("identity");
  }

  @Test
  void theUpstreamGetsItsOwnHostKeyLengthAndTypeAndNoMore() throws Exception {
    call("/v1/chat/completions");

    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.headers().keySet())
        .usingElementComparator(String.CASE_INSENSITIVE_ORDER)
        .containsExactlyInAnyOrder(
            "Host", "Accept", "Accept-Encoding", "Authorization", "Content-Type", "Content-Length");
    assertThat(request.header("Host")).isEqualTo("127.0.0.1:" + UPSTREAM.port());
    assertThat(request.header("Authorization")).isEqualTo("Bearer " + TestGateway.PROVIDER_KEY);
    assertThat(request.header("Content-Type")).isEqualTo("application/json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "User-Agent: curl KEY",
        "OpenAI-Other: KEY",
        "x-stainless-token: KEY",
        "x-api-key: KEY",
        "X-Memory-Gateway-Authorization: Bearer KEY",
        "Cookie: key=KEY",
      })
  void theGatewaysKeyNeverGoesUpstream(String line) throws Exception {
    for (String key : new String[] {GATEWAY.key(), GATEWAY.key().toUpperCase(Locale.ROOT)}) {
      call("/v1/chat/completions?key=" + key, line.replace("KEY", key));

      RecordedRequest request = UPSTREAM.takeRequest();
      assertThat(request.headers().toString()).doesNotContain(key);
      assertThat(request.target()).isEqualTo("/openai/v1/chat/completions");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"beta=true", "api-version=2025-01-01&x=a%20b%2F&x=&y", "a=%c3%a4;b"})
  void theQueryReachesTheUpstreamAsItIs(String query) throws Exception {
    call("/v1/chat/completions?" + query);

    assertThat(UPSTREAM.takeRequest().target()).isEqualTo("/openai/v1/chat/completions?" + query);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a={b}", "a=%zz", "a=b|c", "a=\\", "a=\"b\"", "a=[1]^"})
  void aQueryThatIsNoneIsABadRequest(String query) throws Exception {
    String answer = call("/v1/chat/completions?" + query);

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("\"type\":\"invalid_request_error\"");
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void theUpstreamsLimitsAndRequestIdComeUnderAnotherName() throws Exception {
    UPSTREAM.enqueue(
        Answer.json("{}")
            .header("x-ratelimit-limit-requests", "500")
            .header("X-RateLimit-Reset-Tokens", "6ms")
            .header("anthropic-ratelimit-tokens-remaining", "7")
            .header("x-request-id", "req_1")
            .header("request-id", "req_2")
            .header("Retry-After", "3"));

    HttpResponse<String> answer = GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");

    assertThat(answer.headers().map())
        .containsEntry("x-upstream-ratelimit-limit-requests", List.of("500"))
        .containsEntry("x-upstream-ratelimit-reset-tokens", List.of("6ms"))
        .containsEntry("x-upstream-anthropic-ratelimit-tokens-remaining", List.of("7"))
        .containsEntry("x-upstream-x-request-id", List.of("req_1"))
        .containsEntry("x-upstream-request-id", List.of("req_2"))
        .containsEntry("retry-after", List.of("3"))
        .doesNotContainKey("x-ratelimit-limit-requests")
        .doesNotContainKey("anthropic-ratelimit-tokens-remaining");
    assertThat(answer.headers().allValues("x-request-id")).hasSize(1).doesNotContain("req_1");
    assertThat(answer.headers().allValues("request-id"))
        .isEqualTo(answer.headers().allValues("x-request-id"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-request-id", "request-id"})
  void anUpstreamsRequestIdComesUnderOneName(String name) throws Exception {
    UPSTREAM.enqueue(Answer.json("{}").header(name, "req_1"));

    assertThat(GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}").headers().map())
        .containsEntry("x-upstream-request-id", List.of("req_1"))
        .doesNotContainKey("x-upstream-x-request-id");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Set-Cookie: __cf_bm=1; path=/",
        "Server: upstream/1.0",
        "Via: 1.1 upstream",
        "Location: http://inside/",
        "Strict-Transport-Security: max-age=1",
        "Alt-Svc: h3=\":443\"",
        "openai-organization: org-of-the-gateway",
        "Access-Control-Allow-Origin: *",
        "WWW-Authenticate: Bearer",
        "Keep-Alive: timeout=5",
        "Proxy-Authenticate: Basic",
        "Trailer: x-checksum",
        "ETag: \"1\"",
        "x-custom: 1",
      })
  void thisHeaderOfTheUpstreamStaysBehind(String line) throws Exception {
    String name = line.split(":", 2)[0];
    String value = line.split(":", 2)[1].strip();
    UPSTREAM.enqueue(
        Answer.json("{}").header(name, value),
        Answer.error(401, "authentication_error", "no").header(name, value),
        exchange ->
            exchange.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n%s\r\nContent-Length: 14\r\n\r\ndata: [DONE]\n\n"
                    .formatted(line)));

    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer =
          GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\",\"stream\":true}");

      assertThat(answer.headers().allValues(name)).doesNotContain(value);
    }
  }

  @Test
  void aHeaderThatTheUpstreamsConnectionNamesStaysBehind() throws Exception {
    UPSTREAM.enqueue(
        Answer.json("{}")
            .header("Connection", "keep-alive, X-RateLimit-Hop")
            .header("x-ratelimit-hop", "1")
            .header("x-ratelimit-end", "1"));

    assertThat(GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}").headers().map())
        .containsKey("x-upstream-ratelimit-end")
        .doesNotContainKey("x-upstream-ratelimit-hop");
  }

  @Test
  void streamsAreNotToBeStoredOrHeldBackByWhatIsInBetween() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\",\"stream\":true}");

    assertThat(answer.headers().firstValue("cache-control")).contains("no-store");
    assertThat(answer.headers().firstValue("x-accel-buffering")).contains("no");
  }

  private static String call(String target, String... headers) throws IOException {
    String body = "{\"model\":\"gpt-5\"}";
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "POST %s HTTP/1.1\r\nHost: gateway.example\r\nAuthorization: Bearer %s\r\nContent-Type: application/json; charset=utf-8\r\n%sContent-Length: %d\r\n\r\n%s"
              .formatted(
                  target,
                  GATEWAY.key(),
                  headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n",
                  body.length(),
                  body));
      return client.readAnswer();
    }
  }
}
