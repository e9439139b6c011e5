package io.memorygateway.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls of models that the gateway makes for itself are traces of their own. */
class OwnCallSpansIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TraceReceiver COLLECTOR = new TraceReceiver();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR.url())
          .with("OTEL_BSP_SCHEDULE_DELAY", "50")
          .with("OBSERVATION_MODEL", "openai/observer")
          .configured(
              config -> {
                config.putObject("search").put("embeddingModel", "openai/vectors");
                config.withObject("/observation").put("messageTokens", 100);
              });

  @Test
  void theObserverAndSearchAreTraced() throws Exception {
    assertThat(
            GATEWAY.post("/v1/memory/threads", "{\"id\":\"t\",\"resourceId\":\"r\"}").statusCode())
        .isEqualTo(201);
    String message = "{\"role\":\"user\",\"content\":\"%s\"}".formatted("I like tea. ".repeat(100));
    assertThat(
            GATEWAY
                .post("/v1/memory/threads/t/messages", "{\"messages\":[" + message + "]}")
                .statusCode())
        .isEqualTo(201);
    assertThat(
            GATEWAY
                .post("/v1/memory/search", "{\"threadId\":\"t\",\"query\":\"coffee\"}")
                .statusCode())
        .isEqualTo(200);
    ReceivedSpan observer = span("chat observer");
    assertThat(observer.attributes())
        .containsEntry("memory_gateway.purpose", "observer")
        .containsEntry("gen_ai.response.id", "chatcmpl-canned")
        .containsEntry("gen_ai.response.finish_reasons", List.of("stop"))
        .containsEntry("gen_ai.operation.name", "chat");
    ReceivedSpan search = span("embeddings vectors");
    assertThat(search.attributes())
        .containsEntry("memory_gateway.purpose", "search")
        .containsEntry("gen_ai.operation.name", "embeddings")
        .containsKey("gen_ai.usage.input_tokens");
    for (ReceivedSpan span : List.of(observer, search)) {
      assertThat(span.kind()).isEqualTo(ReceivedSpan.CLIENT);
      assertThat(span.parentSpanId()).isEmpty();
    }
  }

  /**
   * The span with this name whose trace headers the upstream has received: that of the first
   * embedding, which the start makes, may arrive late.
   */
  private static ReceivedSpan span(String name) {
    return await().until(() -> sent(name), Optional::isPresent).orElseThrow();
  }

  private static Optional<ReceivedSpan> sent(String name) {
    List<String> headers =
        UPSTREAM.requests().stream()
            .map(request -> String.valueOf(request.header("traceparent")))
            .toList();
    return COLLECTOR.spans().stream()
        .filter(span -> span.name().equals(name))
        .filter(
            span ->
                headers.stream()
                    .anyMatch(header -> header.contains(span.traceId() + "-" + span.spanId())))
        .findFirst();
  }
}
