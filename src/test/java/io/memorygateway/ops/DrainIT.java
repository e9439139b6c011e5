package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.GatewayProcess;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A node that is told to end loses no request and cuts no stream. */
@Tag("heavy")
class DrainIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final String READY = "/health-check?type=ready";
  private static final String ALIVE = "/health-check?type=alive";
  private static final String STREAM = "{\"model\":\"gpt-5\",\"stream\":true}";
  private static final List<String> EVENTS =
      List.of(
          "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
          "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n",
          "data: [DONE]\n\n");

  @TempDir Path folder;

  @Test
  void termTurnsReadinessOffServesOnClosesThePortAndLetsStreamsEnd() throws Exception {
    Semaphore gate = new Semaphore(1);
    UPSTREAM.enqueue(Answer.sse(EVENTS, gate));
    // Long enough for all that is looked at before the port closes.
    try (GatewayProcess gateway = start(Map.of("SHUTDOWN_DELAY", "8s"))) {
      String key = gateway.issueKey();
      try (RawClient stream = new RawClient(gateway.port());
          RawClient idle = new RawClient(gateway.port())) {
        stream.post("/v1/chat/completions", key, STREAM);
        stream.readUntil("\"a\"}}]}\n\n");
        models(idle, key);
        assertThat(idle.readAnswer()).startsWith("HTTP/1.1 200").doesNotContain("close");
        await().until(() -> gateway.status(READY) == 200);

        gateway.terminate();

        await().until(() -> gateway.status(READY) == 503);
        assertThat(gateway.status(ALIVE)).isEqualTo(200);
        assertThat(gateway.adminStatus("/healthcheck")).isEqualTo(500);
        try (RawClient late = new RawClient(gateway.port())) {
          models(late, key);
          assertThat(late.readAll()).startsWith("HTTP/1.1 200").contains("Connection: close");
        }
        await().until(() -> gateway.status(ALIVE) == 0);
        assertThat(idle.atEnd()).isTrue();
        // Longer than Jetty would let a connection be silent while it stops.
        await().during(Duration.ofSeconds(2)).until(gateway::isAlive);
        gate.release(2);
        assertThat(stream.readUntil("data: [DONE]\n\n")).contains("\"b\"");
      }
      assertThat(gateway.awaitEnd()).isEqualTo(143);
      assertThat(log()).contains("all calls have ended").doesNotContain("Idle timeout");
      // Written when the stream was over, that is, while the server was stopping.
      assertThat(text("SELECT COUNT(*) FROM request_log WHERE stream AND status = 200"))
          .isEqualTo("1");
    }
  }

  @Test
  void withNothingToWaitForItEndsAtOnce() throws Exception {
    try (GatewayProcess gateway = start(Map.of("SHUTDOWN_DELAY", "0s"));
        RawClient idle = new RawClient(gateway.port())) {
      models(idle, gateway.issueKey());
      idle.readAnswer();

      gateway.terminate();

      assertThat(gateway.awaitEnd()).isEqualTo(143);
      assertThat(log()).contains("all calls have ended");
    }
  }

  @Test
  void aStreamThatDoesNotEndIsToldSoWhenTheGracePeriodIsOverAndWhatItSaidIsRemembered()
      throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(EVENTS.subList(0, 1), Answer.hang()));
    try (GatewayProcess gateway = start(Map.of("SHUTDOWN_DELAY", "0s", "SHUTDOWN_GRACE", "2s"));
        RawClient stream = new RawClient(gateway.port())) {
      String body =
          "{\"model\":\"gpt-5\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
      stream.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-api-key: %s\r\nx-thread-id: cut\r\nx-resource-id: r\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(gateway.issueKey(), body.length(), body));
      stream.readUntil("\"a\"}}]}\n\n");

      gateway.terminate();

      assertThat(stream.readAll())
          .contains("data: {\"error\":{")
          .contains("\"type\":\"service_unavailable\"")
          .endsWith("\r\n0\r\n\r\n")
          .doesNotContain("[DONE]");
      assertThat(gateway.awaitEnd()).isEqualTo(143);
      assertThat(log()).contains("1 connections are cut");
    }
    assertThat(
            text(
                "SELECT GROUP_CONCAT(CONCAT(role, ' ', incomplete) ORDER BY seq) FROM messages m JOIN threads t ON t.id = m.thread_id WHERE t.public_id = 'cut'"))
        .isEqualTo("user 1,assistant 1");
  }

  @Test
  void aCallThatHasNoAnswerYetIs503WhenTheGracePeriodIsOver() throws Exception {
    UPSTREAM.enqueue(Answer.hang());
    try (GatewayProcess gateway = start(Map.of("SHUTDOWN_DELAY", "0s", "SHUTDOWN_GRACE", "1s"));
        RawClient client = new RawClient(gateway.port())) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-api-key: %s\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"model\":\"gpt-5\"}"
              .formatted(gateway.issueKey()));
      UPSTREAM.takeRequest();

      gateway.terminate();

      RawAnswer answer = RawAnswer.parse(client.readAll());
      ErrorEnvelope.check(answer, 503, "service_unavailable");
      assertThat(answer.header("Retry-After")).isEqualTo("1");
      assertThat(gateway.awaitEnd()).isEqualTo(143);
    }
  }

  @Test
  void theTaskTakesANodeOutAndBringsItBack() throws Exception {
    TestGateway gateway =
        new TestGateway(DATABASE, UPSTREAM)
            .configured(config -> config.putObject("cors").putArray("allowedOrigins").add("*"));
    gateway.start();
    try {
      assertThat(gateway.task("drain?state=show").path("draining").asBoolean(true)).isFalse();
      Map<String, List<String>> before = probe(gateway).headers().map();

      assertThat(gateway.task("drain").path("draining").asBoolean()).isTrue();

      HttpResponse<String> draining = probe(gateway);
      assertThat(draining.statusCode()).isEqualTo(503);
      assertThat(draining.body()).contains("draining");
      assertThat(draining.headers().map().keySet())
          .contains("x-request-id", "x-ratelimit-limit", "access-control-allow-origin")
          .containsAll(before.keySet());
      assertThat(gateway.get(ALIVE).statusCode()).isEqualTo(200);
      try (RawClient client = new RawClient(gateway.port())) {
        models(client, gateway.key());
        assertThat(client.readAll()).startsWith("HTTP/1.1 200");
      }
      assertThat(gateway.task("drain?state=off").path("draining").asBoolean(true)).isFalse();
      await().until(() -> gateway.get(READY).statusCode() == 200);
      HttpRequest.Builder wrong =
          HttpRequest.newBuilder(URI.create(gateway.adminUrl() + "/tasks/drain?state=half"))
              .POST(HttpRequest.BodyPublishers.noBody());
      ErrorEnvelope.check(gateway.send(wrong), 400, "invalid_request_error");
    } finally {
      gateway.stop();
    }
  }

  private static HttpResponse<String> probe(TestGateway gateway) throws Exception {
    return gateway.send(
        HttpRequest.newBuilder(URI.create(gateway.url() + READY)).header("Origin", "https://a.b"));
  }

  private GatewayProcess start(Map<String, String> environment) throws Exception {
    return GatewayProcess.start(DATABASE, UPSTREAM, environment, folder.resolve("log"));
  }

  private String log() throws Exception {
    return Files.readString(folder.resolve("log"));
  }

  private static void models(RawClient client, String key) throws Exception {
    client.send("GET /v1/models HTTP/1.1\r\nHost: a\r\nx-api-key: " + key + "\r\n\r\n");
  }

  private static String text(String sql) throws Exception {
    try (Connection connection = DATABASE.connect();
        ResultSet row = connection.createStatement().executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
