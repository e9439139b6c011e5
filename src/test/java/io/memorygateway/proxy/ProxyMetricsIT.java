package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What operators see of proxied calls on the admin port. */
class ProxyMetricsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static final String MODEL = "claude-of-the-metrics";

  @Test
  void callsAreCountedByEndpointProviderAndStatus() throws Exception {
    double ok = requests("chat", "openai", 200);
    double limited = requests("chat", "openai", 429);
    double streamed = requests("responses", "openai", 200);
    UPSTREAM.enqueue(Answer.error(429, "rate_limit_error", "no"));

    GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");
    GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");
    GATEWAY.post("/v1/responses", "{\"model\":\"gpt-5\",\"stream\":true}");

    assertThat(requests("chat", "openai", 200)).isEqualTo(ok + 1);
    assertThat(requests("chat", "openai", 429)).isEqualTo(limited + 1);
    await().until(() -> requests("responses", "openai", 200) == streamed + 1);
  }

  @Test
  void tokensAreCountedByKindWholeAndStreamed() throws Exception {
    String usage =
        "\"usage\":{\"input_tokens\":5,\"cache_creation_input_tokens\":7,\"cache_read_input_tokens\":11,\"output_tokens\":13}";
    UPSTREAM.enqueue(
        Answer.json("{\"type\":\"message\"," + usage + "}"),
        Answer.sse(
            List.of(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{"
                    + usage
                    + "}}\n\n",
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":17}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")));
    double input = tokens("messages", "anthropic", "input");
    double cached = tokens("messages", "anthropic", "cached_input");
    double output = tokens("messages", "anthropic", "output");
    double served = requests("messages", "anthropic", 200);

    GATEWAY.post("/v1/messages", "{\"model\":\"" + MODEL + "\"}");
    GATEWAY.post("/v1/messages", "{\"model\":\"" + MODEL + "\",\"stream\":true}");

    await().until(() -> requests("messages", "anthropic", 200) == served + 2);
    assertThat(tokens("messages", "anthropic", "output")).isEqualTo(output + 13 + 17);
    assertThat(tokens("messages", "anthropic", "input")).isEqualTo(input + 2 * (5 + 7 + 11));
    assertThat(tokens("messages", "anthropic", "cached_input")).isEqualTo(cached + 2 * 11);
  }

  @Test
  void aStreamIsLiveUntilItsClientLeavesWhichIsStatus499() throws Exception {
    double left = requests("chat", "openai", 499);
    double live = value("memory_gateway_llm_live_streams ");
    UPSTREAM.enqueue(Answer.sseThen(List.of("data: {\"choices\":[]}\n\n"), Answer.hang()));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post("/v1/chat/completions", GATEWAY.key(), "{\"model\":\"gpt-5\",\"stream\":true}");
      client.readUntil("data: {\"choices\":[]}\n\n");
      assertThat(value("memory_gateway_llm_live_streams ")).isEqualTo(live + 1);
    }

    await().until(() -> requests("chat", "openai", 499) == left + 1);
    assertThat(value("memory_gateway_llm_live_streams ")).isEqualTo(live);
  }

  @Test
  void aClientThatLeavesAfterTheFinalEventHasHadItsWholeAnswer() throws Exception {
    double served = requests("chat", "openai", 200);
    UPSTREAM.enqueue(Answer.sseThen(List.of("data: [DONE]\n\n"), Answer.hang()));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post("/v1/chat/completions", GATEWAY.key(), "{\"model\":\"gpt-5\",\"stream\":true}");
      client.readUntil("data: [DONE]\n\n");
    }

    await().until(() -> requests("chat", "openai", 200) == served + 1);
  }

  @Test
  void noMetricTellsAKeyOrAModel() throws Exception {
    GATEWAY.post("/v1/messages", "{\"model\":\"" + MODEL + "\"}");

    assertThat(metrics())
        .contains("memory_gateway_llm_requests_total")
        .doesNotContain(MODEL)
        .doesNotContain("msk_")
        .doesNotContain(TestGateway.PROVIDER_KEY);
  }

  private static double requests(String endpoint, String provider, int status) throws Exception {
    return value(
        "memory_gateway_llm_requests_total{endpoint=\"%s\",provider=\"%s\",status=\"%d\"} "
            .formatted(endpoint, provider, status));
  }

  private static double tokens(String endpoint, String provider, String kind) throws Exception {
    return value(
        "memory_gateway_llm_tokens_total{endpoint=\"%s\",kind=\"%s\",provider=\"%s\"} "
            .formatted(endpoint, kind, provider));
  }

  private static double value(String series) throws IOException, InterruptedException {
    return metrics()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  private static String metrics() throws IOException, InterruptedException {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))).body();
  }
}
