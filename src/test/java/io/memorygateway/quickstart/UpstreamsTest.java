package io.memorygateway.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UpstreamsTest {

  @Test
  void withoutAnyProviderAllLeadToTheSample() {
    Map<String, String> environment = Map.of("OPENAI_API_KEY", " ", "GATEWAY_PORT", "1");
    assertThat(Upstreams.needSample(environment)).isTrue();
    assertThat(Upstreams.sample(environment, "http://127.0.0.1:9").environment())
        .containsEntry("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .containsEntry("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        .containsEntry("GATEWAY_PORT", "1")
        .containsKeys(
            "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY");
  }

  @Test
  void aKeyMeansThatProviderAndNoSample() {
    Map<String, String> environment = Map.of("ANTHROPIC_API_KEY", "sk-ant");
    assertThat(Upstreams.needSample(environment)).isFalse();
    Upstreams upstreams = Upstreams.of(environment);
    assertThat(upstreams.configured()).containsExactly(Provider.ANTHROPIC);
    assertThat(upstreams.environment())
        .isEqualTo(Map.of("ANTHROPIC_API_KEY", "sk-ant", "DEFAULT_PROVIDER", "anthropic"));
    assertThat(ExampleCall.of(upstreams).curl("http://gw", "msk_x"))
        .startsWith("curl http://gw/v1/messages -H 'Authorization: Bearer msk_x'")
        .contains("\"model\":\"anthropic/claude-haiku-4-5\"", "\"max_tokens\":200");
  }

  @Test
  void openRouterStaysTheDefaultProviderWhereItIsConfigured() {
    Upstreams upstreams = Upstreams.of(Map.of("OPENROUTER_API_KEY", "k", "GEMINI_API_KEY", "g"));
    assertThat(upstreams.environment()).doesNotContainKey("DEFAULT_PROVIDER");
    assertThat(ExampleCall.of(upstreams).body()).contains("google/gemini-2.5-flash");
  }

  @Test
  void aBaseUrlAloneIsAServerWithoutKeysAndWithModelsOfItsOwn() throws Exception {
    HttpServer local =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    local.createContext(
        "/v1/models",
        exchange -> {
          byte[] body = "{\"data\":[{\"id\":\"llama3.2:3b\"}]}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    local.start();
    try {
      String url = "http://127.0.0.1:" + local.getAddress().getPort() + "/v1";
      Upstreams upstreams = Upstreams.of(Map.of("OPENAI_BASE_URL", url));
      assertThat(upstreams.environment()).containsKey("OPENAI_API_KEY");
      assertThat(ExampleCall.of(upstreams, Duration.ofMinutes(1)).body())
          .contains("\"model\":\"openai/llama3.2:3b\"");
    } finally {
      local.stop(0);
    }
  }

  @Test
  void aServerThatListsNoModelsGetsTheUsualOne() {
    Upstreams upstreams = Upstreams.of(Map.of("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"));
    assertThat(ExampleCall.of(upstreams).body()).contains("\"model\":\"openai/gpt-5-mini\"");
  }
}
