package io.memorygateway.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: tokens that the upstream does not say are counted, and marked. */
class EstimatedUsageIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final String ASKED = "What is the capital of France, and how many live there?";
  private static final String SAID =
      "The capital of France is Paris, where two million people live.";

  /** A request and what it is answered by, without usage. */
  private record Case(String path, String body, String whole, List<String> events) {
    String streamed() {
      return body.replaceFirst("\\{", "{\"stream\":true,");
    }
  }

  private static final Map<String, Case> CASES =
      Map.of(
          "chat",
          new Case(
              "/v1/chat/completions",
              "{\"model\":\"openrouter/m\",\"messages\":[{\"role\":\"user\",\"content\":\""
                  + ASKED
                  + "\"}]}",
              "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
                  + SAID
                  + "\"},\"finish_reason\":\"stop\"}]}",
              pieces(
                  "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n",
                  "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                  "data: [DONE]\n\n")),
          "responses",
          new Case(
              "/v1/responses",
              "{\"model\":\"openrouter/m\",\"input\":\"" + ASKED + "\"}",
              "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\""
                  + SAID
                  + "\"}]}]}",
              responses()),
          "messages",
          new Case(
              "/v1/messages",
              "{\"model\":\"anthropic/m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\""
                  + ASKED
                  + "\"}]}",
              "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\""
                  + SAID
                  + "\"}],\"stop_reason\":\"end_turn\"}",
              messages()),
          "completions",
          new Case(
              "/v1/completions",
              "{\"model\":\"openai/m\",\"prompt\":\"" + ASKED + "\"}",
              "{\"choices\":[{\"index\":0,\"text\":\"" + SAID + "\",\"finish_reason\":\"stop\"}]}",
              pieces(
                  "data: {\"choices\":[{\"index\":0,\"text\":\"%s\"}]}\n\n",
                  "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}]}\n\n",
                  "data: [DONE]\n\n")));

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses", "messages", "completions"})
  void aWholeAnswerIsCounted(String format) throws Exception {
    Case each = CASES.get(format);
    UPSTREAM.enqueue(Answer.json(each.whole));

    Row row = call(each.path, each.body, "whole-" + format);

    assertThat(row).isEqualTo(new Row(tokens(ASKED), tokens(SAID), "estimated"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses", "messages", "completions"})
  void aStreamIsCounted(String format) throws Exception {
    Case each = CASES.get(format);
    UPSTREAM.enqueue(Answer.sse(each.events));

    Row row = call(each.path, each.streamed(), "stream-" + format);

    assertThat(row.counted).isEqualTo("estimated");
    assertThat(row.input).isEqualTo(tokens(ASKED));
    assertThat(row.output).isEqualTo(tokens(SAID));
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses", "messages", "completions"})
  void aStreamThatTheUpstreamCutsIsCountedAsFarAsItCame(String format) throws Exception {
    Case each = CASES.get(format);
    List<String> some = each.events.subList(0, each.events.size() / 2);
    UPSTREAM.enqueue(Answer.sseThen(some, Answer.reset()));

    Row row = call(each.path, each.streamed(), "cut-" + format);

    assertThat(row.counted).isEqualTo("estimated");
    assertThat(row.input).isEqualTo(tokens(ASKED));
    assertThat(row.output).isBetween(1L, tokens(SAID) - 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "chat | ",
        "chat | : working",
        "chat | data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}",
        "chat | data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\"}}",
        "completions | data: {\"choices\":[{\"index\":0,\"text\":\"\"}]}",
        "messages | data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}",
        "messages | data: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[]}}",
        "responses | data: {\"type\":\"response.created\",\"response\":{\"output\":[],\"usage\":null}}",
        "responses | data: {\"type\":\"response.failed\",\"response\":{\"output\":[],\"usage\":null}}",
      })
  void aStreamThatFailsBeforeAnyOfItsAnswerIsNotCounted(String format, @Nullable String begin)
      throws Exception {
    Case each = CASES.get(format);
    UPSTREAM.enqueue(Answer.sse(begin == null ? List.of() : List.of(begin + "\n\n")));

    Row row =
        call(
            each.path,
            each.streamed(),
            "failed-" + format + "-" + String.valueOf(begin).hashCode());

    assertThat(row).isEqualTo(new Row(null, null, null));
  }

  @Test
  void aStreamThatTheClientLeavesIsCountedAsFarAsItCame() throws Exception {
    Case chat = CASES.get("chat");
    UPSTREAM.enqueue(Answer.sseThen(chat.events.subList(0, 3), Answer.hang()));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(chat.path, GATEWAY.key(), chat.streamed());
      client.readUntil("\n\n");
    }

    Row row =
        await()
            .until(() -> row("status = 499 AND model NOT LIKE '%left-%'"), Optional::isPresent)
            .orElseThrow();
    assertThat(row.counted).isEqualTo("estimated");
    assertThat(row.output).isPositive();
  }

  /** It did not fail, and a model that thinks is paid meanwhile. */
  @ParameterizedTest
  @CsvSource({"responses, 1", "messages, 1", "chat, 0"})
  void aStreamThatTheClientLeavesBeforeItsContentIsCountedAtItsInput(String format, int begun)
      throws Exception {
    Case each = CASES.get(format);
    String start =
        begun == 1
            ? each.events.get(0)
            : "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(start), Answer.hang()));
    String marked = each.streamed().replace("/m\"", "/left-" + format + "\"");
    assertThat(marked).contains("left-");
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(each.path, GATEWAY.key(), marked);
      client.readUntil("data: ");
    }

    Row row =
        await()
            .until(
                () -> row("status = 499 AND model LIKE '%left-" + format + "'"),
                Optional::isPresent)
            .orElseThrow();
    assertThat(row.counted).isEqualTo("estimated");
    assertThat(row.input).isEqualTo(tokens(ASKED));
  }

  @Test
  void embeddingsHaveAnInputAlone() throws Exception {
    UPSTREAM.enqueue(Answer.json("{\"data\":[{\"index\":0,\"embedding\":[0.5]}]}"));

    Row row =
        call(
            "/v1/embeddings",
            "{\"model\":\"openai/m\",\"input\":[\"" + ASKED + "\",[1,2,3]]}",
            "embeddings");

    assertThat(row).isEqualTo(new Row(tokens(ASKED) + 3, null, "estimated"));
  }

  @Test
  void theTotalOfEmbeddingsIsTheirInput() throws Exception {
    UPSTREAM.enqueue(Answer.json("{\"data\":[],\"usage\":{\"total_tokens\":77}}"));

    Row row = call("/v1/embeddings", "{\"model\":\"openai/m\",\"input\":\"tea\"}", "total");

    assertThat(row).isEqualTo(new Row(77L, null, "reported"));
  }

  @Test
  void whatTheUpstreamSaysIsTakenAsItIs() throws Exception {
    String usage = ",\"usage\":{\"prompt_tokens\":700,\"completion_tokens\":300}}";
    UPSTREAM.enqueue(Answer.json(CASES.get("chat").whole.replaceFirst("}$", usage)));

    Row row = call(CASES.get("chat").path, CASES.get("chat").body, "reported");

    assertThat(row).isEqualTo(new Row(700L, 300L, "reported"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses", "messages", "completions"})
  void aReportWithoutAnyTokensIsNone(String format) throws Exception {
    Case each = CASES.get(format);
    String names =
        each.path.contains("completions")
            ? "{\"prompt_tokens\":0,\"completion_tokens\":0}"
            : "{\"input_tokens\":0,\"output_tokens\":0}";
    UPSTREAM.enqueue(Answer.json(each.whole.replaceFirst("}$", ",\"usage\":" + names + "}")));

    Row row = call(each.path, each.body, "zeros-" + format);

    assertThat(row).isEqualTo(new Row(tokens(ASKED), tokens(SAID), "estimated"));
  }

  @Test
  void ofACutMessageTheInputIsReportedAndTheOutputCounted() throws Exception {
    List<String> events = new ArrayList<>(messages());
    events.set(
        0,
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":900,\"output_tokens\":1}}}\n\n");
    UPSTREAM.enqueue(Answer.sseThen(events.subList(0, 8), Answer.reset()));

    Row row = call("/v1/messages", CASES.get("messages").streamed(), "placeholder");

    assertThat(row.counted).isEqualTo("estimated");
    assertThat(row.input).isEqualTo(900);
    assertThat(row.output).isGreaterThan(1);
    UPSTREAM.enqueue(Answer.sseThen(events.subList(0, 1), Answer.reset()));

    Row before = call("/v1/messages", CASES.get("messages").streamed(), "start-alone");

    assertThat(before).isEqualTo(new Row(900L, 1L, "reported"));
  }

  @Test
  void systemToolsReasoningAndCallsAreCounted() throws Exception {
    String tools = "[{\"type\":\"function\",\"function\":{\"name\":\"look_up\"}}]";
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"look_up\",\"arguments\":\"{\\\"city\\\":\\\"Paris\\\"}\"}}]}}]}"));

    Row row =
        call(
            "/v1/chat/completions",
            "{\"model\":\"openrouter/m\",\"tools\":"
                + tools
                + ",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":\""
                + ASKED
                + "\"}]}",
            "tools");

    assertThat(row.input)
        .isCloseTo(tokens(ASKED) + tokens("Be brief.") + tokens(tools), within(1L));
    assertThat(row.output).isEqualTo(tokens("look_up") + tokens("{\"city\":\"Paris\"}"));
  }

  @Test
  void ofALongStreamTheBeginningIsCountedAndTheRestByItsLength() throws Exception {
    List<String> events = new ArrayList<>();
    String event = CASES.get("chat").events.get(0);
    for (int i = 0; i < 5_000; i++) {
      events.add(event);
    }
    events.add("data: [DONE]\n\n");
    UPSTREAM.enqueue(Answer.sse(events));

    Row row = call("/v1/chat/completions", CASES.get("chat").streamed(), "long");

    assertThat(row.counted).isEqualTo("estimated");
    assertThat(row.output).isBetween(4_500L, 5_500L);
  }

  @Test
  void errorsCostNothingAndAreNotCounted() throws Exception {
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", "no"));

    Row row = call("/v1/chat/completions", CASES.get("chat").body, "refused");

    assertThat(row).isEqualTo(new Row(null, null, null));
  }

  @Test
  void metricsReportsAndTheConsoleHaveThem() throws Exception {
    String key = GATEWAY.issueKey("counted");
    UPSTREAM.enqueue(Answer.json(CASES.get("chat").whole));
    GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + CASES.get("chat").path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(CASES.get("chat").body)));

    await().until(() -> report().at("/total/input_tokens").asLong() == tokens(ASKED));
    assertThat(report().at("/total/output_tokens").asLong()).isEqualTo(tokens(SAID));
    assertThat(report().at("/total/calls_without_tokens").asLong()).isZero();
    assertThat(
            GATEWAY
                .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
                .body())
        .containsPattern(
            "memory_gateway_project_tokens_total\\{.*project=\"counted\".*} " + tokens(SAID));
    JsonNode listed =
        JSON.readTree(
            GATEWAY
                .send(
                    HttpRequest.newBuilder(
                        URI.create(GATEWAY.adminUrl() + "/admin/api/requests?project=counted")))
                .body());
    assertThat(listed.at("/requests/0/counted").asText()).isEqualTo("estimated");
  }

  /** The figures of a row of the request log. */
  private record Row(Long input, Long output, String counted) {}

  private static Row call(String path, String body, String id) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request(path)
                .header("Content-Type", "application/json")
                .header("X-Request-Id", id)
                .POST(BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(500);
    return await().until(() -> row("request_id = '" + id + "'"), Optional::isPresent).orElseThrow();
  }

  private static Optional<Row> row(String condition) {
    return DATABASE
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT input_tokens, output_tokens, counted FROM request_log WHERE "
                            + condition)
                    .map(
                        (row, context) ->
                            new Row(
                                row.getObject(1, Long.class),
                                row.getObject(2, Long.class),
                                row.getString(3)))
                    .findOne());
  }

  private static JsonNode report() throws Exception {
    return JSON.readTree(
        GATEWAY
            .send(
                HttpRequest.newBuilder(
                        URI.create(GATEWAY.adminUrl() + "/tasks/usage?format=json&project=counted"))
                    .POST(BodyPublishers.noBody()))
            .body());
  }

  private static long tokens(String text) {
    return COUNTER.count(text);
  }

  /** The answer's words, each in an event, and the events behind them. */
  private static List<String> pieces(String event, String... last) {
    List<String> events = new ArrayList<>();
    for (String word : SAID.split("(?= )", -1)) {
      events.add(event.formatted(word));
    }
    events.addAll(List.of(last));
    return events;
  }

  private static List<String> messages() {
    List<String> events = new ArrayList<>();
    events.add(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[]}}\n\n");
    events.add(
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
    events.addAll(
        pieces(
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
    return events;
  }

  private static List<String> responses() {
    String item =
        "{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"%s\"}]}";
    List<String> events = new ArrayList<>();
    events.add(
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"output\":[],\"usage\":null}}\n\n");
    events.add(
        "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}}\n\n");
    events.add(
        "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\"}}\n\n");
    events.addAll(
        pieces(
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"%s\"}\n\n",
            "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":"
                + item.formatted(SAID)
                + "}\n\n",
            "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":["
                + item.formatted(SAID)
                + "]}}\n\n"));
    return events;
  }
}
