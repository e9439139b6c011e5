package io.memorygateway.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a collector receives: a span a request, and one an attempt, that fit together. */
class TracingIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TraceReceiver COLLECTOR = new TraceReceiver();
  @RegisterExtension static final TestGateway GATEWAY = gateway(COLLECTOR.url());

  @RegisterExtension
  static final TestGateway CAPTURING =
      gateway(COLLECTOR.url()).with("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");

  @RegisterExtension
  static final TestGateway WITHOUT_COLLECTOR =
      gateway("http://127.0.0.1:" + FakeUpstream.closedPort()).with("OTEL_BSP_MAX_QUEUE_SIZE", "4");

  @RegisterExtension static final TestGateway OFF = new TestGateway(DATABASE, UPSTREAM);

  private static final String PARENT = "00f067aa0ba902b7";
  private static final String SECRET = "what I say is a secret";
  private static final String CALL =
      "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"" + SECRET + "\"}]}";

  /** Of this test alone. */
  private final String trace = UUID.randomUUID().toString().replace("-", "");

  private static TestGateway gateway(String collector) {
    return new TestGateway(DATABASE, UPSTREAM)
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
        .with("OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=of%20ours")
        .with("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
        .with("OTEL_BSP_SCHEDULE_DELAY", "50")
        .configured(
            config ->
                config
                    .putObject("routes")
                    .putObject("two")
                    .putArray("groups")
                    .add(config.arrayNode().add(config.objectNode().put("to", "openai/first")))
                    .add(config.arrayNode().add(config.objectNode().put("to", "google/second"))));
  }

  @Test
  void aCallIsASpanOfItsRequestBelowThatOfTheCaller() throws Exception {
    assertThat(call(GATEWAY, "openai/gpt-5-mini", "01").statusCode()).isEqualTo(200);
    List<ReceivedSpan> spans = spans(trace, 2);
    ReceivedSpan request = ofKind(spans, ReceivedSpan.SERVER).get(0);
    assertThat(request.parentSpanId()).isEqualTo(PARENT);
    assertThat(request.name()).isEqualTo("POST /v1/chat/completions");
    assertThat(request.attributes())
        .containsEntry("http.request.method", "POST")
        .containsEntry("http.route", "/v1/chat/completions")
        .containsEntry("http.response.status_code", 200L)
        .containsEntry("memory_gateway.project", "test")
        .containsKey("memory_gateway.request_id");

    ReceivedSpan attempt = ofKind(spans, ReceivedSpan.CLIENT).get(0);
    assertThat(attempt.parentSpanId()).isEqualTo(request.spanId());
    assertThat(attempt.name()).isEqualTo("chat gpt-5-mini");
    assertThat(attempt.failed()).isFalse();
    assertThat(attempt.attributes())
        .containsEntry("gen_ai.operation.name", "chat")
        .containsEntry("gen_ai.provider.name", "openai")
        .containsEntry("gen_ai.request.model", "gpt-5-mini")
        .containsEntry("gen_ai.conversation.id", "thread-1")
        .containsEntry("memory_gateway.attempt", 1L)
        .containsEntry("server.address", "127.0.0.1")
        .containsEntry("server.port", (long) UPSTREAM.port())
        .containsKeys(
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "memory_gateway.cost_dollars");
    assertThat(UPSTREAM.takeRequest().header("traceparent"))
        .isEqualTo("00-" + trace + "-" + attempt.spanId() + "-01");
  }

  @Test
  void aRequestThatIsRefusedIsASpanOfItsPathToo() throws Exception {
    HttpRequest.Builder refused =
        traced(GATEWAY, "01")
            .setHeader("Authorization", "Bearer msk_00000000000000000000000000000000")
            .POST(HttpRequest.BodyPublishers.ofString(CALL.formatted("openai/gpt-5-mini")));
    assertThat(GATEWAY.send(refused).statusCode()).isEqualTo(401);
    ReceivedSpan request = spans(trace, 1).get(0);
    assertThat(request.name()).isEqualTo("POST /v1/chat/completions");
    assertThat(request.attributes())
        .containsEntry("http.route", "/v1/chat/completions")
        .containsEntry("http.response.status_code", 401L)
        .doesNotContainKey("memory_gateway.project");
  }

  @Test
  void aMethodOfTheClientsMakingNamesNoSpan() throws Exception {
    HttpRequest.Builder odd =
        traced(GATEWAY, "01").method("FOO", HttpRequest.BodyPublishers.noBody());
    assertThat(GATEWAY.send(odd).statusCode()).isGreaterThanOrEqualTo(400);
    ReceivedSpan request = spans(trace, 1).get(0);
    assertThat(request.name()).startsWith("_OTHER");
    assertThat(request.attributes()).containsEntry("http.request.method", "_OTHER");
  }

  @Test
  void nothingThatIsSaidAndNoKeyIsSent() throws Exception {
    assertThat(call(GATEWAY, "openai/gpt-5-mini", "01").statusCode()).isEqualTo(200);
    List<ReceivedSpan> unused = spans(trace, 2);
    for (TraceReceiver.Export request : COLLECTOR.exports()) {
      assertThat(request.path()).isEqualTo("/v1/traces");
      assertThat(request.key()).isEqualTo("of ours");
      assertThat(ReceivedSpan.resource(request.body()))
          .containsEntry("service.name", "memory-gateway")
          .containsEntry("deployment.environment", "test");
      String sent = new String(request.body(), StandardCharsets.ISO_8859_1);
      assertThat(sent)
          .doesNotContain(SECRET, GATEWAY.key(), GATEWAY.key().substring(8))
          .doesNotContain(TestGateway.PROVIDER_KEY);
    }
  }

  @Test
  void whatIsSaidIsSentIfItIsWantedAndNoKeyEither() throws Exception {
    assertThat(call(CAPTURING, "openai/gpt-5-mini", "01").statusCode()).isEqualTo(200);
    ReceivedSpan attempt = ofKind(spans(trace, 2), ReceivedSpan.CLIENT).get(0);
    assertThat(attempt.attributes().get("gen_ai.input.messages").toString()).contains(SECRET);
    assertThat(attempt.attributes().get("gen_ai.output.messages").toString())
        .contains("\"choices\"");
    for (TraceReceiver.Export request : COLLECTOR.exports()) {
      assertThat(new String(request.body(), StandardCharsets.ISO_8859_1))
          .doesNotContain(CAPTURING.key(), TestGateway.PROVIDER_KEY);
    }
  }

  @Test
  void eachAttemptOfARouteIsASpan() throws Exception {
    UPSTREAM.enqueue(Answer.error(503, "server_error", "down"));
    assertThat(call(GATEWAY, "two", "01").statusCode()).isEqualTo(200);
    List<ReceivedSpan> attempts = new ArrayList<>(ofKind(spans(trace, 3), ReceivedSpan.CLIENT));
    attempts.sort(
        Comparator.comparing(span -> (Long) span.attributes().get("memory_gateway.attempt")));
    assertThat(attempts)
        .extracting(ReceivedSpan::name)
        .containsExactly("chat first", "chat second");
    assertThat(attempts.get(0).failed()).isTrue();
    assertThat(attempts.get(0).attributes())
        .containsEntry("http.response.status_code", 503L)
        .containsEntry("error.type", "upstream_answer");
    assertThat(attempts.get(1).attributes())
        .containsEntry("gen_ai.provider.name", "gcp.gemini")
        .containsEntry("memory_gateway.attempt", 2L);
    assertThat(UPSTREAM.requests())
        .extracting(request -> request.header("traceparent").substring(36, 52))
        .containsExactly(attempts.get(0).spanId(), attempts.get(1).spanId());
  }

  @Test
  void aStreamIsASpanToItsEnd() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            traced(GATEWAY, "01")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        CALL.formatted("openai/gpt-5-mini")
                            .replace("{\"model", "{\"stream\":true,\"model"))));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(ofKind(spans(trace, 2), ReceivedSpan.CLIENT).get(0).attributes())
        .containsEntry("memory_gateway.stream", true)
        .containsKey("memory_gateway.first_byte_ms");
  }

  /** The caller decides; the upstream is told so. */
  @Test
  void aTraceThatIsNotSampledIsPassedOnAndNotSent() throws Exception {
    assertThat(call(GATEWAY, "openai/gpt-5-mini", "00").statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().header("traceparent"))
        .startsWith("00-" + trace)
        .endsWith("-00");
    String other = UUID.randomUUID().toString().replace("-", "");
    assertThat(
            GATEWAY
                .send(
                    GATEWAY
                        .request("/v1/memory/threads/nothing")
                        .header("traceparent", "00-" + other + "-" + PARENT + "-01"))
                .statusCode())
        .isEqualTo(404);
    ReceivedSpan after = spans(other, 1).get(0);
    assertThat(after.name()).isEqualTo("GET /v1/memory/threads/{thread}");
    assertThat(after.failed()).as("it is the caller's fault").isFalse();
    assertThat(received()).noneMatch(span -> span.traceId().equals(trace));
  }

  /** What is not a traceparent begins a trace of its own. */
  @Test
  void aBrokenTraceparentIsIgnored() throws Exception {
    assertThat(
            GATEWAY
                .send(
                    GATEWAY
                        .request("/v1/chat/completions")
                        .header("traceparent", "00-zzz-" + PARENT + "-01")
                        .header("Content-Type", "application/json")
                        .POST(
                            HttpRequest.BodyPublishers.ofString(
                                CALL.formatted("openai/gpt-5-mini"))))
                .statusCode())
        .isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().header("traceparent"))
        .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[13]");
  }

  /** More spans than the queue holds, a collector that refuses connections, and one that hangs. */
  @Test
  void aCollectorThatIsAwayCostsNoCall() throws Exception {
    COLLECTOR.hang();
    for (TestGateway node : List.of(WITHOUT_COLLECTOR, GATEWAY)) {
      for (int i = 0; i < 20; i++) {
        assertThat(call(node, "openai/gpt-5-mini", "01").statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  void withoutTheVariablesNothingIsTracedOrPassedOn() throws Exception {
    assertThat(call(OFF, "openai/gpt-5-mini", "01").statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().header("traceparent")).isNull();
  }

  private HttpRequest.Builder traced(TestGateway node, String flags) {
    return node.request("/v1/chat/completions")
        .header("Content-Type", "application/json")
        .header("x-thread-id", "thread-1")
        .header("x-resource-id", "resource-1")
        .header("traceparent", "00-" + trace + "-" + PARENT + "-" + flags);
  }

  private HttpResponse<String> call(TestGateway node, String model, String flags) throws Exception {
    return node.send(
        traced(node, flags).POST(HttpRequest.BodyPublishers.ofString(CALL.formatted(model))));
  }

  private static List<ReceivedSpan> ofKind(List<ReceivedSpan> spans, int kind) {
    return spans.stream().filter(span -> span.kind() == kind).toList();
  }

  /** Waits for the spans of a trace. */
  private static List<ReceivedSpan> spans(String of, int count) {
    await()
        .until(
            () -> received().stream().filter(span -> span.traceId().equals(of)).count() >= count);
    return received().stream().filter(span -> span.traceId().equals(of)).toList();
  }

  private static List<ReceivedSpan> received() {
    return COLLECTOR.spans();
  }
}
