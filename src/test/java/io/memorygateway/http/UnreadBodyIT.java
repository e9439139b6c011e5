package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are refused before their body is read. */
class UnreadBodyIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> ((ObjectNode) config.get("slowRequests")).put("bodyGrace", "2s"));

  private static final String BODY = "{\"model\":\"gpt-5\"}";
  private static final String PIECE = "x".repeat(1 << 20);

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/messages", "/v1/memory/threads"})
  void aRefusalDoesNotWaitForTheBodyAndTheConnectionServesOn(String path) throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      for (int i = 0; i < 3; i++) {
        check(client.send(head(path, "Content-Length: " + BODY.length())), 401);
        client.send(BODY);
      }
      check(client.send(head(path, "Content-Length: " + BODY.length()) + BODY), 401);
    }
  }

  /** Most clients read the answer when they have sent everything. */
  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/messages", "/v1/memory/threads"})
  void aClientThatSendsALargeBodyFirstGetsItsAnswer(String path) throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(head(path, "Content-Length: " + 40 * PIECE.length()));
      for (int i = 0; i < 40; i++) {
        client.send(PIECE);
      }
      check(client, 413);
    }
    try (RawClient client = new RawClient(GATEWAY.port())) {
      String key = "Authorization: Bearer " + GATEWAY.key();
      client.send(head(path, key, "Transfer-Encoding: chunked"));
      for (int i = 0; i < 40; i++) {
        client.send("%x\r\n".formatted(PIECE.length()) + PIECE + "\r\n");
      }
      check(client.send("0\r\n\r\n"), 413);
    }
  }

  @Test
  void aBodyThatNeverArrivesEndsTheConnection() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      check(client.send(head("/v1/chat/completions", "Content-Length: 99999") + BODY), 401);
      assertThat(client.atEnd()).isTrue();
    }
  }

  private static void check(RawClient client, int status) throws IOException {
    ErrorEnvelope.check(
        RawAnswer.parse(client.readAnswer()),
        status,
        status == 401 ? "authentication_error" : "invalid_request_error");
  }

  private static String head(String path, String... headers) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n\r\n"
        .formatted(path, String.join("\r\n", headers));
  }
}
