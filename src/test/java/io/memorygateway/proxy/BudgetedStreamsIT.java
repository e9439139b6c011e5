package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.chat.ChatStreamRules;
import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.format.responses.ResponsesStreamRules;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Contract §15: streams hold more while they run, and end at their length where nothing is left.
 */
class BudgetedStreamsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);
  private static final String LONG = "one two three four five six seven eight nine ten ".repeat(40);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : PATHS.keySet()) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages").add("responses");
                }
                Routed.provider(config, "legacy", UPSTREAM)
                    .putArray("endpoints")
                    .add("completions");
                config.withObject("/budgets").put("assumedOutput", 20);
              });

  @ParameterizedTest
  @CsvSource({
    "chat, chat", "messages, messages", "responses, responses",
    "messages, chat", "responses, chat", "chat, messages"
  })
  void aStreamThatNeedsMoreThanIsLeftEndsAtItsLength(String called, String served)
      throws Exception {
    JsonNode key = key("200");
    answerLong();

    HttpResponse<String> answer = stream(called, served, key, false);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String text = checked(called, answer.body());
    assertThat(text).isNotEmpty();
    assertThat(LONG).startsWith(text).isNotEqualTo(text);
    switch (called) {
      case "chat" -> assertThat(answer.body()).contains("\"finish_reason\":\"length\"", "[DONE]");
      case "messages" -> assertThat(answer.body()).contains("\"stop_reason\":\"max_tokens\"");
      default -> assertThat(answer.body()).contains("response.incomplete", "max_output_tokens");
    }
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    // Messages says what it has counted of the input, which is less here than what was held.
    assertThat(limit(key).path("used").asLong()).isBetween(185L, 200L);
  }

  @ParameterizedTest
  @CsvSource({"chat, chat", "messages, chat", "responses, chat", "messages, responses"})
  void aStreamThatBreaksOffBeforeAnyOfItsAnswerGivesAllBack(String called, String served)
      throws Exception {
    JsonNode key = key("1000");
    UPSTREAM.answer(
        request -> {
          List<String> events = CannedReplies.reply(request.path(), request.json(), LONG).events();
          return Answer.sseThen(events.subList(0, 1), Answer.reset());
        });

    HttpResponse<String> answer = stream(called, served, key, false);

    assertThat(answer.body()).contains("error");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"messages, chat", "responses, chat", "chat, messages"})
  void aWholeAnswerThatIsToldAsAStreamEndsAtWhatIsLeft(String called, String served)
      throws Exception {
    JsonNode key = key("200");
    UPSTREAM.answer(
        request -> {
          ObjectNode whole = ((ObjectNode) request.json()).put("stream", false);
          return Answer.json(CannedReplies.reply(request.path(), whole, LONG).json());
        });

    HttpResponse<String> answer = stream(called, served, key, false);

    assertThat(LONG).startsWith(checked(called, answer.body())).isNotEqualTo(answer.body());
    assertThat(checked(called, answer.body())).hasSize(512);
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
  }

  @Test
  void aStreamIsNotCutWhileThereIsBudget() throws Exception {
    JsonNode key = key("100000");
    answerLong();

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    assertThat(checked("chat", answer.body())).isEqualTo(LONG);
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isGreaterThan(400);
  }

  /** As Messages does in the event that begins it, and some servers of Chat in every one. */
  @ParameterizedTest
  @CsvSource({"messages, messages", "chat, messages", "messages, chat", "chat, chat"})
  void ofAStreamThatIsCutTheInputIsAsTheTargetToldIt(String called, String served)
      throws Exception {
    JsonNode key = key("300");
    String told =
        served.equals("chat")
            ? "\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":1,"
                + "\"prompt_tokens_details\":{\"cached_tokens\":50}}"
            : "\"usage\":{\"input_tokens\":30,\"cache_creation_input_tokens\":10,"
                + "\"cache_read_input_tokens\":50,\"output_tokens\":1}";
    UPSTREAM.answer(
        request ->
            Answer.sse(
                CannedReplies.reply(request.path(), request.json(), LONG).events().stream()
                    .map(
                        event ->
                            served.equals("chat")
                                ? event.replace("\"usage\":null", told)
                                : event.contains("message_start")
                                    ? event.replaceFirst("\"usage\":\\{[^}]*}", told)
                                    : event)
                    .toList()));

    String body = stream(called, served, key, false).body();

    String last = body.substring(body.lastIndexOf("_tokens\":") - 250);
    long output =
        Long.parseLong(last.replaceFirst("(?s).*(output|completion)_tokens\":(\\d+).*", "$2"));
    assertThat(output).isGreaterThan(100);
    assertThat(last)
        .contains(
            called.equals("chat") ? "\"cached_tokens\":50" : "\"cache_read_input_tokens\":50");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isEqualTo(90 + output);
  }

  @Test
  void aTurnThatIsCutIsStoredAsFarAsItCame() throws Exception {
    JsonNode key = key("200");
    answerLong();

    HttpResponse<String> answer = stream("chat", "chat", key, true);

    String text = checked("chat", answer.body());
    assertStored(key, answer, text);
  }

  /** The thread has the name of the key. */
  private static void assertStored(JsonNode key, HttpResponse<String> answer, String text)
      throws Exception {
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    HttpResponse<String> stored =
        GATEWAY.send(
            HttpRequest.newBuilder(
                    URI.create(
                        GATEWAY.url()
                            + "/v1/memory/threads/%s/messages?resourceId=someone"
                                .formatted(key.path("id").asText())))
                .header("Authorization", "Bearer " + key.path("key").asText()));
    assertThat(stored.body().contains(text.strip())).isTrue();
  }

  @Test
  void aLegacyCompletionThatNeedsMoreThanIsLeftEndsAtItsLength() throws Exception {
    JsonNode key = key("200");
    answerChunks("{\"index\":0,\"text\":\"one two three \",\"finish_reason\":null}");

    HttpResponse<String> answer =
        stream(
            "/v1/completions",
            key,
            "{\"model\":\"legacy/m\",\"stream\":true,\"prompt\":\"Count.\"}");

    assertThat(answer.body())
        .contains("\"text\":\"one two three \"")
        .contains("{\"index\":0,\"text\":\"\",\"logprobs\":null,\"finish_reason\":\"length\"}")
        .endsWith("data: [DONE]\n\n");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isBetween(190L, 200L);
  }

  /** Also where servers say that a token was impossible. */
  @ParameterizedTest
  @CsvSource({"null", "-Infinity"})
  void everyChoiceOfAStreamIsCountedAndEnded(String logprob) throws Exception {
    JsonNode key = key("200");
    String rest =
        " \"},\"logprobs\":{\"content\":[{\"logprob\":%s}]},\"finish_reason\":null}"
            .formatted(logprob);
    answerChunks(
        "{\"index\":0,\"delta\":{\"content\":\"one two three" + rest,
        "{\"index\":1,\"delta\":{\"content\":\"four five six" + rest);

    HttpResponse<String> answer =
        stream(
            Routed.CHAT,
            key,
            "{\"model\":\"only-chat/m\",\"stream\":true,\"n\":2,"
                + "\"messages\":[{\"role\":\"user\",\"content\":\"Count.\"}]}");

    String end = "\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\"}";
    assertThat(answer.body().split("one two three|four five six"))
        .as("pieces of three tokens or four")
        .hasSizeBetween(190 / 4 - 5, 200 / 3);
    assertThat(answer.body())
        .contains("{\"index\":0," + end, "{\"index\":1," + end)
        .endsWith("data: [DONE]\n\n");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isBetween(190L, 200L);
  }

  /** What the beginning of a stream is like, by which streams without usage may be counted. */
  @Test
  void aStreamWithoutUsageIsSettledAtWhatWasHeld() throws Exception {
    JsonNode key = key("8000");
    List<String> events = new ArrayList<>();
    events.add(chunk("{\"index\":0,\"delta\":{\"content\":\"" + LONG.repeat(10) + "\"}}"));
    events.addAll(Collections.nCopies(1500, chunk("{\"index\":0,\"delta\":{\"content\":\"a\"}}")));
    events.add(chunk("{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}"));
    UPSTREAM.answer(request -> Answer.sse(events));

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    assertThat(answer.body()).contains("\"stop\"").doesNotContain("length");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    long said = new TokenCounter().count(LONG.repeat(10)) + 1500L;
    assertThat(limit(key).path("used").asLong()).isBetween(said, said + 40);
  }

  @Test
  void anEventThatIsPassedOnInPiecesIsCountedAndEnded() throws Exception {
    JsonNode key = key("400000");
    String text = LONG.repeat((3 << 20) / LONG.length());
    String choice = "{\"index\":0,\"delta\":{\"%s\":\"%s\"}}";
    List<String> events =
        List.of(
            chunk(choice.formatted("role", "assistant")), chunk(choice.formatted("content", text)));
    UPSTREAM.answer(request -> Answer.sse(events));

    HttpResponse<String> answer = stream("chat", "chat", key, true);

    String told = checked("chat", answer.body());
    assertThat(text.startsWith(told)).isTrue();
    assertThat(told.length()).isGreaterThan(1 << 20);
    assertStored(key, answer, told);
    assertThat(answer.body()).contains("\"finish_reason\":\"length\"", "[DONE]");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isBetween(300_000L, 400_000L);
  }

  /** Its end tells less than the caller got, so it says nothing of the item. */
  @Test
  void soItIsStoredOfResponses() throws Exception {
    JsonNode key = key("400000");
    String at = "\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,";
    List<String> data =
        List.of(
            "response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\",\"output\":[]}}",
            "response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\","
                + "\"role\":\"assistant\",\"status\":\"in_progress\",\"content\":[]}}",
            "response.content_part.added\","
                + at
                + "\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}}",
            "response.output_text.delta\","
                + at
                + "\"delta\":\""
                + LONG.repeat((3 << 20) / LONG.length())
                + "\"}");
    List<String> events = data.stream().map(each -> "data: {\"type\":\"" + each + "\n\n").toList();
    UPSTREAM.answer(request -> Answer.sse(events));

    HttpResponse<String> answer = stream("responses", "responses", key, true);

    String told = answer.body().replaceFirst("(?s).*\"delta\":\"", "").replaceFirst("(?s)\".*", "");
    assertThat(told.length()).isGreaterThan(1 << 20);
    assertThat(answer.body()).contains("response.incomplete");
    assertStored(key, answer, told);
  }

  @Test
  void aPictureIsNoText() throws Exception {
    String picture = "iVBORw0KGgo".repeat(200_000);
    JsonNode key = key("1000");
    UPSTREAM.answer(
        request -> {
          List<String> events =
              new ArrayList<>(
                  CannedReplies.reply(request.path(), request.json(), "Done.").events());
          events.add(
              1,
              request.path().endsWith("responses")
                  ? "event: response.image_generation_call.partial_image\ndata: {\"type\":"
                      + "\"response.image_generation_call.partial_image\",\"partial_image_b64\":\""
                      + picture
                      + "\"}\n\n"
                  : chunk(
                      "{\"index\":0,\"delta\":{\"images\":[{\"image_url\":{\"url\":\"data:"
                          + picture
                          + "\"}}]}}"));
          return Answer.sse(events);
        });

    for (String format : List.of("responses", "chat")) {
      String told = stream(format, format, key, false).body();
      assertThat(told.contains(picture)).as(format).isTrue();
      assertThat(told.contains("response.incomplete") || told.contains("\"length\"")).isFalse();
    }
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isLessThan(200);
  }

  /** Nothing of it was taken, and what was passed on before it stays. */
  @ParameterizedTest
  @CsvSource({"messages, false", "messages, true", "chat, false"})
  void aLongEventThatIsRefusedTakesNothingBack(String format, boolean isUnreadable)
      throws Exception {
    JsonNode key = key("400");
    String text = LONG.repeat((3 << 20) / LONG.length());
    String start =
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    String delta =
        "data: {\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"},\"type\":\"content_block_delta\",\"index\":0}\n\n";
    String unreadable = "data: {\"delta\":{\"text\":\"" + LONG.repeat(4) + "\"\n\n";
    String choice = "{\"index\":%d,\"delta\":{\"content\":\"%s\"},\"finish_reason\":%s}";
    List<String> events =
        format.equals("messages")
            ? List.of(start, isUnreadable ? unreadable : delta.formatted(text))
            : List.of(
                chunk(choice.formatted(0, "one", null)),
                chunk(choice.formatted(1, "one", null)),
                chunk(choice.formatted(0, "", "\"stop\"")),
                chunk(choice.formatted(1, text, null)));
    UPSTREAM.answer(request -> Answer.sse(events));

    String told = stream(format, format, key, false).body();

    if (format.equals("messages")) {
      assertThat(told).contains("event: content_block_stop\ndata: {\"index\":0,", "message_stop");
    } else {
      assertThat(told)
          .contains("{\"index\":1,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\"}")
          .doesNotContain("{\"index\":0,\"delta\":{},\"logprobs\"");
    }
  }

  @Test
  void aLongEventEndsAsJsonWhereverItIsCut() throws Exception {
    JsonNode key = key("100000");
    String choice = "{\"index\":0,\"delta\":{\"content\":\"one two \"}}";
    UPSTREAM.answer(request -> Answer.sse(List.of(chunk(choice + ("," + choice).repeat(60_000)))));

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    JsonNode cut = JSON.readTree(answer.body().lines().findFirst().orElseThrow().substring(6));
    assertThat(cut.path("choices").size()).isBetween(20_000, 40_000);
    assertThat(
            answer
                .body()
                .split(
                    "\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\""))
        .as("this event and those that end the stream")
        .hasSize(1 + 3);
    assertThat(answer.body()).contains("\"finish_reason\":\"length\"").endsWith("[DONE]\n\n");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isBetween(50_000L, 100_000L);
  }

  /** Whose type is not known before its text, or which tells what no event before it has told. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "responses|data: {\"content_index\":0,\"delta\":\"%s\",\"type\":\"response.output_text.delta\"}",
        "responses|data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"%s\"}]}}",
        "messages|data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"%s\"}}"
      })
  void aLongEventOfAnyTypeIsCounted(String format, String event) throws Exception {
    JsonNode key = key("400000");
    String text = LONG.repeat((3 << 20) / LONG.length());
    UPSTREAM.answer(request -> Answer.sse(List.of(event.formatted(text) + "\n\n")));

    HttpResponse<String> answer = stream(format, format, key, false);

    assertThat(answer.body().contains("max_output_tokens") || answer.body().contains("max_tokens"))
        .isTrue();
    if (format.equals("messages")) {
      assertThat(answer.body()).contains("event: content_block_stop\ndata: {\"index\":0,");
    }
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isBetween(250_000L, 400_000L);
  }

  @Test
  void aLastEventWithoutItsBlankLineIsCounted() throws Exception {
    JsonNode key = key("200");
    String last =
        chunk("{\"index\":0,\"delta\":{\"content\":\"" + LONG + "\"},\"finish_reason\":\"stop\"}");
    UPSTREAM.answer(
        request ->
            Answer.sse(
                List.of(
                    chunk("{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"one\"}}"),
                    last.strip())));

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    assertThat(checked("chat", answer.body())).isEqualTo("one");
    assertThat(answer.body()).contains("\"finish_reason\":\"length\"").endsWith("[DONE]\n\n");
    await().untilAsserted(() -> assertThat(limit(key).path("held").asLong()).isZero());
    assertThat(limit(key).path("used").asLong()).isLessThan(100);
  }

  private static String chunk(String choice) {
    return "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":["
        + choice
        + "]}\n\n";
  }

  /** A stream of many chunks, each with one of these choices in turn. */
  private static void answerChunks(String... choices) {
    List<String> events = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      events.add(chunk(choices[i % choices.length]));
    }
    events.add("data: [DONE]\n\n");
    UPSTREAM.answer(request -> Answer.sse(events));
  }

  private static HttpResponse<String> stream(String path, JsonNode key, String body)
      throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
                .header("Authorization", "Bearer " + key.path("key").asText())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  private static void answerLong() {
    UPSTREAM.answer(
        request -> Answer.sse(CannedReplies.reply(request.path(), request.json(), LONG).events()));
  }

  /** The text of a stream that keeps every rule of its format. */
  private static String checked(String format, String body) throws Exception {
    StringBuilder text = new StringBuilder();
    switch (format) {
      case "chat" -> {
        ChatStreamRules unused = ChatStreamRules.of(body);
      }
      case "messages" -> {
        MessagesStreamRules unused = MessagesStreamRules.check(body);
      }
      default -> {
        ResponsesStreamRules rules = new ResponsesStreamRules();
        rules.takeAll(body);
        rules.end();
      }
    }
    for (String line : body.lines().filter(each -> each.startsWith("data: {")).toList()) {
      JsonNode event = JSON.readTree(line.substring("data: ".length()));
      text.append(event.at("/choices/0/delta/content").asText(""));
      text.append(event.at("/delta/text").asText(""));
      if (event.path("type").asText().equals("response.output_text.delta")) {
        text.append(event.path("delta").asText());
      }
    }
    return text.toString();
  }

  private static JsonNode key(String limit) throws Exception {
    JsonNode key = GATEWAY.task("key-issue?project=streams&name=k");
    GATEWAY.task(
        "key-budget?id=%s&name=b&unit=tokens&limit=%s&window=total"
            .formatted(key.path("id").asText(), limit));
    return key;
  }

  private static HttpResponse<String> stream(
      String called, String served, JsonNode key, boolean remembered) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + PATHS.get(called)))
            .header("Authorization", "Bearer " + key.path("key").asText())
            .header("Content-Type", "application/json");
    if (remembered) {
      request.header("x-thread-id", key.path("id").asText()).header("x-resource-id", "someone");
    }
    String member = called.equals("responses") ? "\"input\":" : "\"messages\":";
    // Messages demands a limit; this one is the model's most.
    String limit = called.equals("messages") ? ",\"max_tokens\":150" : "";
    return GATEWAY.send(
        request.POST(
            HttpRequest.BodyPublishers.ofString(
                "{\"model\":\"only-%s/m\",\"stream\":true,%s[{\"role\":\"user\",\"content\":\"Count.\"}]%s}"
                    .formatted(served, member, limit))));
  }

  private static JsonNode limit(JsonNode key) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/usage/limits"))
                .header("Authorization", "Bearer " + key.path("key").asText()));
    for (JsonNode limit : JSON.readTree(answer.body()).path("limits")) {
      if (limit.path("name").asText().equals("b")) {
        return limit;
      }
    }
    throw new AssertionError(answer.body());
  }
}
