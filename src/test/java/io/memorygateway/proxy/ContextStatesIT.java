package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §8: the context is bounded in every state of a thread: imported, written to by many at
 * once, with huge messages and calls of tools that are not answered yet, while its observer's model
 * answers, fails, and answers again, and where nobody observes.
 */
class ContextStatesIT {
  private static final int MESSAGE_TOKENS = 1_500;
  private static final int OBSERVATION_TOKENS = 1_000;
  private static final int BOUND = (MESSAGE_TOKENS + OBSERVATION_TOKENS) * 6 / 5;
  private static final int STEPS = 12;
  private static final String OBSERVER = "observer";
  private static final Pattern CONTEXT =
      Pattern.compile(
          "tokens=(\\d+); messages=(\\d+); observations=(\\d+); elided=(\\d+); recalled=\\d+");
  private static final Pattern ELIDED =
      Pattern.compile("\\[(\\d+) earlier messages? of this conversation (?:is|are) not shown yet");
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final AtomicBoolean OBSERVER_FAILS = new AtomicBoolean();

  @RegisterExtension
  @Order(1)
  static final TestDatabase DATABASE = new TestDatabase();

  @RegisterExtension
  @Order(2)
  static final TestDatabase UNOBSERVED_DATABASE = new TestDatabase();

  @RegisterExtension
  @Order(3)
  static final FakeUpstream UPSTREAM = FakeUpstream.start().answer(ContextStatesIT::answer);

  @RegisterExtension
  @Order(4)
  static final TestGateway OBSERVED = gateway(DATABASE, 2);

  @RegisterExtension
  @Order(5)
  static final TestGateway UNOBSERVED = gateway(UNOBSERVED_DATABASE, 0);

  private static TestGateway gateway(TestDatabase database, int workers) {
    return new TestGateway(database, UPSTREAM)
        .configured(
            config -> {
              ((ObjectNode) config.get("rateLimits")).putObject("rules");
              ((ObjectNode) config.get("observation"))
                  .put("model", "openai/" + OBSERVER)
                  .put("messageTokens", MESSAGE_TOKENS)
                  .put("observationTokens", OBSERVATION_TOKENS)
                  .put("workers", workers)
                  // The processors are busy with this test itself.
                  .put("minShare", 1);
              ((ObjectNode) config.get("recall")).put("tokens", 400);
            });
  }

  private static Answer answer(RecordedRequest request) {
    JsonNode body = request.json();
    if (!OBSERVER.equals(body.path("model").asText())) {
      return CannedReplies.answer(request);
    }
    if (OBSERVER_FAILS.get()) {
      return Answer.error(500, "server_error", "The observer's model is away.");
    }
    String notes = "* (09:30) The user told the agent about one more thing.\n".repeat(20);
    String text = "<observations>\nDate: November 23, 2026\n" + notes + "</observations>";
    return Answer.json(CannedReplies.reply(request.path(), body, text).json());
  }

  @BeforeEach
  void theModelAnswers() {
    OBSERVER_FAILS.set(false);
  }

  @Tag("heavy")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whateverHappensToAThreadItsContextIsBoundedAndSoonNothingIsLeftOut(long seed)
      throws Exception {
    Walk walk = new Walk(OBSERVED, "observed-" + seed, seed);
    walk.go();

    OBSERVER_FAILS.set(false);
    await().untilAsserted(() -> assertThat(walk.ask(CHAT).elided()).isZero());
    assertThat(walk.ask(CHAT).observations()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5})
  void whereNobodyObservesItIsBoundedTooAndEachMessageIsSentOrCounted(long seed) throws Exception {
    Walk walk = new Walk(UNOBSERVED, "unobserved-" + seed, seed);
    walk.go();

    int stored = walk.stored();
    Context last = walk.ask(CHAT);
    assertThat(last.elided()).isPositive();
    assertThat(last.observations()).isZero();
    assertThat(last.messages() + last.elided()).isEqualTo(stored);
  }

  /** What the answer's header says of the context. */
  private record Context(int tokens, int messages, int observations, int elided) {}

  /** Things that happen to one thread, with a call after each. */
  private static final class Walk {
    private final TestGateway gateway;
    private final String id;
    private final ThreadCaller thread;
    private final Random random;
    private int questions;

    Walk(TestGateway gateway, String id, long seed) {
      this.gateway = gateway;
      this.id = id;
      this.thread = new ThreadCaller(gateway, id);
      this.random = new Random(seed);
    }

