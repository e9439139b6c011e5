package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.ConnectProxy;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestAuthority;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: proxies on the way to a provider, and authorities of its own. */
class OutboundProxyIT {
  private static final String CREDENTIALS = "Proxy-Authorization: Basic Z2F0ZXdheTpzM2NyZXQ6QA==";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @AutoClose private static final ConnectProxy PROXY = proxy();
  private static final TestAuthority AUTHORITY = authority();
  @AutoClose private static final ConnectProxy TLS = tls();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("http_proxy", "http://user:env-s3cret@127.0.0.1:" + FakeUpstream.closedPort())
          .configured(
              config -> {
                String proxy = "http://gateway:s3cret%3A%40@127.0.0.1:" + PROXY.port();
                String authority = AUTHORITY.certificate().toString();
                provider(config, "unknown", tlsUrl());
                provider(config, "trusted", tlsUrl()).put("caCertificates", authority);
                provider(config, "tunnel", tlsUrl())
                    .put("caCertificates", authority)
                    .put("proxy", proxy);
                provider(config, "plain", UPSTREAM.url()).put("proxy", proxy);
                provider(config, "excepted", UPSTREAM.url())
                    .put("proxy", proxy)
                    .putArray("noProxy")
                    .add("127.0.*");
                String down = "http://127.0.0.1:" + FakeUpstream.closedPort();
                provider(config, "down", UPSTREAM.url()).put("proxy", down);
                provider(config, "downtunnel", tlsUrl()).put("proxy", down);
                provider(config, "nameless", tlsUrl()).put("proxy", "http://proxy.invalid:3128");
                provider(config, "environment", "http://models.invalid");
              });

  @BeforeEach
  void begin() throws Exception {
    PROXY.closeConnections();
    PROXY.takeHeads();
  }

  @AfterEach
  void nothingSecretIsShown() throws Exception {
    PROXY.refuse(null);
    assertThat(GATEWAY.log()).doesNotContain("s3cret");
  }

  @Test
  void anAuthorityIsTrustedByTheProviderThatNamesItAlone() throws Exception {
    assertThat(chat("trusted").statusCode()).isEqualTo(200);
    assertThat(message(chat("unknown"))).contains("'unknown'", "TLS failed");
  }

  @Test
  void aProviderWithTlsIsReachedByATunnel() throws Exception {
    assertThat(chat("tunnel").statusCode()).isEqualTo(200);

    List<String> heads = PROXY.takeHeads();
    assertThat(heads).hasSize(1);
    assertThat(heads.get(0)).startsWith("CONNECT 127.0.0.1:" + TLS.port()).contains(CREDENTIALS);
    assertNoCredentials(UPSTREAM.takeRequest());
  }

  @Test
  void aProviderWithoutTlsIsAskedByWholeUrls() throws Exception {
    assertThat(chat("plain").statusCode()).isEqualTo(200);

    assertThat(PROXY.takeHeads().get(0))
        .startsWith("POST " + UPSTREAM.url() + "/v1/chat/completions ")
        .contains(CREDENTIALS);
  }

  @Test
  void embeddingsAndPassedCallsGoTheSameWay() throws Exception {
    assertThat(
            GATEWAY
                .post("/v1/embeddings", "{\"model\":\"tunnel/model\",\"input\":\"a\"}")
                .statusCode())
        .isEqualTo(200);
    assertThat(
            GATEWAY
                .post("/v1/moderations", "{\"model\":\"tunnel/model\",\"input\":\"a\"}")
                .statusCode())
        .isLessThan(500);
    assertThat(PROXY.takeHeads()).isNotEmpty().allMatch(head -> head.startsWith("CONNECT"));
  }

  @Test
  void anExceptedHostIsAskedDirectly() throws Exception {
    assertThat(chat("excepted").statusCode()).isEqualTo(200);
    assertThat(PROXY.takeHeads()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tunnel", "plain"})
  void aProxyThatRefusesThePasswordIsNamed(String provider) throws Exception {
    PROXY.refuse("407 Proxy Authentication Required");

    assertThat(message(chat(provider)))
        .isEqualTo(
            "The provider '%s' could not be used: its proxy did not accept the gateway's user and password."
                .formatted(provider));
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void aProxyThatOpensNoTunnelIsNamed() throws Exception {
    PROXY.refuse("403 Forbidden");

    assertThat(message(chat("tunnel"))).endsWith(": its proxy refused to connect.");
  }

  @ParameterizedTest
  @CsvSource({
    "down, the connection to its proxy was refused",
    "downtunnel, the connection to its proxy was refused",
    "nameless, the name of its proxy was not found",
    "environment, the connection to its proxy was refused",
  })
  void aProxyThatIsNotThereIsNamed(String provider, String fault) throws Exception {
    assertThat(message(chat(provider))).endsWith(": " + fault + ".");
  }

  private static String message(HttpResponse<String> answer) throws Exception {
    return ErrorEnvelope.check(answer, 502, "upstream_error").get("message").asText();
  }

  private static void assertNoCredentials(RecordedRequest request) {
    assertThat(request.header("Proxy-Authorization")).isNull();
  }

  private static HttpResponse<String> chat(String provider) throws Exception {
    return GATEWAY.post(
        "/v1/chat/completions", "{\"model\":\"" + provider + "/model\",\"messages\":[]}");
  }

  private static ObjectNode provider(ObjectNode config, String name, String baseUrl) {
    ObjectNode provider = config.withObject("/providers").putObject(name);
    provider.put("baseUrl", baseUrl + "/v1").put("needsKey", false);
    provider.putArray("endpoints").add("chat").add("embeddings").add("moderations");
    return provider;
  }

  private static String tlsUrl() {
    return "https://127.0.0.1:" + TLS.port();
  }

  private static ConnectProxy proxy() {
    try {
      return ConnectProxy.start();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static TestAuthority authority() {
    try {
      Path folder = Files.createTempDirectory("authority");
      return new TestAuthority(folder);
    } catch (java.io.IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ConnectProxy tls() {
    try {
      return ConnectProxy.tls(AUTHORITY.sockets(), UPSTREAM.port());
    } catch (java.io.IOException | java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
