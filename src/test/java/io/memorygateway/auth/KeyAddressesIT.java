package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §15: nobody but a trusted proxy says where a request comes from. */
class KeyAddressesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.putArray("trustedProxies").add("10.0.0.0/8");
                ((ObjectNode) config.at("/server/applicationConnectors/0"))
                    .put("useForwardedHeaders", true);
              });

  @Test
  void whatAStrangerForwardsIsIgnoredWhateverTheConnectorMakesOfIt() throws Exception {
    JsonNode key = GATEWAY.task("key-issue?project=addresses&name=it");

    GATEWAY.task("key-scope?id=" + key.path("id").asText() + "&addresses=198.51.100.0/24");
    ErrorEnvelope.check(models(key), 403, "permission_error");
    GATEWAY.task("key-scope?id=" + key.path("id").asText() + "&addresses=127.0.0.1");
    assertThat(models(key).statusCode()).isEqualTo(200);
  }

  private static HttpResponse<String> models(JsonNode key) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/models"))
            .header("Authorization", "Bearer " + key.path("key").asText())
            .header("X-Forwarded-For", "198.51.100.7")
            .header("Forwarded", "for=198.51.100.7"));
  }
}
