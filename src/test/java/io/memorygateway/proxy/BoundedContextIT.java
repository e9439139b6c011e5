package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §8: what memory adds to a call is bounded, also where nobody observes. */
class BoundedContextIT {
  private static final int MESSAGE_TOKENS = 2_000;
  private static final int OBSERVATION_TOKENS = 1_000;
  private static final int BOUND = (MESSAGE_TOKENS + OBSERVATION_TOKENS) * 6 / 5;

  private static final Pattern CONTEXT =
      Pattern.compile(
          "tokens=(\\d+); messages=(\\d+); observations=(\\d+); elided=(\\d+); recalled=(\\d+)");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ((ObjectNode) config.get("rateLimits")).putObject("rules");
                ((ObjectNode) config.get("observation"))
                    .put("messageTokens", MESSAGE_TOKENS)
                    .put("observationTokens", OBSERVATION_TOKENS)
                    .put("workers", 0);
                ((ObjectNode) config.get("recall")).put("tokens", 0);
              });

  private final String id = "bounded-" + UUID.randomUUID();
  private final ThreadCaller thread = new ThreadCaller(GATEWAY, id);

  @Test
  void afterAnImportTheNewestGoUpWithinTheBoundAndTheAnswerSaysSo() throws Exception {
    store(600, "was said");

    for (String path : List.of(CHAT, MESSAGES, RESPONSES)) {
      HttpResponse<String> answer = thread.call(path, body(path));

      Matcher context = context(answer);
      JsonNode sent = UPSTREAM.takeRequest().json();
      assertThat(tokens(sent)).isLessThan(BOUND).isGreaterThan(BOUND / 2);
      assertThat(number(context, 1)).isBetween(BOUND / 2, BOUND);
      assertThat(number(context, 2) + number(context, 4)).isGreaterThanOrEqualTo(600);
      assertThat(number(context, 4)).isGreaterThan(300);
      assertThat(sent.toString())
          .contains(
              "["
                  + number(context, 4)
                  + " earlier messages of this conversation are not shown yet.]");
    }
  }

  @Test
  void aStreamSaysItAsWellAndTheThreadIsObservedFirst() throws Exception {
    store(300, "was streamed");
    int before = jobsAhead();

    HttpResponse<String> answer =
        thread.call(CHAT, streamedChat(message("user", "What was streamed?")));

    assertThat(number(context(answer), 4)).isPositive();
    assertThat(jobsAhead()).isEqualTo(before + 1);
  }

  @Test
  void aShortThreadSaysWhatItHas() throws Exception {
    assertThat(context(thread.say("Hello.")).group())
        .isEqualTo("tokens=0; messages=0; observations=0; elided=0; recalled=0");
    Matcher second = context(thread.say("Hello again."));
    assertThat(second.group()).endsWith("messages=2; observations=0; elided=0; recalled=0");
    HttpResponse<String> plain =
        GATEWAY.send(
            GATEWAY
                .request(CHAT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(chat(message("user", "Hi")))));
    assertThat(plain.headers().firstValue("X-Memory-Context")).isEmpty();
  }

  @Test
  void aHugeMessageGoesUpInAShortFormAndNothingAboveTheBound() throws Exception {
    thread.say("Print it.");
    GATEWAY.send(post(List.of(message("assistant", "word ".repeat(60_000)))));

    HttpResponse<String> answer = thread.say("And now?");

    JsonNode sent = UPSTREAM.requests().get(UPSTREAM.requests().size() - 1).json();
    assertThat(tokens(sent)).isLessThan(BOUND);
    assertThat(sent.toString()).contains("characters are not shown", "word word");
    assertThat(number(context(answer), 2)).isPositive();
  }

  @Test
  void whatTheUserAskedGoesUpAsLongAsTheModelWorksAtIt() throws Exception {
    List<String> history = new ArrayList<>(List.of(message("user", "Rename foo to bar.")));
    for (int step = 0; step < 14; step++) {
      String call =
          "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c%d\",\"type\":\"function\","
              + "\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]}";
      String answer = call.formatted(step);
      UPSTREAM.answerAlways(
          Answer.json(
              "{\"choices\":[{\"index\":0,\"message\":%s,\"finish_reason\":\"tool_calls\"}]}"
                  .formatted(answer)));

      thread.call(CHAT, chat(history.toArray(String[]::new)));

      JsonNode sent = UPSTREAM.takeRequest().json();
      assertThat(sent.findValuesAsText("content").stream().filter("Rename foo to bar."::equals))
          .as("step %d: %s", step, sent)
          .hasSize(1);
      assertThat(tokens(sent)).isLessThan(BOUND + 1000);
      history.add(answer);
      history.add(
          "{\"role\":\"tool\",\"tool_call_id\":\"c%d\",\"content\":\"%s\"}"
              .formatted(step, "line ".repeat(400)));
    }
  }

  @Test
  void aCallOfAToolThatIsAnsweredNowGoesUpHoweverLargeItIs() throws Exception {
    String call =
        """
        {"role":"assistant","content":{"content":null,"tool_calls":[{"id":"call_1","type":"function",\
        "function":{"name":"save","arguments":"{\\"text\\":\\"%s\\"}"}}]}}"""
            .formatted("word ".repeat(30_000));
    store(40, "was asked");
    GATEWAY.send(post(List.of(message("user", "Save it."), call)));

    HttpResponse<String> answer =
        thread.call(
            CHAT, chat("{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"saved\"}"));

    JsonNode messages = UPSTREAM.takeRequest().json().path("messages");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(messages.path(messages.size() - 2).at("/tool_calls/0/id").asText())
        .isEqualTo("call_1");
    assertThat(messages.path(messages.size() - 2).at("/tool_calls/0/function/arguments").asText())
        .contains("omitted");
    assertThat(tokens(messages)).isLessThan(BOUND);
  }

  @Test
  void aThreadsOwnThresholdsHoldAtOnce() throws Exception {
    store(200, "was set");
    thread.say("Before.");
    int before = UPSTREAM.takeRequest().json().path("messages").size();
    HttpResponse<String> set =
        GATEWAY.send(
            GATEWAY
                .request("/v1/memory/threads/" + id + "/observations/config")
                .header("Content-Type", "application/json")
                .method(
                    "PATCH",
                    HttpRequest.BodyPublishers.ofString(
                        "{\"messageTokens\":500,\"observationTokens\":100,\"recallTokens\":0}")));
    assertThat(set.body())
        .isEqualTo(
            "{\"config\":{\"messageTokens\":500,\"observationTokens\":100,\"recallTokens\":0}}");

    thread.say("After.");

    JsonNode after = UPSTREAM.takeRequest().json();
    assertThat(after.path("messages").size()).isLessThan(before / 2);
    assertThat(tokens(after)).isLessThan(720);
  }

  private void store(int count, String what) throws Exception {
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"id\":\"" + id + "\",\"resourceId\":\"user-1\"}")));
    List<String> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.add(
          message(
              i % 2 == 0 ? "user" : "assistant", "Thing " + i + " " + what + " on the way home."));
    }
    assertThat(GATEWAY.send(post(messages)).statusCode()).isEqualTo(201);
  }

  private HttpRequest.Builder post(List<String> messages) {
    return GATEWAY
        .request("/v1/memory/threads/" + id + "/messages")
        .header("Content-Type", "application/json")
        .POST(
            HttpRequest.BodyPublishers.ofString(
                "{\"messages\":[" + String.join(",", messages) + "]}"));
  }

  private static String body(String path) {
    return switch (path) {
      case RESPONSES -> "{\"model\":\"gpt-5\",\"input\":\"And what now?\"}";
      case MESSAGES ->
          "{\"model\":\"claude-opus-4\",\"max_tokens\":10,\"messages\":["
              + message("user", "And now?")
              + "]}";
      default -> chat(message("user", "And what?"));
    };
  }

  private static Matcher context(HttpResponse<String> answer) {
    String header = answer.headers().firstValue("X-Memory-Context").orElse("none");
    Matcher matcher = CONTEXT.matcher(header);
    assertThat(matcher.matches()).as(header).isTrue();
    return matcher;
  }

  private static int number(Matcher context, int group) {
    return Integer.parseInt(context.group(group));
  }

  /** Of all texts in a body. */
  private static long tokens(JsonNode node) {
    if (node.isTextual()) {
      return new TokenCounter().count(node.asText());
    }
    long tokens = 0;
    for (JsonNode child : node) {
      tokens += tokens(child);
    }
    return tokens;
  }

  private static int jobsAhead() throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement();
        var jobs =
            statement.executeQuery(
                "SELECT COUNT(*) FROM observation_jobs WHERE due_at < requested_at")) {
      jobs.next();
      return jobs.getInt(1);
    }
  }
}
