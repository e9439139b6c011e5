package io.memorygateway.http.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestAuthority;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Contract §9: TLS on the ports themselves. */
class TlsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @TempDir static Path folder;

  @Test
  void aRequestForANameThatTheCertificateLacksIsToldSo() throws Exception {
    TestAuthority authority = new TestAuthority(folder);
    TestGateway gateway =
        new TestGateway(DATABASE, UPSTREAM)
            .withoutKey()
            .configured(
                config -> {
                  authority.secure((ObjectNode) config.at("/server/applicationConnectors/0"));
                  authority.secure((ObjectNode) config.at("/server/adminConnectors/0"));
                });
    SSLSocketFactory sockets = trusting(authority.certificate());
    gateway.start();
    try {
      int application = gateway.port();
      int admin = URI.create(gateway.adminUrl()).getPort();

      assertThat(get(sockets, application, "/health-check", "127.0.0.1")).contains(" 200 OK");
      assertThat(get(sockets, admin, "/ping", "127.0.0.1")).contains(" 200 OK");
      assertThat(get(sockets, application, "/v1/models", "gateway.example"))
          .contains(" 400 ", "X-RateLimit-Limit", "none that the certificate of this port is for");
      assertThat(get(sockets, admin, "/ping", "gateway.example"))
          .contains(" 400 ", "none that the certificate of this port is for")
          .doesNotContain("X-RateLimit");

      assertThat(get(sockets, admin, "/healthcheck", "127.0.0.1"))
          .contains("\"certificates\":{\"healthy\":true", "server.adminConnectors[0] until 20");
      assertThat(get(sockets, admin, "/metrics", "127.0.0.1"))
          .contains(
              "memory_gateway_certificate_expiry_seconds{connector=\"server.adminConnectors[0]\"} ",
              "memory_gateway_certificate_expiry_seconds{connector=\"server.applicationConnectors[0]\"} ");
    } finally {
      gateway.stop();
    }
  }

  private static SSLSocketFactory trusting(Path certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(certificate)) {
      Certificate authority = CertificateFactory.getInstance("X.509").generateCertificate(in);
      trusted.setCertificateEntry("authority", authority);
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context.getSocketFactory();
  }

  private static String get(SSLSocketFactory sockets, int port, String path, String host)
      throws IOException {
    String request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    try (var socket = sockets.createSocket("127.0.0.1", port)) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
