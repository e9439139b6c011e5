package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §2: who is let in, by which header. */
class AuthenticationIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static final String UNKNOWN = "msk_00000000000000000000000000000000";

  /** {@code KEY} stands for a valid key, {@code BAD} for an unknown one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Bearer KEY",
        "authorization: bearer KEY",
        "AUTHORIZATION: BEARER  KEY",
        "x-api-key: KEY",
        "api-key: KEY",
        "X-Memory-Gateway-Authorization: Bearer KEY",
        // The first header that carries a gateway key decides.
        "X-Memory-Gateway-Authorization: Bearer KEY | Authorization: Bearer BAD | x-api-key: BAD",
        "Authorization: Bearer KEY | x-api-key: BAD",
        // One that carries something else is passed over.
        "X-Memory-Gateway-Authorization: Bearer sk-other | Authorization: Bearer KEY",
        "X-Memory-Gateway-Authorization: KEY | Authorization: Bearer KEY",
        "Authorization: Basic dXNlcjpwYXNz | x-api-key: KEY",
        "Authorization: Bearer sk-provider | x-api-key: KEY",
      })
  void aValidKeyIsLetIn(String headers) throws Exception {
    assertThat(send(with("/v1/models", headers)).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Bearer BAD",
        "x-api-key: BAD",
        "X-Memory-Gateway-Authorization: Bearer BAD",
        // A later valid key does not mend an earlier bad one.
        "X-Memory-Gateway-Authorization: Bearer BAD | Authorization: Bearer KEY",
        "X-Memory-Gateway-Authorization: Bearer BAD | x-api-key: KEY",
        "Authorization: Bearer BAD | x-api-key: KEY",
        "Authorization: Bearer msk_ | x-api-key: KEY",
        "Authorization: Bearer KEYa",
        "Authorization: Bearer KEY KEY",
        "Authorization: Bearer msk_0123456789ABCDEF0123456789ABCDEF",
        "Authorization: Bearer msk_zebra",
        "x-api-key: msk_",
      })
  void aKeyThatIsNotGoodIsRefusedWithOneMessageForAll(String headers) throws Exception {
    assertThat(refused(with("/v1/models", headers))).isEqualTo("The API key is not valid.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Other: 1",
        "Authorization: KEY",
        "Authorization: Basic KEY",
        "Authorization: Bearer ",
        "Cookie: key=KEY",
      })
  void aRequestWithoutAKeyIsRefused(String headers) throws Exception {
    assertThat(refused(with("/v1/models?api_key=KEY&access_token=KEY", headers)))
        .startsWith("An API key is required");
  }

  @Test
  void whoSendsTheKeyAsGooglesClientsDoIsToldSo() throws Exception {
    assertThat(refused(with("/v1/models", "x-goog-api-key: KEY")))
        .contains("x-goog-api-key", "msk_...")
        .doesNotContain(GATEWAY.key());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Bearer sk-zebra",
        "x-api-key: sk-ant-zebra",
        "x-goog-api-key: AIzaZebra",
        "X-Memory-Gateway-Authorization: Bearer sk-zebra",
      })
  void whoSendsAProvidersKeyIsToldWhichKeyIsWanted(String headers) throws Exception {
    assertThat(refused(with("/v1/models", headers)))
        .contains("provider's key", "msk_...")
        .doesNotContainIgnoringCase("zebra");
  }

  @Test
  void whoSendsAnotherKindOfKeyIsToldWhichKeyIsWanted() throws Exception {
    assertThat(refused(with("/v1/models", "Authorization: Bearer zebra")))
        .startsWith("None of the request's keys is a gateway key")
        .doesNotContain("zebra");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD"})
  void whoLooksWhetherAnythingAnswersNeedsNoKeyAndIsNoFailure(String method) throws Exception {
    for (int i = 0; i < 150; i++) {
      HttpRequest.Builder look = HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/"));
      assertThat(send(look.method(method, BodyPublishers.noBody())).statusCode()).isEqualTo(200);
    }
    assertThat(send(HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/models"))).statusCode())
        .isEqualTo(401);
  }

  @Test
  void revokedAndExpiredKeysAreAsUnknownOnes() throws Exception {
    JsonNode revoked = GATEWAY.task("key-issue?project=test&name=revoked");
    String header = "Authorization: Bearer " + revoked.path("key").asText();
    assertThat(send(with("/v1/models", header)).statusCode()).isEqualTo(200);
    GATEWAY.task("key-revoke?id=" + revoked.path("id").asText());
    assertThat(refused(with("/v1/models", header))).isEqualTo("The API key is not valid.");

    JsonNode brief = GATEWAY.task("key-issue?project=test&name=brief&expiresIn=1s");
    String briefHeader = "x-api-key: " + brief.path("key").asText();
    await().until(() -> send(with("/v1/models", briefHeader)).statusCode() == 401);
    assertThat(refused(with("/v1/models", briefHeader))).isEqualTo("The API key is not valid.");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /zebra, 404",
    "POST, /zebra, 404",
    "POST, /, 405",
    "DELETE, /v1/models, 405",
    "GET, /v1/chat/completions, 405",
    "GET, /v1/memory/zebra, 404"
  })
  void whatIsThereIsToldToKnownCallersOnly(String method, String path, int status)
      throws Exception {
    HttpRequest.Builder anonymous = HttpRequest.newBuilder(URI.create(GATEWAY.url() + path));
    ErrorEnvelope.check(
        send(anonymous.method(method, BodyPublishers.noBody())), 401, "authentication_error");
    HttpRequest.Builder known = GATEWAY.request(path).method(method, BodyPublishers.noBody());
    assertThat(send(known).statusCode()).isEqualTo(status);
  }

  @Test
  void aKeyInOtherLettersIsAnotherOneOnTheSameConnectionToo() throws Exception {
    String key = GATEWAY.key();
    String other = "msk_" + key.substring(4).toUpperCase(Locale.ROOT);
    for (List<String> keys : List.of(List.of(key, other), List.of(other, key))) {
      try (RawClient client = new RawClient(GATEWAY.port())) {
        for (String sent : keys) {
          client.send(
              "GET /v1/memory/threads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                  + sent
                  + "\r\n\r\n");
          assertThat(client.readAnswer())
              .startsWith(sent.equals(key) ? "HTTP/1.1 200" : "HTTP/1.1 401");
        }
      }
    }
  }

  @Test
  void aProxiedCallNeedsAKeyBeforeItsBodyIsLookedAt() throws Exception {
    HttpRequest.Builder anonymous =
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"));
    HttpResponse<String> answer = send(anonymous.POST(BodyPublishers.ofString("{zebra")));

    ErrorEnvelope.check(answer, 401, "authentication_error");
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  private static HttpRequest.Builder with(String path, String headers) {
    return with(HttpRequest.newBuilder(URI.create(GATEWAY.url() + keys(path))), headers);
  }

  static HttpRequest.Builder with(HttpRequest.Builder request, String headers) {
    for (String header : headers.split(" \\| ", -1)) {
      int colon = header.indexOf(": ");
      request.header(header.substring(0, colon), keys(header.substring(colon + 2)));
    }
    return request;
  }

  private static String keys(String text) {
    return text.replace("KEY", GATEWAY.key()).replace("BAD", UNKNOWN);
  }

  private static String refused(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> answer = send(request);
    assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    assertThat(answer.headers().firstValue("x-should-retry")).contains("false");
    return ErrorEnvelope.check(answer, 401, "authentication_error").get("message").asText();
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return GATEWAY.send(request);
  }
}
