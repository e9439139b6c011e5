package io.memorygateway.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the span of an attempt is told of its answer, whole and streamed, in all three formats. */
class TracedAnswersIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TraceReceiver COLLECTOR = new TraceReceiver();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR.url())
          .with("OTEL_BSP_SCHEDULE_DELAY", "50");

  @RegisterExtension
  static final TestGateway CAPTURING =
      new TestGateway(DATABASE, UPSTREAM)
          .with("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR.url())
          .with("OTEL_BSP_SCHEDULE_DELAY", "50")
          .with("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_CONTENT_BYTES = 64 << 10;

  /** Of this test alone. */
  private final String trace = UUID.randomUUID().toString().replace("-", "");

  /** A format, with what its canned answers say of themselves. */
  enum Format {
    CHAT("/v1/chat/completions", "openai/gpt-5-mini", "messages", "chatcmpl-canned", "stop"),
    MESSAGES("/v1/messages", "anthropic/claude-haiku-4-5", "messages", "msg_canned", "end_turn"),
    RESPONSES("/v1/responses", "openai/gpt-5-mini", "input", "resp_canned", "completed");

    private final String path;
    private final String model;
    private final String messages;
    private final String id;
    private final String reason;

    Format(String path, String model, String messages, String id, String reason) {
      this.path = path;
      this.model = model;
      this.messages = messages;
      this.id = id;
      this.reason = reason;
    }

    String upstreamModel() {
      return model.substring(model.indexOf('/') + 1);
    }

    String body(boolean stream) {
      return "{\"model\":\"%s\",\"max_tokens\":9,\"stream\":%s,\"%s\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
          .formatted(model, stream, messages);
    }

    /** The events of an answer with this text. */
    List<String> events(String text) throws Exception {
      JsonNode request =
          JSON.readTree(
              body(true)
                  .replace(model, upstreamModel())
                  .replaceFirst("\\{", "{\"stream_options\":{\"include_usage\":true},"));
      return CannedReplies.reply(path, request, text).events();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CHAT,false",
    "CHAT,true",
    "MESSAGES,false",
    "MESSAGES,true",
    "RESPONSES,false",
    "RESPONSES,true"
  })
  void theAnswersIdModelReasonAndTokensAreThere(Format format, boolean stream) throws Exception {
    assertThat(call(GATEWAY, format, stream).statusCode()).isEqualTo(200);
    assertThat(attempt().attributes())
        .containsEntry("gen_ai.response.id", format.id)
        .containsEntry("gen_ai.response.model", format.upstreamModel())
        .containsEntry("gen_ai.response.finish_reasons", List.of(format.reason))
        .containsKeys("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
        .containsEntry("memory_gateway.stream", stream)
        .doesNotContainKeys("gen_ai.input.messages", "gen_ai.output.messages");
  }

  @ParameterizedTest
  @EnumSource
  void whatAStreamSaysIsPutTogetherIfItIsWanted(Format format) throws Exception {
    assertThat(call(CAPTURING, format, true).statusCode()).isEqualTo(200);
    JsonNode said = JSON.readTree(output());
    assertThat(said).hasSize(1);
    assertThat(said.at("/0/role").asText()).isEqualTo("assistant");
    assertThat(said.toString()).contains(CannedReplies.TEXT);
  }

  @ParameterizedTest
  @EnumSource
  void whatALongStreamSaysIsBounded(Format format) throws Exception {
    String text = ("ä" + "word".repeat(120) + " ").repeat(800);
    UPSTREAM.enqueue(Answer.sse(format.events(text)));
    assertThat(call(CAPTURING, format, true).statusCode()).isEqualTo(200);
    String output = output();
    assertThat(output).contains(text.substring(0, 2_000));
    assertThat(output.getBytes(StandardCharsets.UTF_8))
        .hasSizeBetween(MAX_CONTENT_BYTES - 4, MAX_CONTENT_BYTES + 4);
    assertThat(attempt().attributes())
        .containsEntry("gen_ai.response.finish_reasons", List.of(format.reason));
  }

  @ParameterizedTest
  @EnumSource
  void aStreamThatBreaksOffSaysWhatThereWasOfIt(Format format) throws Exception {
    List<String> events = format.events("one two three four five six seven eight nine ten");
    UPSTREAM.enqueue(Answer.sseThen(events.subList(0, events.size() / 2 + 1), Answer.close()));
    assertThat(call(CAPTURING, format, true).statusCode()).isEqualTo(200);
    ReceivedSpan attempt = attempt();
    assertThat(attempt.failed()).isTrue();
    assertThat(attempt.attributes())
        .containsEntry("gen_ai.response.id", format.id)
        .doesNotContainKey("gen_ai.response.finish_reasons");
    assertThat(output()).contains("one two").doesNotContain("nine");
  }

  @Test
  void toolCallsOfAStreamAreThereAndNoKeys() throws Exception {
    String key = TestGateway.PROVIDER_KEY;
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                chunk(
                    "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"q\\\":\"}}]}",
                    "null"),
                chunk(
                    "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\""
                        + key
                        + "\\\"}\"}}]}",
                    "null"),
                chunk("{}", "\"tool_calls\""),
                "data: [DONE]\n\n")));
    assertThat(call(CAPTURING, Format.CHAT, true).statusCode()).isEqualTo(200);
    JsonNode call = JSON.readTree(output()).at("/0/tool_calls/0");
    assertThat(call.path("id").asText()).isEqualTo("call_1");
    assertThat(call.at("/function/arguments").asText()).startsWith("{\"q\":").doesNotContain(key);
    assertThat(attempt().attributes())
        .containsEntry("gen_ai.response.finish_reasons", List.of("tool_calls"));
  }

  private static String chunk(String delta, String reason) {
    return "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n"
        .formatted(delta, reason);
  }

  private String output() {
    return attempt().attributes().get("gen_ai.output.messages").toString();
  }

  private HttpResponse<String> call(TestGateway node, Format format, boolean stream)
      throws Exception {
    return node.send(
        node.request(format.path)
            .header("Content-Type", "application/json")
            .header("traceparent", "00-" + trace + "-00f067aa0ba902b7-01")
            .POST(HttpRequest.BodyPublishers.ofString(format.body(stream))));
  }

  /** Waits for the span of the attempt. */
  private ReceivedSpan attempt() {
    await().until(() -> received().size() == 1);
    return received().get(0);
  }

  private List<ReceivedSpan> received() {
    return COLLECTOR.spans().stream()
        .filter(span -> span.traceId().equals(trace) && span.kind() == ReceivedSpan.CLIENT)
        .toList();
  }
}
