package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.Zstd;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What bodies in work may take of the heap. One body of 1.5 MB counts as 9 MB here; all may take 24
 * MiB, large ones 18, one key 12.
 */
@Tag("heavy")
class BodiesInWorkIT {
  private static final int LARGE = 1_500_000;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.put("maxRequestBody", "2MiB").put("maxBodiesInWork", "24MiB");
                var groups = config.withObject("/routes/r").putArray("groups");
                for (String name : List.of("one", "two")) {
                  groups.addArray().addObject().put("to", name + "/" + name);
                  config
                      .withObject("/providers/" + name)
                      .put("baseUrl", UPSTREAM.url() + "/" + name)
                      .put("needsKey", false)
                      .putArray("endpoints")
                      .add("chat");
                }
              });

  private static final String CHAT = "/v1/chat/completions";

  private static String call(int length) {
    String begin = "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"";
    return begin + "x".repeat(length - begin.length() - 4) + "\"}]}";
  }

  /** Sends all of a large body but its last byte, and waits until it is counted. */
  private static RawClient hold(String key, long heldThen) throws Exception {
    RawClient client = new RawClient(GATEWAY.port());
    client.send(
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(CHAT, key, LARGE, "x".repeat(LARGE - 1)));
    await().until(() -> held() == heldThen);
    return client;
  }

  private static long held() throws Exception {
    String metrics =
        GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))).body();
    String name = "memory_gateway_bodies_bytes{state=\"held\"} ";
    int at = metrics.indexOf(name) + name.length();
    return (long) Double.parseDouble(metrics.substring(at, metrics.indexOf('\n', at)));
  }

  @AfterEach
  void allIsGivenBack() {
    await().until(() -> held() == 0);
  }

  @Test
  void oneKeyCannotTakeAllAndSmallBodiesAlwaysPass() throws Exception {
    String other = GATEWAY.issueKey("other");
    try (RawClient first = hold(GATEWAY.key(), 6L * LARGE)) {
      try (RawClient client = new RawClient(GATEWAY.port())) {
        client.post(CHAT, GATEWAY.key(), call(LARGE));
        RawAnswer refused = RawAnswer.parse(client.readAnswer());
        ErrorEnvelope.check(refused, 503, "service_unavailable");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
      }
      assertThat(GATEWAY.post(CHAT, call(60_000)).statusCode()).isEqualTo(200);
      try (RawClient second = hold(other, 12L * LARGE)) {
        try (RawClient client = new RawClient(GATEWAY.port())) {
          client.post(CHAT, GATEWAY.issueKey("third"), call(LARGE));
          ErrorEnvelope.check(RawAnswer.parse(client.readAnswer()), 503, "service_unavailable");
        }
        assertThat(GATEWAY.post(CHAT, call(60_000)).statusCode()).isEqualTo(200);
        second.reset();
      }
      await().until(() -> held() == 6L * LARGE);
      first.reset();
    }
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  /** Contract §6: no stream that has begun has a silent end. */
  @Test
  void aTargetThatCannotBeToldForWantOfRoomIsAnErrorEventBehindComments() throws Exception {
    Semaphore gate = new Semaphore(1);
    List<String> events =
        List.of(": one\n\n", "data: {\"error\":{\"message\":\"overloaded\"}}\n\n");
    UPSTREAM.answer(request -> Answer.sse(events, gate));
    // Of each value a hundred bytes are reserved while the reasoning is looked for.
    String body =
        "{\"model\":\"r\",\"stream\":true,\"x\":[0%s],\"messages\":[{\"role\":\"assistant\",\"content\":\"a\","
                .formatted(",0".repeat(40_000))
            + "\"reasoning_content\":\"r\"},{\"role\":\"user\",\"content\":\"b\"}]}";
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, GATEWAY.key(), body);
      client.readUntil(": one");
      try (RawClient first = hold(GATEWAY.key(), held() + 6L * LARGE)) {
        gate.release();
        client.readUntil("\"type\":\"service_unavailable\"");
        first.reset();
      }
    }
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void bodiesOfUnknownLengthAreCountedAsTheyGrow() throws Exception {
    try (RawClient first = hold(GATEWAY.key(), 6L * LARGE)) {
      HttpRequest.Builder chunked =
          GATEWAY
              .request(CHAT)
              .header("Content-Type", "application/json")
              .POST(
                  BodyPublishers.ofInputStream(
                      () ->
                          new java.io.ByteArrayInputStream(
                              call(LARGE).getBytes(StandardCharsets.UTF_8))));
      ErrorEnvelope.check(GATEWAY.send(chunked), 503, "service_unavailable");
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
        out.write(call(LARGE).getBytes(StandardCharsets.UTF_8));
      }
      HttpRequest.Builder compressed =
          GATEWAY
              .request(CHAT)
              .header("Content-Type", "application/json")
              .header("Content-Encoding", "gzip")
              .POST(BodyPublishers.ofByteArray(bytes.toByteArray()));
      ErrorEnvelope.check(GATEWAY.send(compressed), 503, "service_unavailable");
      HttpRequest.Builder zstd =
          GATEWAY
              .request(CHAT)
              .header("Content-Type", "application/json")
              .header("Content-Encoding", "zstd")
              .POST(
                  BodyPublishers.ofByteArray(
                      Zstd.compress(call(LARGE).getBytes(StandardCharsets.UTF_8))));
      ErrorEnvelope.check(GATEWAY.send(zstd), 503, "service_unavailable");
      first.reset();
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void aWholeAnswerThatFindsNoRoomIs503AndNothingOfItIsStored() throws Exception {
    UPSTREAM.answerAlways(Answer.json("{\"choices\":[],\"x\":\"" + "x".repeat(5 << 20) + "\"}"));
    HttpResponse<String> refused =
        GATEWAY.send(
            GATEWAY
                .request(CHAT)
                .header("Content-Type", "application/json")
                .header("x-thread-id", "t")
                .header("x-resource-id", "r")
                .POST(BodyPublishers.ofString(call(100))));
    ErrorEnvelope.check(refused, 503, "service_unavailable");
    assertThat(GATEWAY.get("/v1/memory/threads/t/messages").body()).contains("\"messages\":[]");
    assertThat(GATEWAY.errors()).isEmpty();
  }

  @Test
  void aCallThatWaitsForItsUpstreamHoldsLess() throws Exception {
    UPSTREAM.answerAlways(Answer.hang());
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, GATEWAY.key(), call(LARGE));
      await().until(() -> UPSTREAM.requests().size() == 1);
      await().until(() -> held() > 0 && held() <= 3L * LARGE + 100);
      client.reset();
    }
  }

  @Test
  void aConnectionServesOnAfterARefusal() throws Exception {
    try (RawClient first = hold(GATEWAY.key(), 6L * LARGE);
        RawClient client = new RawClient(GATEWAY.port())) {
      for (int i = 0; i < 2; i++) {
        client.post(CHAT, GATEWAY.key(), call(LARGE));
        ErrorEnvelope.check(RawAnswer.parse(client.readAnswer()), 503, "service_unavailable");
        client.send(
            "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                .formatted(CHAT, GATEWAY.key(), LARGE, call(LARGE)));
        ErrorEnvelope.check(RawAnswer.parse(client.readAnswer()), 503, "service_unavailable");
        client.post(CHAT, GATEWAY.key(), call(100));
        assertThat(RawAnswer.parse(client.readAnswer()).status()).isEqualTo(200);
      }
      first.reset();
    }
  }

  @Test
  void aStreamThatFindsNoRoomIsPassedOnWholeAndMarked() throws Exception {
    // A key may hold 12 MiB, and a stream takes four times what it says.
    String piece = "x".repeat(1 << 16);
    List<String> events = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      events.add(
          "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + piece + "\"}}]}\n\n");
    }
    events.add("data: [DONE]\n\n");
    UPSTREAM.answerAlways(Answer.sse(events));
    HttpResponse<String> answer = stream("no-room");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).containsOnlyOnce(": X-Memory-Status: bypassed\ndata: ");
    assertThat(answer.body().replace(": X-Memory-Status: bypassed\n", ""))
        .isEqualTo(String.join("", events));
    assertThat(GATEWAY.get("/v1/memory/threads/no-room/messages").body())
        .contains("\"messages\":[]");

    UPSTREAM.answerAlways(Answer.sse(events.subList(56, 65)));
    assertThat(stream("room").body()).doesNotContain("bypassed");
    assertThat(GATEWAY.get("/v1/memory/threads/room/messages").body()).contains("\"total\":2");
  }

  private static HttpResponse<String> stream(String thread) throws Exception {
    return GATEWAY.send(
        GATEWAY
            .request(CHAT)
            .header("Content-Type", "application/json")
            .header("x-thread-id", thread)
            .header("x-resource-id", "r")
            .POST(
                BodyPublishers.ofString(
                    "{\"model\":\"gpt-5\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}")));
  }

  private static HttpResponse<String> turn(String thread) throws Exception {
    return GATEWAY.send(
        GATEWAY
            .request(CHAT)
            .header("Content-Type", "application/json")
            .header("x-thread-id", thread)
            .header("x-resource-id", "r")
            .POST(BodyPublishers.ofString(call(100))));
  }

  private static void store(String thread, String content) throws Exception {
    GATEWAY.post("/v1/memory/threads", "{\"id\":\"" + thread + "\",\"resourceId\":\"r\"}");
    assertThat(
            GATEWAY
                .post(
                    "/v1/memory/threads/" + thread + "/messages",
                    "{\"messages\":[{\"role\":\"user\",\"content\":" + content + "}]}")
                .statusCode())
        .isEqualTo(201);
  }

  @Test
  void aTurnOfALargeThreadWaitsForRoomAndIsRefusedBeforeTheUpstreamIsCalled() throws Exception {
    store("large", "\"" + "y".repeat(LARGE) + "\"");
    try (RawClient first = hold(GATEWAY.issueKey("first"), 6L * LARGE);
        RawClient second = hold(GATEWAY.issueKey("second"), 12L * LARGE)) {
      HttpResponse<String> refused = turn("large");
      ErrorEnvelope.check(refused, 503, "service_unavailable");
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(UPSTREAM.requests()).isEmpty();
      first.reset();
      second.reset();
    }
    assertThat(turn("large").statusCode()).isEqualTo(200);
  }

  @Test
  void anUpstreamBodyIsHeldWhileItsAnswerIsWaitedFor() throws Exception {
    store("held", "\"" + "y".repeat(LARGE) + "\"");
    // All of it goes upstream.
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads/held/observations/config")
            .header("Content-Type", "application/json")
            .method("PATCH", BodyPublishers.ofString("{\"messageTokens\":1000000}")));
    UPSTREAM.answerAlways(Answer.hang());
    try (RawClient client = new RawClient(GATEWAY.port())) {
      String body = call(100);
      client.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nx-thread-id: held\r\nx-resource-id: r\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(CHAT, GATEWAY.key(), body.length(), body));
      await().until(() -> UPSTREAM.requests().size() == 1);
      await().until(() -> held() > LARGE && held() < 2L * LARGE);
      client.reset();
    }
  }

  @Test
  void contentOfManyShortValuesIsHeldWithWhatItTakesWhenItIsParsed() throws Exception {
    // 300,000 values of 2 bytes: 30 MB once they are parsed, of which a key gets its share.
    store("dense", "[" + "0,".repeat(299_999) + "0]");
    assertThat(turn("dense").statusCode()).isEqualTo(200);
    HttpResponse<String> tooMany =
        GATEWAY.post(
            "/v1/memory/threads/dense/messages", "{\"messages\":[" + "0,".repeat(299_999) + "0]}");
    ErrorEnvelope.check(tooMany, 400, "invalid_request_error");
  }
}
