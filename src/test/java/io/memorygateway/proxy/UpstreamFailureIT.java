package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.BlackHole;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §3 and §6: upstreams that fail before the client has seen a byte. */
class UpstreamFailureIT {
  /** Nobody asked for that, and nobody can read it. */
  private static final String COMPRESSED_STREAM =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: br\r\nContent-Length: 9\r\n\r\n(squeezed";

  private static final Map<String, Answer> BROKEN =
      Map.of(
          "garbage instead of HTTP", Answer.garbage(),
          "reset in the status line", Answer.resetInStatusLine(),
          "reset after the headers", Answer.resetAfterHeaders(),
          "reset in the body", Answer.resetInBody(),
          "closed in a chunk", Answer.closeInChunk(),
          "HTML with status 200", Answer.html(200),
          "half a JSON text", Answer.json("{\"id\":\"x\""),
          "a redirect", Answer.json(302, "{}"),
          "a compressed stream", Answer.rawThen(COMPRESSED_STREAM, Answer.close()),
          "half a gzip text", halfOfGzip());

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @AutoClose private static final BlackHole BLACK_HOLE = blackHole();

  /** Connections stand, and nobody serves them. */
  @AutoClose private static final ServerSocket MUTE = mute();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                provider(config, "hasty", UPSTREAM.url())
                    .put("firstByteTimeout", "2s")
                    .put("idleTimeout", "200ms");
                for (String name : List.of("resets", "closes", "nonsense", "squeezed")) {
                  provider(config, name, UPSTREAM.url());
                }
                provider(config, "plain", UPSTREAM.url().replace("http:", "https:"));
                provider(config, "nameless", "http://nowhere.invalid");
                provider(config, "gone", "http://127.0.0.1:" + FakeUpstream.closedPort());
                provider(config, "hole", "http://127.0.0.1:" + BLACK_HOLE.port())
                    .put("connectTimeout", "200ms");
                provider(config, "mute", "https://127.0.0.1:" + MUTE.getLocalPort())
                    .put("connectTimeout", "200ms")
                    .put("firstByteTimeout", "20s");
              });

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage instead of HTTP",
        "reset in the status line",
        "reset after the headers",
        "reset in the body",
        "closed in a chunk",
        "HTML with status 200",
        "half a JSON text",
        "a redirect",
        "a compressed stream",
        "half a gzip text"
      })
  void nonsenseIsA502AndNotTriedAgain(String name) throws Exception {
    UPSTREAM.enqueue(BROKEN.get(name));

    HttpResponse<String> answer = chat("gpt-5");

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body())
        .isIn(
            unusable("openai", "its answer was not usable"),
            unusable("openai", "its answer was compressed, unasked, in a way that cannot be read"),
            unusable("openai", "the connection was reset or closed"));
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "gone, the connection was refused",
    "nameless, its name was not found",
    "plain, TLS failed",
    "resets, the connection was reset or closed",
    "closes, the connection was reset or closed",
    "nonsense, its answer was not usable",
    "squeezed, 'its answer was compressed, unasked, in a way that cannot be read'",
  })
  void a502SaysWhichProviderItWasAndWhatFailed(String provider, String fault) throws Exception {
    Answer answers =
        switch (provider) {
          case "resets" -> Answer.reset();
          case "nonsense" -> Answer.html(200);
          case "squeezed" -> Answer.rawThen(COMPRESSED_STREAM, Answer.close());
          default -> Answer.close();
        };
    UPSTREAM.answerAlways(answers);

    HttpResponse<String> answer = chat(provider + "/model");

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).isEqualTo(unusable(provider, fault));
  }

  /** An answer whose head and length are right, and whose data end too early. */
  private static Answer halfOfGzip() {
    return exchange -> {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
        out.write("{\"id\":\"x\",\"choices\":[]}".getBytes(StandardCharsets.UTF_8));
      }
      int half = bytes.size() / 2;
      exchange
          .send(
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: "
                  + half
                  + "\r\n\r\n")
          .send(Arrays.copyOf(bytes.toByteArray(), half));
    };
  }

  private static String unusable(String provider, String fault) {
    return "{\"error\":{\"message\":\"The provider '%s' could not be used: %s.\",\"type\":\"upstream_error\"}}"
        .formatted(provider, fault);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConnectionClosedBeforeAByteIsTriedOnceMoreOnAnother(boolean byReset) throws Exception {
    UPSTREAM.enqueue(byReset ? Answer.reset() : Answer.close());

    HttpResponse<String> answer = chat("gpt-5");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.requests()).hasSize(2);
    assertThat(UPSTREAM.requests().get(0).connection())
        .isNotEqualTo(UPSTREAM.requests().get(1).connection());
    assertThat(UPSTREAM.requests().get(1).body()).isEqualTo(UPSTREAM.requests().get(0).body());
  }

  @Test
  void thereIsNoSecondRetry() throws Exception {
    UPSTREAM.enqueue(Answer.close(), Answer.close());

    assertThat(chat("gpt-5").statusCode()).isEqualTo(502);
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @Test
  void aKeptConnectionThatTheUpstreamClosedIsReplaced() throws Exception {
    assertThat(chat("gpt-5").statusCode()).isEqualTo(200);
    UPSTREAM.dropConnections();

    assertThat(chat("gpt-5").statusCode()).isEqualTo(200);
  }

  @Test
  void anUpstreamThatDoesNotAnswerInTimeIsA504AndNotTriedAgain() throws Exception {
    UPSTREAM.enqueue(Answer.hang());

    HttpResponse<String> answer = chat("hasty/model");

    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.body())
        .isEqualTo(
            "{\"error\":{\"message\":\"The provider 'hasty' did not answer in time: nothing was received.\",\"type\":\"upstream_timeout\"}}");
    UPSTREAM.takeRequest().clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void anUpstreamThatStopsInTheBodyIsA504() throws Exception {
    UPSTREAM.enqueue(
        Answer.rawThen(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
            Answer.hang()));

    assertThat(chat("hasty/model").statusCode()).isEqualTo(504);
  }

  /**
   * One that takes no connection, and one that sets no TLS up, as a load balancer whose process
   * hangs: the kernel goes on making connections for it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"hole", "mute"})
  void anUpstreamThatCannotBeConnectedToInTimeIsA504(String provider) throws Exception {
    HttpResponse<String> answer = chat(provider + "/model");

    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.body())
        .contains(
            "The provider '" + provider + "' did not answer in time: no connection was made.");
  }

  @Test
  void theGatewayServesOnAfterAllOfThis() throws Exception {
    for (Answer broken : BROKEN.values()) {
      UPSTREAM.enqueue(broken);
      assertThat(chat("gpt-5").statusCode()).isEqualTo(502);
    }
    assertThat(chat("gpt-5").statusCode()).isEqualTo(200);
  }

  private static HttpResponse<String> chat(String model) throws Exception {
    return GATEWAY.post("/v1/chat/completions", "{\"model\":\"" + model + "\",\"messages\":[]}");
  }

  private static com.fasterxml.jackson.databind.node.ObjectNode provider(
      com.fasterxml.jackson.databind.node.ObjectNode config, String name, String baseUrl) {
    var provider = config.withObject("/providers").putObject(name);
    provider.put("baseUrl", baseUrl + "/v1").put("needsKey", false);
    provider.putArray("endpoints").add("chat");
    return provider;
  }

  private static ServerSocket mute() {
    try {
      return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BlackHole blackHole() {
    try {
      return new BlackHole();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
