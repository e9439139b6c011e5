package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §3: what is wrong with a body is said in the one shape, and nothing reaches upstream.
 */
class BadBodyIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.put("maxRequestBody", "64KiB"));

  private static final String HEAD =
      "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n"
          + "Content-Type: application/json\r\nAuthorization: Bearer ";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "\"zebra\"",
        "7",
        "{",
        "{}",
        "{zebra:1}",
        "{'model':'gpt-5'}",
        "{\"model\":\"gpt-5\"",
        "{\"model\":\"gpt-5\"}}",
        "{\"model\":\"gpt-5\"}zebra",
        "{\"model\":\"gpt-5\",}",
        "{\"model\":null}",
        "{\"model\":7}",
        "{\"model\":[\"zebra\"]}",
        "{\"model\":\"\"}",
        "{\"model\":\"  \"}",
        "{\"model\":\"gpt-5\",\"model\":\"zebra\"}",
        "{\"model\":\"gpt-5\",\"stream\":\"zebra\"}",
        "{\"model\":\"gpt-5\",\"stream\":1}",
        "{\"model\":\"gpt-5\",\"stream_options\":\"zebra\"}",
        "{\"model\":\"gpt-5\",\"n\":NaN}",
        "{\"model\":\"gpt-5\",\"n\":01}",
        "{\"model\":\"gpt-5\",\"text\":\"\\u12\"}",
        "{\"model\":\"gpt-5\",\"text\":\"line\nbreak\"}",
      })
  void malformedOrWronglyTypedJsonIs400(String body) throws Exception {
    ErrorEnvelope.check(GATEWAY.post("/v1/chat/completions", body), 400, "invalid_request_error");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u00c3(", "\u00ff", "\u00ed\u00a0\u0080", "\u00c0\u0080"})
  void brokenUtf8Is400(String bytes) throws Exception {
    check(raw("{\"model\":\"gpt-5\",\"text\":\"" + bytes + "\"}"), 400);
  }

  @Test
  void nestingWithoutEndIs400() throws Exception {
    String deep = "[".repeat(20_000) + "]".repeat(20_000);
    check(raw("{\"model\":\"gpt-5\",\"deep\":" + deep + "}"), 400);
  }

  @Test
  void anInflatedBodyOverTheLimitIs413() throws Exception {
    String bomb = "{\"model\":\"gpt-5\",\"text\":\"" + "z".repeat(5_000_000) + "\"}";

    ErrorEnvelope.check(gzip(bomb), 413, "invalid_request_error");
  }

  @Test
  void aCompressedBodyWithinTheLimitIsServed() throws Exception {
    assertThat(gzip("{\"model\":\"gpt-5\",\"messages\":[]}").statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo("{\"model\":\"gpt-5\",\"messages\":[]}");
  }

  @Test
  void aBodyThatSaysGzipAndIsNotIs400() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/chat/completions")
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofString("zebra zebra zebra zebra")));

    ErrorEnvelope.check(answer, 400, "invalid_request_error");
  }

  @Test
  void aBodyThatEndsTooSoonHarmsNobody() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(HEAD + GATEWAY.key() + "\r\nContent-Length: 500\r\n\r\n{\"model\":");
    }
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(HEAD + GATEWAY.key() + "\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"model\":");
      client.reset();
    }
  }

  @AfterEach
  void nothingBadWentUpstreamAndItServesOn() throws Exception {
    assertThat(UPSTREAM.requests()).noneMatch(request -> request.text().contains("zebra"));
    assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
    assertThat(GATEWAY.errors()).isEmpty();
    assertThat(GATEWAY.log()).doesNotContain("zebra");
  }

  private static RawAnswer raw(String latin1) throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          HEAD + GATEWAY.key() + "\r\nContent-Length: " + latin1.length() + "\r\n\r\n" + latin1);
      return RawAnswer.parse(client.readAnswer());
    }
  }

  private static void check(RawAnswer answer, int status) {
    ErrorEnvelope.check(answer, status, "invalid_request_error");
    assertThat(answer.header("X-Request-Id")).isEqualTo("mine");
  }

  private static HttpResponse<String> gzip(String text) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    HttpRequest.Builder request =
        GATEWAY
            .request("/v1/chat/completions")
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip")
            .POST(BodyPublishers.ofByteArray(bytes.toByteArray()));
    return GATEWAY.send(request);
  }
}