    void go() throws Exception {
      gateway.send(
          gateway
              .request("/v1/memory/threads")
              .header("Content-Type", "application/json")
              .POST(
                  BodyPublishers.ofString(
                      "{\"id\":\"%s\",\"resourceId\":\"user-1\"}".formatted(id))));
      importHistory();
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(6)) {
          case 0 -> importHistory();
          case 1 -> burst();
          case 2 -> store(List.of(message(anyone(), "word ".repeat(20_000))));
          case 3 -> toolCall();
          case 4 -> OBSERVER_FAILS.set(!OBSERVER_FAILS.get());
          default -> ask(CHAT);
        }
        ask(List.of(CHAT, MESSAGES, RESPONSES).get(random.nextInt(3)));
      }
    }

    private String anyone() {
      return random.nextBoolean() ? "user" : "assistant";
    }

    private void importHistory() throws Exception {
      List<String> messages = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String text = "Thing %d was seen on the way home. ".formatted(random.nextInt(1_000));
        messages.add(message(i % 2 == 0 ? "user" : "assistant", text.repeat(1 + i % 7)));
      }
      store(messages);
    }

    private void burst() throws Exception {
      ExecutorService callers = Executors.newFixedThreadPool(6);
      try {
        List<Future<Context>> asked = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          asked.add(callers.submit(() -> ask(CHAT)));
        }
        for (Future<Context> one : asked) {
          one.get();
        }
      } finally {
        callers.shutdownNow();
      }
    }

    private void toolCall() throws Exception {
      String call = "call_" + random.nextInt(1_000_000);
      String text = "word ".repeat(random.nextInt(3_000));
      store(
          List.of(
              message("user", "Save it."),
              """
              {"role":"assistant","content":{"content":null,"tool_calls":[{"id":"%s","type":"function",\
              "function":{"name":"save","arguments":"{\\"text\\":\\"%s\\"}"}}]}}"""
                  .formatted(call, text)));
      if (random.nextBoolean()) {
        String result = "Saved " + call;
        check(
            result,
            thread.call(
                CHAT,
                chat(
                    "{\"role\":\"tool\",\"tool_call_id\":\"%s\",\"content\":\"%s\"}"
                        .formatted(call, result))));
      }
    }

    int stored() throws Exception {
      String first = gateway.get("/v1/memory/threads/" + id + "/messages?limit=1").body();
      return new ObjectMapper().readTree(first).path("total").asInt();
    }

    private void store(List<String> messages) throws Exception {
      HttpResponse<String> answer =
          gateway.send(
              gateway
                  .request("/v1/memory/threads/" + id + "/messages")
                  .header("Content-Type", "application/json")
                  .POST(
                      BodyPublishers.ofString(
                          "{\"messages\":[" + String.join(",", messages) + "]}")));
      assertThat(answer.statusCode()).isEqualTo(201);
    }

    Context ask(String path) throws Exception {
      String question = question();
      String body =
          switch (path) {
            case RESPONSES -> "{\"model\":\"gpt-5\",\"input\":\"" + question + "\"}";
            case MESSAGES ->
                "{\"model\":\"claude-opus-4\",\"max_tokens\":10,\"messages\":["
                    + message("user", question)
                    + "]}";
            default -> chat(message("user", question));
          };
      return check(question, thread.call(path, body));
    }

    private synchronized String question() {
      return "Question " + ++questions + " of " + id + "?";
    }

    /** Compares what went upstream with the bound, and with what the answer says. */
    private Context check(String question, HttpResponse<String> answer) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      String header = answer.headers().firstValue("X-Memory-Context").orElse("none");
      Matcher matcher = CONTEXT.matcher(header);
      assertThat(matcher.matches()).as(header).isTrue();
      Context context =
          new Context(
              Integer.parseInt(matcher.group(1)),
              Integer.parseInt(matcher.group(2)),
              Integer.parseInt(matcher.group(3)),
              Integer.parseInt(matcher.group(4)));
      JsonNode sent = sent(question);
      String text = sent.toString();
      long added = tokens(sent) - COUNTER.countContent("\"" + question + "\"");
      assertThat(added).as(header).isLessThanOrEqualTo(BOUND);
      assertThat((long) context.tokens()).as(header).isBetween(added * 9 / 10 - 20, (long) BOUND);
      Matcher elided = ELIDED.matcher(text);
      assertThat(elided.find() ? Integer.parseInt(elided.group(1)) : 0)
          .as(header)
          .isEqualTo(context.elided());
      assertPairs(messages(sent));
      return context;
    }
  }

  /** The body whose own message is this one. */
  private static JsonNode sent(String question) {
    return UPSTREAM.requests().stream()
        .map(RecordedRequest::json)
        .filter(body -> !OBSERVER.equals(body.path("model").asText()))
        .filter(body -> lastText(body).contains(question))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  private static String lastText(JsonNode body) {
    JsonNode messages = messages(body);
    return messages.isTextual() ? messages.asText() : messages.path(messages.size() - 1).toString();
  }

  private static JsonNode messages(JsonNode body) {
    return body.path(body.has("messages") ? "messages" : "input");
  }

  private static long tokens(JsonNode body) {
    long tokens = body.has("system") ? COUNTER.countContent(body.path("system").toString()) : 0;
    JsonNode messages = messages(body);
    if (messages.isTextual()) {
      return tokens + COUNTER.countContent(messages.toString());
    }
    for (JsonNode message : messages) {
      tokens += COUNTER.countContent(message.toString());
    }
    return tokens;
  }

  /** Every call of a tool has its result behind it, and every result its call before it. */
  private static void assertPairs(JsonNode messages) {
    Set<String> open = new HashSet<>();
    for (JsonNode message : messages) {
      message.path("tool_calls").forEach(call -> open.add(call.path("id").asText()));
      if (message.has("tool_call_id")) {
        assertThat(open.remove(message.path("tool_call_id").asText())).isTrue();
      }
      if ("function_call".equals(message.path("type").asText())) {
        open.add(message.path("call_id").asText());
      }
      if ("function_call_output".equals(message.path("type").asText())) {
        assertThat(open.remove(message.path("call_id").asText())).isTrue();
      }
      for (JsonNode part : message.path("content")) {
        if ("tool_use".equals(part.path("type").asText())) {
          open.add(part.path("id").asText());
        }
        if ("tool_result".equals(part.path("type").asText())) {
          assertThat(open.remove(part.path("tool_use_id").asText())).isTrue();
        }
      }
    }
    assertThat(open).isEmpty();
  }
}
