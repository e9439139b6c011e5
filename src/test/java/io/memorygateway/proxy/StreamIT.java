package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.FloodAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §6: streams arrive as they are sent, end when either side ends, and say so when broken.
 */
class StreamIT {
  private static final String CHAT = "/v1/chat/completions";
  private static final String STREAM = "{\"model\":\"gpt-5\",\"stream\":true}";
  private static final String HASTY = "{\"model\":\"hasty/m\",\"stream\":true}";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                var hasty = config.withObject("/providers").putObject("hasty");
                hasty.put("baseUrl", UPSTREAM.url() + "/v1").put("needsKey", false);
                hasty.put("idleTimeout", "200ms");
                hasty.putArray("endpoints").add("chat");
              });

  @Test
  void everyEventIsOnTheWireAsItArrives() throws Exception {
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sse(List.of(": hello\n\n", chunk("a"), "data: [DONE]\n\n"), gate));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, GATEWAY.key(), STREAM);
      assertThat(client.readUntil("\r\n\r\n"))
          .startsWith("HTTP/1.1 200 OK")
          .contains("Content-Type: text/event-stream; charset=utf-8\r\n");
      gate.release();
      client.readUntil(": hello\n\n");
      gate.release();
      client.readUntil(chunk("a"));
      gate.release();
      client.readUntil("data: [DONE]\n\n\r\n0\r\n\r\n");
    }
  }

  @Test
  void theBytesOfAStreamAreTheUpstreams() throws Exception {
    String all =
        "\uFEFFdata: {\"choices\":[{\"delta\":{\"content\":\"é🦊\"}}],\"n\":1.10}\r\n\r\n"
            + ": a comment\r\revent: x\ndata: one\ndata: two\n\n"
            + chunk("b")
            + "data: [DONE]\n\n";
    UPSTREAM.enqueue(Answer.sse(all.codePoints().mapToObj(Character::toString).toList()));

    assertThat(GATEWAY.post(CHAT, STREAM).body()).isEqualTo(all);
  }

  @Test
  void usageIsAskedForAndPassedOnAlsoWhenTheClientDoesNotAsk() throws Exception {
    HttpResponse<String> answer = GATEWAY.post(CHAT, STREAM);

    assertThat(UPSTREAM.takeRequest().json().at("/stream_options/include_usage").asBoolean())
        .isTrue();
    List<String> events = List.of(answer.body().split("\n\n"));
    assertThat(events.get(events.size() - 1)).isEqualTo("data: [DONE]");
    assertThat(events.get(events.size() - 2)).contains("\"usage\":{", "\"total_tokens\":");
  }

  @ParameterizedTest
  @ValueSource(strings = {"reset", "close", "close in a chunk"})
  void aChatStreamWhoseUpstreamDiesEndsWithAnErrorAndWithoutDone(String how) throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("a"), "data: {\"cho"), dying(how)));

    assertThat(GATEWAY.post(CHAT, STREAM).body())
        .isEqualTo(
            chunk("a")
                + "data: {\"error\":{\"message\":\"The upstream broke the stream off.\",\"type\":\"upstream_error\"}}\n\n");
  }

  @Test
  void aMessagesStreamWhoseUpstreamDiesEndsWithAnErrorEvent() throws Exception {
    String start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(start), Answer.reset()));

    assertThat(GATEWAY.post("/v1/messages", "{\"model\":\"claude-x\",\"stream\":true}").body())
        .isEqualTo(
            start
                + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"upstream_error\",\"message\":\"The upstream broke the stream off.\"}}\n\n");
  }

  @Test
  void aResponsesStreamWhoseUpstreamDiesEndsWithAnErrorEventInSequence() throws Exception {
    String created =
        "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":4}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(created), Answer.reset()));

    assertThat(GATEWAY.post("/v1/responses", STREAM).body())
        .isEqualTo(
            created
                + "event: error\ndata: {\"type\":\"error\",\"code\":\"upstream_error\",\"message\":\"The upstream broke the stream off.\",\"param\":null,\"sequence_number\":5}\n\n");
  }

  @Test
  void aStreamThatEndsInOrderButTooEarlyIsAnnounced() throws Exception {
    UPSTREAM.enqueue(Answer.sse(List.of(chunk("a"))));

    assertThat(GATEWAY.post(CHAT, STREAM).body())
        .isEqualTo(
            chunk("a")
                + "data: {\"error\":{\"message\":\"The upstream ended the stream too early.\",\"type\":\"upstream_error\"}}\n\n");
  }

  @Test
  void silenceInAStreamIsAnnouncedAsATimeout() throws Exception {
    // In one piece, so that the silence does not begin before the event.
    UPSTREAM.enqueue(
        Answer.rawThen(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n"
                .formatted(chunk("a").length(), chunk("a")),
            Answer.hang()));

    assertThat(GATEWAY.post(CHAT, HASTY).body())
        .startsWith(chunk("a") + "data: {\"error\":{")
        .contains("\"type\":\"upstream_timeout\"")
        .doesNotContain("[DONE]");
    UPSTREAM.takeRequest().clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void anErrorThatTheUpstreamReportsInTheStreamPassesAndNothingIsAdded() throws Exception {
    String error = "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("a"), error), Answer.reset()));

    assertThat(GATEWAY.post(CHAT, STREAM).body()).isEqualTo(chunk("a") + error);
  }

  @ParameterizedTest
  @CsvSource({
    "before the first byte, true, false",
    "before the first byte, false, false",
    "before the first byte, false, true",
    "in a silence, true, false",
    "in a silence, true, true",
  })
  void aClientThatLeavesCancelsTheUpstreamAtOnce(String when, boolean stream, boolean byReset)
      throws Exception {
    UPSTREAM.enqueue(
        when.equals("in a silence")
            ? Answer.sseThen(List.of(chunk("a")), Answer.hang())
            : Answer.hang());
    RawClient client = new RawClient(GATEWAY.port());
    client.post(CHAT, GATEWAY.key(), "{\"model\":\"gpt-5\",\"stream\":" + stream + "}");
    RecordedRequest request = UPSTREAM.takeRequest();
    if (when.equals("in a silence")) {
      client.readUntil(chunk("a"));
    }
    assertThat(request.clientLeft()).isNotDone();

    if (byReset) {
      client.reset();
    } else {
      client.close();
    }

    request.clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    await().untilAsserted(() -> assertThat(metric("memory_gateway_llm_live_streams")).isZero());
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, false"})
  void aClientThatClosesItsSendingHalfHasLeftAndIsNotToldThatItsAnswerEnded(
      boolean stream, boolean inTheMiddle) throws Exception {
    UPSTREAM.enqueue(
        inTheMiddle ? Answer.sseThen(List.of(chunk("a")), Answer.hang()) : Answer.hang());
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, GATEWAY.key(), "{\"model\":\"gpt-5\",\"stream\":" + stream + "}");
      RecordedRequest request = UPSTREAM.takeRequest();
      if (inTheMiddle) {
        client.readUntil(chunk("a"));
      }

      client.shutdownOutput();

      assertThat(readToEnd(client)).isEmpty();
      request.clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    await().untilAsserted(() -> assertThat(metric("memory_gateway_llm_live_streams")).isZero());
    assertThat(GATEWAY.stackTraces()).isEmpty();
  }

  /** What comes before the connection ends, in order or by reset. */
  private static String readToEnd(RawClient client) {
    try {
      return client.atEnd() ? "" : client.readAll();
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aSlowReaderStopsTheUpstreamInsteadOfFillingMemory() throws Exception {
    long events = 200_000;
    FloodAnswer flood = new FloodAnswer(chunk("x".repeat(1000)), events);
    UPSTREAM.enqueue(flood);
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, GATEWAY.key(), STREAM);
      client.readUntil("\r\n\r\n");
      AtomicLong before = new AtomicLong(-1);
      // It stands still when two looks, a while apart, see the same.
      await()
          .pollInterval(Duration.ofMillis(500))
          .until(() -> flood.written() > 0 && before.getAndSet(flood.written()) == flood.written());
      assertThat(flood.written()).isLessThan(events * 1000 / 4);
    }
  }

  @Test
  void aConnectionIsKeptForTheNextRequest() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      for (int i = 0; i < 50; i++) {
        client.post(CHAT, GATEWAY.key(), STREAM);
        client.readUntil("data: [DONE]\n\n\r\n0\r\n\r\n");
        client.post(CHAT, GATEWAY.key(), "{\"model\":\"gpt-5\"}");
        assertThat(client.readAnswer()).startsWith("HTTP/1.1 200");
      }
    }
  }

  @Test
  void aRequestSentTooEarlyIsNotAnsweredWithAnothersAnswer() throws Exception {
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(Answer.json("{\"id\":\"first\"}").after(gate));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, GATEWAY.key(), "{\"model\":\"gpt-5\"}");
      UPSTREAM.takeRequest();
      client.post(CHAT, GATEWAY.key(), "{\"model\":\"gpt-5\"}");
      gate.release();

      // The first is answered; the second is answered as well, or the connection ends.
      assertThat(client.readAnswer()).endsWith("{\"id\":\"first\"}");
      if (!client.atEnd()) {
        assertThat(client.readAnswer()).startsWith("HTTP/1.1 200");
      }
    }
  }

  private static Answer dying(String how) {
    return switch (how) {
      case "reset" -> Answer.reset();
      case "close" -> Answer.close();
      default -> Answer.rawThen("40\r\ndata:", Answer.close());
    };
  }

  private static double metric(String name) throws Exception {
    String all =
        GATEWAY
            .send(
                java.net.http.HttpRequest.newBuilder(
                    java.net.URI.create(GATEWAY.adminUrl() + "/metrics")))
            .body();
    return all.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  private static String chunk(String text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
  }
}
