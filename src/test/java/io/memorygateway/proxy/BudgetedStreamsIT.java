package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §15: streams hold more while they run, and end at their length where nothing is left.
 */
class BudgetedStreamsIT extends BudgetedStreams {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).configured(config -> configure(config, UPSTREAM));

  BudgetedStreamsIT() {
    super(GATEWAY);
  }

  @ParameterizedTest
  @CsvSource({
    "chat, chat", "messages, messages", "responses, responses",
    "messages, chat", "responses, chat", "chat, messages"
  })
  void aStreamThatNeedsMoreThanIsLeftEndsAtItsLength(String called, String served)
      throws Exception {
    BudgetedKey key = key(200);
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
    // Messages says what it has counted of the input, which is less here than what was held.
    assertThat(key.settled()).isBetween(185L, 200L);
  }

  @ParameterizedTest
  @CsvSource({"chat, chat", "messages, chat", "responses, chat", "messages, responses"})
  void aStreamThatBreaksOffBeforeAnyOfItsAnswerGivesAllBack(String called, String served)
      throws Exception {
    BudgetedKey key = key(1000);
    UPSTREAM.answer(
        request -> {
          List<String> events = CannedReplies.reply(request.path(), request.json(), LONG).events();
          return Answer.sseThen(events.subList(0, 1), Answer.reset());
        });

    HttpResponse<String> answer = stream(called, served, key, false);

    assertThat(answer.body()).contains("error");
    assertThat(key.settled()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"messages, chat", "responses, chat", "chat, messages"})
  void aWholeAnswerThatIsToldAsAStreamEndsAtWhatIsLeft(String called, String served)
      throws Exception {
    BudgetedKey key = key(200);
    UPSTREAM.answer(
        request -> {
          ObjectNode whole = ((ObjectNode) request.json()).put("stream", false);
          return Answer.json(CannedReplies.reply(request.path(), whole, LONG).json());
        });

    HttpResponse<String> answer = stream(called, served, key, false);

    assertThat(LONG).startsWith(checked(called, answer.body())).isNotEqualTo(answer.body());
    assertThat(checked(called, answer.body())).hasSize(512);
    assertThat(key.settled()).isPositive();
  }

  @Test
  void aStreamIsNotCutWhileThereIsBudget() throws Exception {
    BudgetedKey key = key(100_000);
    answerLong();

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    assertThat(checked("chat", answer.body())).isEqualTo(LONG);
    assertThat(key.settled()).isGreaterThan(400);
  }

  /** No other call tells of it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "key-budget?id=%s&name=b&unit=tokens&limit=9000&window=total",
        "key-budget-increase?id=%s&name=b&by=9000&expiresIn=1h",
        "project-budget?project=%2$s&name=b&unit=tokens&limit=9000&window=total"
      })
  void aStreamIsNotCutWhereItsLimitIsRaisedMeanwhile(String raise) throws Exception {
    String project = UUID.randomUUID().toString();
    BudgetedKey key = BudgetedKey.issue(GATEWAY, project);
    String owner = raise.startsWith("project") ? "project-budget?project=%2$s" : "key-budget?id=%s";
    String budget = owner + "&name=b&unit=tokens&limit=100&window=total";
    GATEWAY.task(budget.formatted(key.id(), project));
    Semaphore gate = new Semaphore(0);
    UPSTREAM.answer(
        request -> {
          CannedReplies.Reply reply = CannedReplies.reply(request.path(), request.json(), LONG);
          return Answer.sse(reply.events(), gate);
        });
    CompletableFuture<HttpResponse<String>> answer =
        key.posting(
            Routed.CHAT,
            "{\"model\":\"only-chat/m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Count.\"}]}");
    await().until(() -> key.limit().path("held").asLong() > 0);

    GATEWAY.task(raise.formatted(key.id(), project));
    gate.release(Integer.MAX_VALUE);

    assertThat(checked("chat", answer.get().body())).isEqualTo(LONG);
    assertThat(key.settled()).isGreaterThan(400);
  }

  /** As Messages does in the event that begins it, and some servers of Chat in every one. */
  @ParameterizedTest
  @CsvSource({"messages, messages", "chat, messages", "messages, chat", "chat, chat"})
  void ofAStreamThatIsCutTheInputIsAsTheTargetToldIt(String called, String served)
      throws Exception {
    BudgetedKey key = key(300);
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
    assertThat(key.settled()).isEqualTo(90 + output);
  }

  @Test
  void aTurnThatIsCutIsStoredAsFarAsItCame() throws Exception {
    BudgetedKey key = key(200);
    answerLong();

    HttpResponse<String> answer = stream("chat", "chat", key, true);

    String text = checked("chat", answer.body());
    assertStored(key, answer, text);
  }

  @Test
  void aLegacyCompletionThatNeedsMoreThanIsLeftEndsAtItsLength() throws Exception {
    BudgetedKey key = key(200);
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
    assertThat(key.settled()).isBetween(190L, 200L);
  }

  /** Also where servers say that a token was impossible. */
  @ParameterizedTest
  @CsvSource({"null", "-Infinity"})
  void everyChoiceOfAStreamIsCountedAndEnded(String logprob) throws Exception {
    BudgetedKey key = key(200);
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
    assertThat(key.settled()).isBetween(190L, 200L);
  }

  /** What the beginning of a stream is like, by which streams without usage may be counted. */
  @Test
  void aStreamWithoutUsageIsSettledAtWhatWasHeld() throws Exception {
    BudgetedKey key = key(8000);
    List<String> events = new ArrayList<>();
    events.add(chunk("{\"index\":0,\"delta\":{\"content\":\"" + LONG.repeat(10) + "\"}}"));
    events.addAll(Collections.nCopies(1500, chunk("{\"index\":0,\"delta\":{\"content\":\"a\"}}")));
    events.add(chunk("{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}"));
    UPSTREAM.answer(request -> Answer.sse(events));

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    assertThat(answer.body()).contains("\"stop\"").doesNotContain("length");
    long said = new TokenCounter().count(LONG.repeat(10)) + 1500L;
    assertThat(key.settled()).isBetween(said, said + 40);
  }

  @Test
  void aLastEventWithoutItsBlankLineIsCounted() throws Exception {
    BudgetedKey key = key(200);
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
    assertThat(key.settled()).isLessThan(100);
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

  private static void answerLong() {
    UPSTREAM.answer(
        request -> Answer.sse(CannedReplies.reply(request.path(), request.json(), LONG).events()));
  }
}
