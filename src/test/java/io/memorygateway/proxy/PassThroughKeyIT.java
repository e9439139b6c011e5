package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §2: a caller's own provider key is used upstream in place of the configured one. */
class PassThroughKeyIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("GEMINI_API_KEY", null)
          .configured(
              config -> {
                var azure = config.withObject("/providers").putObject("azure");
                azure.put("baseUrl", UPSTREAM.url() + "/azure/v1").put("keyHeader", "api-key");
                azure.putArray("endpoints").add("chat");
              });

  @ParameterizedTest
  @CsvSource({
    "chat/completions, gpt-5, Authorization, Bearer sk-own, authorization, Bearer sk-own",
    "chat/completions, gpt-5, x-api-key, sk-own, authorization, Bearer sk-own",
    "responses, gpt-5, Authorization, bearer sk-own, authorization, Bearer sk-own",
    "messages, claude-x, x-api-key, sk-ant-api03-own, x-api-key, sk-ant-api03-own",
    "messages, claude-x, Authorization, Bearer sk-ant-api03-own, x-api-key, sk-ant-api03-own",
    "messages, claude-x, Authorization, Bearer sk-ant-oat01-own, authorization, Bearer sk-ant-oat01-own",
    "chat/completions, gemini-x, x-goog-api-key, AIza-own, authorization, Bearer AIza-own",
    "chat/completions, gemini-x, Authorization, Bearer AIza-own, authorization, Bearer AIza-own",
    "messages, some/model, x-api-key, sk-or-own, authorization, Bearer sk-or-own",
    "chat/completions, azure/gpt-5, Authorization, Bearer az-own, api-key, az-own",
  })
  void theCallersKeyGoesWhereItsProviderLooksForIt(
      String endpoint, String model, String name, String value, String upstream, String expected)
      throws Exception {
    assertThat(call(endpoint, model, name, value).statusCode()).isEqualTo(200);

    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.headers().get(upstream)).containsExactly(expected);
    String whole = request.headers().toString();
    assertThat(whole).doesNotContain(TestGateway.PROVIDER_KEY).doesNotContain("msk_");
    String secret = expected.replace("Bearer ", "");
    assertThat(whole.indexOf(secret)).isEqualTo(whole.lastIndexOf(secret));
  }

  @ParameterizedTest
  @CsvSource({
    "Authorization, Bearer oauth-gateway-placeholder",
    "x-api-key, oauth-gateway-placeholder",
    "x-custom, nothing",
  })
  void withoutAKeyOfTheCallersTheConfiguredOneIsUsed(String name, String value) throws Exception {
    assertThat(call("messages", "claude-x", name, value).statusCode()).isEqualTo(200);

    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.headers().get("x-api-key")).containsExactly(TestGateway.PROVIDER_KEY);
    assertThat(request.headers().toString()).doesNotContain("placeholder");
  }

  @Test
  void besideAnOrdinaryGatewayKeyNoOtherKeyIsPassedOn() throws Exception {
    GATEWAY.send(
        GATEWAY
            .request("/v1/chat/completions")
            .header("x-api-key", "sk-own")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"gpt-5\"}")));

    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.header("authorization")).isEqualTo("Bearer " + TestGateway.PROVIDER_KEY);
    assertThat(request.headers().toString()).doesNotContain("sk-own");
  }

  @Test
  void theCallersKeyThatTheUpstreamRepeatsIsMasked() throws Exception {
    UPSTREAM.enqueue(
        Answer.error(401, "invalid_request_error", "Incorrect API key provided: sk-own-secret."));

    HttpResponse<String> answer =
        call("chat/completions", "gpt-5", "Authorization", "Bearer sk-own-secret");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("Incorrect API key provided: ***.");
    assertThat(GATEWAY.log()).doesNotContain("sk-own-secret");
  }

  private static HttpResponse<String> call(String endpoint, String model, String name, String value)
      throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/" + endpoint))
            .header("X-Memory-Gateway-Authorization", "Bearer " + GATEWAY.key())
            .header(name, value)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"" + model + "\"}")));
  }
}
