package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: a web page in an operator's browser gets nothing from the admin port. */
class AdminPortIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ((ObjectNode) config.at("/server/adminConnectors/0"))
                    .put("useForwardedHeaders", true);
                ((ObjectNode) config.get("admin")).putArray("allowedHosts").add("gateway.internal");
              });

  private static final String ISSUE = "POST /tasks/key-issue?project=pwned&name=evil";
  private static final String DRAIN = "POST /tasks/drain?state=show";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /",
        "GET /healthcheck",
        "GET /metrics",
        "GET /ping",
        "GET /threads",
        "GET /zebra",
        "POST /tasks/gc",
        ISSUE,
      })
  void aNameThatAnAttackerLetsPointHereIsRefused(String request) throws Exception {
    ErrorEnvelope.check(
        send(request, "Host: evil.example:" + port()), 403, "invalid_request_error");
    ErrorEnvelope.check(
        send(
            request,
            "Host: evil.example",
            "X-Forwarded-Host: localhost",
            "Forwarded: host=localhost"),
        403,
        "invalid_request_error");
    assertThat(keysOfPwned()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: https://evil.example",
        "Origin: null",
        "Origin: http://localhost:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: zebra",
      })
  void aRequestThatAPageOfAnotherSiteSendsIsRefused(String header) throws Exception {
    String host = "Host: localhost:" + port();
    for (String request : List.of(ISSUE, "GET /metrics", "GET /threads", "OPTIONS /tasks/gc")) {
      ErrorEnvelope.check(send(request, host, header), 403, "invalid_request_error");
    }
    // A form that is sent by a click is a navigation too.
    ErrorEnvelope.check(
        send(ISSUE, host, header, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
        403,
        "invalid_request_error");
    assertThat(keysOfPwned()).isZero();
    assertThat(metrics()).contains("memory_gateway_admin_refused_total{reason=\"site\"} ");
  }

  @ParameterizedTest
  @CsvSource({
    "GET /, Host: evil.example, 403",
    "GET /, Origin: https://evil.example, 403",
    "GET /zebra, X-A: b, 404",
    "POST /tasks/zebra, X-A: b, 404",
    "GET /tasks/gc, X-A: b, 405",
    "GET /%2e%2e/config.yml, X-A: b, 400",
    "GET /%zz, X-A: b, 400",
    "POST /tasks/gc, Content-Length: 100000000, 413",
  })
  void aRefusalTellsBrowsersToLoadNothingFromElsewhereToo(String request, String header, int status)
      throws Exception {
    RawAnswer answer =
        header.startsWith("Host:")
            ? send(request, header)
            : send(request, "Host: 127.0.0.1:" + port(), header);

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.headers())
        .anyMatch(line -> line.startsWith("Content-Security-Policy: default-src 'self'"))
        .contains("X-Content-Type-Options: nosniff", "X-Frame-Options: DENY");
  }

  @Test
  void aFrameOfAnotherSiteIsRefusedButALinkIsFollowed() throws Exception {
    String host = "Host: localhost:" + port();
    String[] link = {host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"};
    assertThat(send("GET /", link[0], link[1], link[2], "Sec-Fetch-Dest: iframe").status())
        .isEqualTo(403);
    assertThat(send("GET /", link[0], link[1], link[2], "Sec-Fetch-Dest: document").status())
        .isEqualTo(200);
  }

  @Test
  void thoseWhoMeanItAreServed() throws Exception {
    String local = "Host: 127.0.0.1:" + port();
    // curl and probes say nothing of where they come from; a tunnel has another port.
    assertThat(send(DRAIN, local).status()).isEqualTo(200);
    assertThat(send(DRAIN, "Host: localhost:9000").status()).isEqualTo(200);
    assertThat(send(DRAIN, "Host: gateway.internal:8081").status()).isEqualTo(200);
    assertThat(send("GET /healthcheck", local, "User-Agent: kube-probe/1.31").status())
        .isEqualTo(200);
    assertThat(send("GET /metrics", local, "Accept: text/plain;version=0.0.4").status())
        .isEqualTo(200);
    // A page of the admin port's own.
    assertThat(
            send(DRAIN, local, "Origin: http://127.0.0.1:" + port(), "Sec-Fetch-Site: same-origin")
                .status())
        .isEqualTo(200);
    // Typed into the address bar.
    assertThat(send("GET /metrics", local, "Sec-Fetch-Site: none").status()).isEqualTo(200);
    try (RawClient old = new RawClient(port())) {
      assertThat(old.send("GET /ping HTTP/1.0\r\n\r\n").readAll()).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void noPageKeepsAProcessorBusy() throws Exception {
    String host = "Host: localhost:" + port();
    ErrorEnvelope.check(send("GET /pprof?duration=600", host), 404, "not_found");
    assertThat(send("GET /", host).body()).doesNotContain("pprof");
  }

  /** Nobody would see that they were not read: the key would never end. */
  @ParameterizedTest
  @ValueSource(strings = {"application/json", "text/plain", "multipart/form-data; boundary=x"})
  void wordsOfATaskInABodyThatIsNoFormAreRefused(String type) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(GATEWAY.adminUrl() + "/tasks/key-issue?project=no-form&name=n"))
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofString("{\"expiresIn\":\"1d\"}"));

    ErrorEnvelope.check(GATEWAY.send(request), 415, "invalid_request_error");
    assertThat(GATEWAY.task("key-list?project=no-form")).isEmpty();
  }

  @Test
  void theBodyOfATaskIsBounded() throws Exception {
    ErrorEnvelope.check(
        send("POST /tasks/gc", "Host: localhost:" + port(), "Content-Length: 100000000"),
        413,
        "invalid_request_error");
  }

  private static int keysOfPwned() throws Exception {
    return GATEWAY.task("key-list?project=pwned").size();
  }

  private static String metrics() throws Exception {
    return send("GET /metrics", "Host: localhost:" + port()).body();
  }

  private static RawAnswer send(String request, String... headers) throws Exception {
    try (RawClient client = new RawClient(port())) {
      return RawAnswer.parse(
          client
              .send(
                  request
                      + " HTTP/1.1\r\n"
                      + String.join("\r\n", headers)
                      + "\r\nConnection: close\r\n\r\n")
              .readAll());
    }
  }

  private static int port() {
    return URI.create(GATEWAY.adminUrl()).getPort();
  }
}
