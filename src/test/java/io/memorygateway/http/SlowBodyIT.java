package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §3 for a body that stays away. On a gateway of its own: where connections are given up
 * so soon, a client that keeps one may send its next request just then.
 */
class SlowBodyIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config ->
                  ((ObjectNode) config.at("/server/applicationConnectors/0"))
                      .put("idleTimeout", "2s"));

  @Test
  void aBodyThatDoesNotArriveInTimeIs408() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: 500\r\n\r\n{\"model\":"
              .formatted(GATEWAY.key()));
      RawAnswer answer = RawAnswer.parse(client.readAnswer());
      ErrorEnvelope.check(answer, 408, "invalid_request_error");
      assertThat(answer.header("X-Request-Id")).isEqualTo("mine");
    }
    assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.requests()).isEmpty();
    assertThat(GATEWAY.errors()).isEmpty();
  }
}
