package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.AuthConfiguration;
import io.memorygateway.http.api.CrossOriginConfiguration;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: {@code cors.allowedOrigins}. */
class CrossOriginIT {
  private static final String ORIGIN = "https://app.example.com";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config ->
                  config
                      .putObject("cors")
                      .putArray("allowedOrigins")
                      .add(ORIGIN)
                      .add("http://localhost:3000"));

  @RegisterExtension static final TestGateway CLOSED = new TestGateway(DATABASE, UPSTREAM);

  @RegisterExtension
  static final TestGateway OPEN =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.putObject("cors").putArray("allowedOrigins").add("*"));

  @ParameterizedTest
  @ValueSource(strings = {ORIGIN, "http://localhost:3000"})
  void aPreflightIsAnsweredWithoutAKey(String origin) throws Exception {
    RawAnswer answer = preflight(GATEWAY, origin);

    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.header("Access-Control-Allow-Origin")).isEqualTo(origin);
    assertThat(answer.header("Access-Control-Allow-Headers"))
        .isEqualTo("authorization,content-type,x-thread-id");
    assertThat(answer.header("Access-Control-Allow-Methods")).contains("POST", "PATCH", "DELETE");
    assertThat(answer.header("Access-Control-Max-Age")).isNotNull();
    assertThat(answer.header("Access-Control-Allow-Credentials")).isNull();
    assertThat(answer.header("X-Request-Id")).isNotNull();
    assertThat(answer.header("X-RateLimit-Limit")).isNotNull();
    assertThat(String.join("\n", answer.headers())).contains("Vary: Origin");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example.com",
        "https://app.example.com.evil.example",
        "http://app.example.com",
        "https://app.example.com:8443",
        "null",
      })
  void anotherOriginsPreflightIsTakenForAnyRequest(String origin) throws Exception {
    RawAnswer answer = preflight(GATEWAY, origin);

    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.header("Access-Control-Allow-Origin")).isNull();
    assertThat(String.join("\n", answer.headers())).contains("Vary: Origin");
  }

  @Test
  void answersAndErrorsAlikeMayBeRead() throws Exception {
    List<String> requests =
        List.of(
            "GET /v1/models HTTP/1.1\r\nAuthorization: Bearer " + GATEWAY.key() + "\r\n",
            "GET /v1/models HTTP/1.1\r\n",
            "GET /v1/nothing HTTP/1.1\r\nAuthorization: Bearer " + GATEWAY.key() + "\r\n",
            "GET /v1/models HTTP/1.1\r\nX-Large: " + "x".repeat(20_000) + "\r\n",
            "POST /v1/memory/threads HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n");
    List<Integer> statuses = List.of(200, 401, 404, 431, 501);
    for (int i = 0; i < requests.size(); i++) {
      RawAnswer answer = send(GATEWAY, requests.get(i) + "Origin: " + ORIGIN + "\r\n");

      assertThat(answer.status()).as(answer.toString()).isEqualTo(statuses.get(i));
      // What stands behind a header that is too large has not been read.
      boolean read = answer.status() != 431;
      assertThat(answer.header("Access-Control-Allow-Origin")).isEqualTo(read ? ORIGIN : null);
      if (read) {
        assertThat(answer.header("Access-Control-Expose-Headers").split(", "))
            .contains("X-RateLimit-Remaining", "Retry-After", "X-Memory-Status", "*")
            .containsAll(names(ResponseHeader.values()));
      }
      for (ResponseHeader header : ResponseHeader.Group.EVERY_RESPONSE.headers()) {
        assertThat(answer.header(header.headerName())).as(header + " of " + answer).isNotEmpty();
      }
      assertThat(answer.header("Access-Control-Allow-Credentials")).isNull();
    }
  }

  @Test
  void withoutConfigurationThereIsNoneOfIt() throws Exception {
    RawAnswer answer = preflight(CLOSED, ORIGIN);

    assertThat(answer.status()).isEqualTo(401);
    assertThat(String.join("\n", answer.headers())).doesNotContain("Access-Control-", "Origin");
  }

  @Test
  void preflightsOfOtherOriginsAreNoFailedAuthentications() throws Exception {
    for (int i = 0; i < AuthConfiguration.defaults().failuresPerMinute(); i++) {
      preflight(CLOSED, ORIGIN);
    }
    assertThat(send(CLOSED, "GET /v1/models HTTP/1.1\r\n").status()).isEqualTo(401);
  }

  @Test
  void aStarIsEverybodyAndNeverWithCredentials() throws Exception {
    RawAnswer answer = preflight(OPEN, "https://anybody.example");

    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.header("Access-Control-Allow-Origin")).isEqualTo("*");
    assertThat(answer.header("Access-Control-Allow-Credentials")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "app.example.com",
        "https://app.example.com/",
        "https://*.example.com",
        "https://App.example.com",
        "https://app.example.com:443",
        "null",
        "",
      })
  void whatBrowsersNeverSendAsAnOriginIsRefusedAtTheStart(String origin) {
    assertThatThrownBy(() -> CrossOriginConfiguration.read(List.of(origin)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowedOrigins");
  }

  private static RawAnswer preflight(TestGateway gateway, String origin) throws Exception {
    return send(
        gateway,
        "OPTIONS /v1/chat/completions HTTP/1.1\r\nOrigin: "
            + origin
            + "\r\n"
            + "Access-Control-Request-Method: POST\r\n"
            + "Access-Control-Request-Headers: authorization,content-type,x-thread-id\r\n");
  }

  private static RawAnswer send(TestGateway gateway, String lines) throws Exception {
    try (RawClient client = new RawClient(gateway.port())) {
      client.send(lines + "Host: localhost\r\nConnection: close\r\n\r\n");
      return RawAnswer.parse(client.readAll());
    }
  }

  private static List<String> names(ResponseHeader[] headers) {
    return Arrays.stream(headers).map(ResponseHeader::headerName).toList();
  }
}
