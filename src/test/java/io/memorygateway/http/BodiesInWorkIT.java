package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What bodies in work may take of the heap. One body of 1.5 MB counts as 9 MB here; all may take 24
 * MiB, large ones 18, one key 12.
 */
class BodiesInWorkIT {
  private static final int LARGE = 1_500_000;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> config.put("maxRequestBody", "2MiB").put("maxBodiesInWork", "24MiB"));

  private static final String CHAT = "/v1/chat/completions";

  private static String call(int length) {
    String begin = "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"";
    return begin + "x".repeat(length - begin.length() - 4) + "\"}]}";
  }

  /** Sends the head of a large body and some of it, and waits until it is counted. */
  private static RawClient hold(String key, long heldThen) throws Exception {
    RawClient client = new RawClient(GATEWAY.port());
    client.send(
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{"
            .formatted(CHAT, key, LARGE));
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
    assertThat(GATEWAY.log()).doesNotContain("ERROR");
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
}
