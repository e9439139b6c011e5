package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that send so slowly that only a hang would be slower: the connector's own time limit is
 * an hour here.
 */
class SlowRequestsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final int THREADS = 24;

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ((ObjectNode) config.get("server")).put("maxThreads", THREADS);
                ((ObjectNode) config.at("/server/applicationConnectors/0"))
                    .put("idleTimeout", "1h");
                ((ObjectNode) config.get("slowRequests"))
                    .put("headTimeout", "1s")
                    .put("bodyGrace", "1s")
                    .put("minBodyRate", "1MiB");
              });

  @Test
  void slowBodiesAreGivenUpOrRefusedBeyondTheShareOfTheirKeyAndOthersAreServed() throws Exception {
    String another = GATEWAY.issueKey("another");
    List<RawClient> slow = new ArrayList<>();
    List<Integer> statuses = new ArrayList<>();
    try {
      for (int i = 0; i < THREADS + 16; i++) {
        slow.add(new RawClient(GATEWAY.port()).send(head("/v1/memory/threads", 500) + "{"));
      }
      try (RawClient other = new RawClient(GATEWAY.port())) {
        String get = head("/v1/models", 0).replace("POST", "GET");
        assertThat(other.send(get.replace(GATEWAY.key(), another)).readAnswer())
            .startsWith("HTTP/1.1 200");
      }
      for (RawClient client : slow) {
        RawAnswer answer = RawAnswer.parse(client.readAnswer());
        statuses.add(answer.status());
        ErrorEnvelope.check(
            answer,
            answer.status(),
            answer.status() == 503 ? "service_unavailable" : "invalid_request_error");
        assertThat(client.atEnd()).isTrue();
      }
    } finally {
      for (RawClient client : slow) {
        client.close();
      }
    }
    // Six threads are kept back, and of the others a key holds half.
    assertThat(statuses)
        .containsOnly(408, 503)
        .filteredOn(status -> status == 408)
        .hasSizeGreaterThan(8);
    assertThat(GATEWAY.errors()).isEmpty();
  }

  /** The time does not begin anew with every byte. */
  @Test
  void aByteNowAndThenDoesNotHelp() throws Exception {
    ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
    for (String path : List.of("/v1/chat/completions", "/v1/memory/threads")) {
      try (RawClient client = new RawClient(GATEWAY.port())) {
        client.send(head(path, 1_000_000));
        var bytes =
            drip.scheduleWithFixedDelay(() -> send(client, " "), 0, 100, TimeUnit.MILLISECONDS);
        RawAnswer answer = RawAnswer.parse(client.readAnswer());
        bytes.cancel(false);
        ErrorEnvelope.check(answer, 408, "invalid_request_error");
        assertThat(answer.header("Connection")).isEqualTo("close");
      }
    }
    drip.shutdownNow();
    assertThat(UPSTREAM.requests()).isEmpty();
    assertThat(
            GATEWAY
                .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
                .body())
        .contains("memory_gateway_slow_requests_total{part=\"body\"} ");
  }

  @Test
  void soIsABodyOnTheAdminPort() throws Exception {
    try (RawClient client = new RawClient(URI.create(GATEWAY.adminUrl()).getPort())) {
      client.send(
          "POST /tasks/key-list HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\nproject=");
      ErrorEnvelope.check(RawAnswer.parse(client.readAnswer()), 408, "invalid_request_error");
    }
  }

  @Test
  void theConnectionOfAHeadThatNeverEndsIsClosed() throws Exception {
    ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
    try (RawClient slow = new RawClient(GATEWAY.port());
        RawClient idle = new RawClient(GATEWAY.port());
        RawClient between = new RawClient(GATEWAY.port())) {
      String request = head("/v1/models", 0).replace("POST", "GET");
      assertThat(between.send(request).readAnswer()).startsWith("HTTP/1.1 200");
      slow.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      var unused =
          drip.scheduleWithFixedDelay(() -> send(slow, "x"), 0, 100, TimeUnit.MILLISECONDS);

      await()
          .until(() -> metrics().contains("memory_gateway_slow_requests_total{part=\"head\"} 1"));

      // Those that have sent nothing yet, or not again, are none of them.
      assertThat(idle.send(request).readAnswer()).startsWith("HTTP/1.1 200");
      assertThat(between.send(request).readAnswer()).startsWith("HTTP/1.1 200");
    } finally {
      drip.shutdownNow();
    }
  }

  private static String metrics() throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))).body();
  }

  private static void send(RawClient client, String text) {
    try {
      client.send(text);
    } catch (IOException e) {
      // It has been given up.
    }
  }

  private static String head(String path, int length) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(path, GATEWAY.key(), length);
  }
}
