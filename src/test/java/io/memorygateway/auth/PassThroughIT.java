package io.memorygateway.auth;

import static io.memorygateway.testing.TestGateway.PROVIDER_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.SharedGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §2: which provider key goes upstream; a gateway key never does. */
class PassThroughIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  private static final String GATEWAY_HEADER = "X-Memory-Gateway-Authorization: Bearer KEY";
  private static final String CHAT = "chat/completions, gpt-5";
  private static final String MESSAGES = "messages, claude-sonnet-4-5";
  private static final String GEMINI = "chat/completions, gemini-2.5-pro";
  private static final String BEARER = "authorization, Bearer ";

  /** {@code KEY} stands for a valid gateway key, {@code OURS} for the configured provider key. */
  @ParameterizedTest
  @CsvSource({
    CHAT + ", " + GATEWAY_HEADER + " | Authorization: Bearer sk-own, " + BEARER + "sk-own",
    CHAT + ", " + GATEWAY_HEADER + " | x-api-key: sk-own, " + BEARER + "sk-own",
    CHAT + ", " + GATEWAY_HEADER + " | api-key: sk-own, " + BEARER + "sk-own",
    CHAT + ", " + GATEWAY_HEADER + ", " + BEARER + "OURS",
    CHAT
        + ", "
        + GATEWAY_HEADER
        + " | Authorization: Bearer oauth-gateway-placeholder, "
        + BEARER
        + "OURS",
    CHAT + ", " + GATEWAY_HEADER + " | x-api-key: oauth-gateway-placeholder, " + BEARER + "OURS",
    CHAT
        + ", "
        + GATEWAY_HEADER
        + " | Authorization: Bearer oauth-gateway-placeholder | x-api-key: sk-own, "
        + BEARER
        + "sk-own",
    CHAT
        + ", "
        + GATEWAY_HEADER
        + " | Authorization: Bearer KEY | x-api-key: KEY | x-goog-api-key: KEY, "
        + BEARER
        + "OURS",
    CHAT
        + ", "
        + GATEWAY_HEADER
        + " | Authorization: Bearer Bearer KEY | x-api-key: Bearer KEY, "
        + BEARER
        + "OURS",
    CHAT + ", Authorization: Bearer KEY, " + BEARER + "OURS",
    CHAT + ", x-api-key: KEY, " + BEARER + "OURS",
    // Without the pass-through header, what else the caller sends is no provider key.
    CHAT + ", Authorization: Bearer sk-own | x-api-key: KEY, " + BEARER + "OURS",
    CHAT
        + ", Authorization: Bearer KEY | x-api-key: sk-own | x-goog-api-key: sk-own, "
        + BEARER
        + "OURS",
    MESSAGES + ", " + GATEWAY_HEADER + " | x-api-key: sk-ant-own, x-api-key, sk-ant-own",
    MESSAGES + ", " + GATEWAY_HEADER + " | Authorization: Bearer sk-ant-own, x-api-key, sk-ant-own",
    MESSAGES
        + ", "
        + GATEWAY_HEADER
        + " | Authorization: Bearer sk-ant-oat01-own, "
        + BEARER
        + "sk-ant-oat01-own",
    MESSAGES + ", " + GATEWAY_HEADER + ", x-api-key, OURS",
    MESSAGES + ", x-api-key: KEY, x-api-key, OURS",
    GEMINI + ", " + GATEWAY_HEADER + " | x-goog-api-key: AIza-own, " + BEARER + "AIza-own",
  })
  void theProviderSeesOneKeyAndItIsTheRightOne(
      String endpoint, String model, String headers, String header, String value) throws Exception {
    RecordedRequest seen = call(endpoint, model, headers);

    assertThat(seen.header(header)).isEqualTo(value.replace("OURS", PROVIDER_KEY));
    for (String other : new String[] {"authorization", "x-api-key", "x-goog-api-key"}) {
      if (!other.equals(header)) {
        assertThat(seen.header(other)).as(other).isNull();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    GATEWAY_HEADER + " | Authorization: Bearer sk-own, true",
    GATEWAY_HEADER + " | Authorization: Bearer oauth-gateway-placeholder, false",
    "Authorization: Bearer KEY, false",
  })
  void theCallerSaysWhoIsBilledWithItsOwnKeyAlone(String headers, boolean crosses)
      throws Exception {
    RecordedRequest seen =
        call(
            "chat/completions",
            "gpt-5",
            headers + " | OpenAI-Organization: org-1 | OpenAI-Project: proj_1");

    assertThat(seen.header("openai-organization")).isEqualTo(crosses ? "org-1" : null);
    assertThat(seen.header("openai-project")).isEqualTo(crosses ? "proj_1" : null);
  }

  @ParameterizedTest
  @CsvSource({
    CHAT
        + ", Authorization: Bearer KEY | User-Agent: app KEY | OpenAI-Organization: KEY | x-stainless-lang: KEY",
    MESSAGES
        + ", x-api-key: KEY | anthropic-beta: KEY | Cookie: key=KEY | X-Other: KEY | Referer: http://KEY/",
    CHAT
        + ", Authorization: Bearer KEY | Accept: application/json;own=KEY | chatgpt-account-id: KEY",
  })
  void noHeaderOrQueryTakesAGatewayKeyUpstream(String endpoint, String model, String headers)
      throws Exception {
    RecordedRequest seen = call(endpoint + "?key=KEY&api_key=KEY", model, headers);

    assertThat(seen.target() + seen.headers() + seen.text()).doesNotContain("msk_");
  }

  @Test
  void aGatewayKeyInTheMidstOfAProvidersKeyIsRefused() throws Exception {
    HttpResponse<String> answer =
        send("chat/completions", "gemini-2.5-pro", GATEWAY_HEADER + " | x-goog-api-key: abc,KEY");

    assertThat(ErrorEnvelope.check(answer, 400, "invalid_request_error").get("message").asText())
        .contains("X-Memory-Gateway-Authorization")
        .doesNotContain("msk_");
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  private static RecordedRequest call(String endpoint, String model, String headers)
      throws Exception {
    assertThat(send(endpoint, model, headers).statusCode()).isEqualTo(200);
    return UPSTREAM.takeRequest();
  }

  private static HttpResponse<String> send(String endpoint, String model, String headers)
      throws Exception {
    String target = (GATEWAY.url() + "/v1/" + endpoint).replace("KEY", GATEWAY.key());
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target));
    for (String header : headers.split(" \\| ", -1)) {
      int colon = header.indexOf(": ");
      request.header(
          header.substring(0, colon), header.substring(colon + 2).replace("KEY", GATEWAY.key()));
    }
    request.header("Content-Type", "application/json");
    String body = "{\"model\":\"" + model + "\",\"messages\":[]}";
    return GATEWAY.send(request.POST(BodyPublishers.ofString(body)));
  }
}
