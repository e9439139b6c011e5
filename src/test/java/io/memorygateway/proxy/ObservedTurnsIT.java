package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §7 and §8 together: what goes upstream of a long thread, as the upstream sees it. */
class ObservedTurnsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("OBSERVATION_MODEL", "openai/observer")
          .configured(
              config -> {
                ((ObjectNode) config.get("rateLimits")).putObject("rules");
                // What was said before is raw or observed here, and not quoted.
                ((ObjectNode) config.get("recall")).put("tokens", 0);
                ObjectNode observation = (ObjectNode) config.get("observation");
                observation
                    .put("messageTokens", 300)
                    .put("observationTokens", 600)
                    .put("timeMarks", false)
                    .put("pollInterval", "10ms")
                    // The processors are busy with this test itself.
                    .put("minShare", 1)
                    .put("callTimeout", "1s")
                    .put("callAttempts", 1);
                observation.putObject("projects").putObject("patient").put("messageTokens", 5000);
              });

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What the observer model does. */
  enum Mood {
    GOOD,
    FAILS_HALF_OF_THE_TIME,
    GARBAGE,
    HANGS
  }

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource(Mood.class)
  void eachMessageGoesUpRawOrObservedAndTheContextStaysSmall(Mood mood) throws Exception {
    int turns =
        switch (mood) {
          case GOOD -> 150;
          case HANGS -> 14;
          case FAILS_HALF_OF_THE_TIME, GARBAGE -> 40;
        };
    int[] asked = {0};
    UPSTREAM.answer(answers(request -> observer(mood, ++asked[0], request)));
    ThreadCaller caller = new ThreadCaller(GATEWAY, "thread-" + mood);
    String log = "";
    int generation = 0;
    for (int turn = 0; turn < turns; turn++) {
      // As the call will find it: nobody is at work now.
      int observedMessages = observedMessages("thread-" + mood);
      int now = generation("thread-" + mood);
      assertThat(caller.say(said(turn)).statusCode()).isEqualTo(200);
      JsonNode sent = lastChat();
      assertThat(rawTail(sent, turn) + observedMessages)
          .as("messages raw or observed in turn %s", turn)
          .isEqualTo(2 * turn + 1);
      String observations = observations(sent);
      assertThat(observations.isEmpty()).isEqualTo(observedMessages == 0);
      assertThat(sent.toString().length()).as("characters sent in turn %s", turn).isLessThan(9_000);
      if (!observations.isEmpty()) {
        String prefix = observations.substring(0, observations.indexOf("\n</observations>"));
        if (now == generation) {
          assertThat(prefix).startsWith(log);
        }
        generation = now;
        log = prefix;
      }
      awaitIdle();
    }
    assertThat(log).as("observations went upstream").isNotEmpty();
    assertThat(generations("thread-" + mood))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(0, generation("thread-" + mood)).boxed().toList());
    String config =
        GATEWAY.get("/v1/memory/threads/thread-" + mood + "/observations/record").body();
    assertThat(config).contains("\"model\":\"openai/observer\"");
    if (mood == Mood.GOOD) {
      // Of all records: on a busy machine, the model may have been given up for one of them.
      assertThat(
              GATEWAY
                  .get("/v1/memory/threads/thread-" + mood + "/observations/history?limit=200")
                  .body())
          .contains("\"observer\":\"model\"");
      assertThat(generation).isGreaterThan(3);
    } else if (mood != Mood.FAILS_HALF_OF_THE_TIME) {
      assertThat(config).contains("\"observer\":\"extractive\"");
    }
  }

  @Test
  void aTurnDoesNotWaitForAnObserverThatHangs() throws Exception {
    UPSTREAM.answer(answers(request -> Answer.hang()));
    ThreadCaller caller = new ThreadCaller(GATEWAY, "unhindered");
    for (int turn = 0; turn < 12; turn++) {
      assertThat(caller.say(said(turn)).statusCode()).isEqualTo(200);
    }
    assertThat(caller.stored()).hasSize(24);
    awaitIdle();
    assertThat(metrics())
        .contains("memory_gateway_observer_model_failures_total{reason=\"timeout\"}");
  }

  @Test
  void whileTheModelIsAskedTheRecordSaysSo() throws Exception {
    Queue<Boolean> seen = new ConcurrentLinkedQueue<>();
    UPSTREAM.answer(
        answers(
            request -> {
              seen.add(isWorkedOn("watched"));
              return observer(Mood.GOOD, 1, request);
            }));
    ThreadCaller caller = new ThreadCaller(GATEWAY, "watched");
    for (int turn = 0; turn < 12; turn++) {
      caller.say(said(turn));
      awaitIdle();
    }
    assertThat(seen).contains(true);
    assertThat(isWorkedOn("watched")).isFalse();
  }

  @Test
  void aProjectMayHaveThresholdsOfItsOwn() throws Exception {
    UPSTREAM.answer(answers(request -> observer(Mood.GOOD, 1, request)));
    String patient = GATEWAY.issueKey("patient");
    ThreadCaller usual = new ThreadCaller(GATEWAY, "usual");
    for (int turn = 0; turn < 12; turn++) {
      usual.say(said(turn));
      GATEWAY.send(
          usual
              .request(
                  ThreadCaller.CHAT, ThreadCaller.chat(ThreadCaller.message("user", said(turn))))
              .setHeader("Authorization", "Bearer " + patient));
    }
    awaitIdle();

    String record = "/v1/memory/threads/usual/observations/record";
    assertThat(JSON.readTree(GATEWAY.get(record).body()).path("record").isObject()).isTrue();
    String spared =
        GATEWAY
            .send(GATEWAY.request(record).setHeader("Authorization", "Bearer " + patient))
            .body();
    assertThat(JSON.readTree(spared).path("record").isNull()).as(spared).isTrue();
  }

  @Test
  void theObserversTokensAreAccountedApart() throws Exception {
    UPSTREAM.answer(answers(request -> observer(Mood.GOOD, 1, request)));
    ThreadCaller caller = new ThreadCaller(GATEWAY, "accounted");
    for (int turn = 0; turn < 12; turn++) {
      caller.say(said(turn));
      // Who talks faster than the observer works leaves it no time to prepare anything.
      awaitIdle();
    }
    assertThat(metrics())
        .contains("memory_gateway_observer_model_tokens_total{kind=\"input\"}")
        .contains("memory_gateway_observations_total{prepared=\"true\"}")
        .contains("memory_gateway_observation_lag_seconds");
  }

  private static Function<RecordedRequest, Answer> answers(
      Function<RecordedRequest, Answer> observer) {
    return request ->
        request.json().path("model").asText().equals("observer")
            ? observer.apply(request)
            : Answer.json(reply("Very well, noted."));
  }

  private static Answer observer(Mood mood, int number, RecordedRequest request) {
    return switch (mood) {
      case HANGS -> Answer.hang();
      case GARBAGE -> Answer.json(reply("I would rather not."));
      case FAILS_HALF_OF_THE_TIME ->
          number % 2 == 0
              ? Answer.error(500, "server_error", "no")
              : Answer.json(reply(notes(request)));
      case GOOD -> Answer.json(reply(notes(request)));
    };
  }

  /** What a good model would note: the numbers of the things that were said. */
  private static String notes(RecordedRequest request) {
    StringBuilder notes = new StringBuilder("<observations>\nDate: November 20, 2026\n");
    String text = request.json().at("/messages/1/content").asText();
    boolean reflects = !text.contains("<message-");
    int count = 0;
    for (String line : text.lines().toList()) {
      if (reflects ? line.startsWith("* ") && count++ < 5 : line.startsWith("Thing ")) {
        notes
            .append(reflects ? line : "* 🟡 (09:30) User says: " + line.substring(0, 40))
            .append('\n');
      }
    }
    return notes + "* 🟢 (09:31) That is all.\n</observations>";
  }

  private static String reply(String text) {
    return """
        {"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop",
        "message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}
        """
        .formatted(JSON.valueToTree(text));
  }

  private static String said(int turn) {
    return "Thing "
        + turn
        + " is that I want to visit town "
        + turn
        + " and need "
        + turn * 7
        + " tickets for it, please. So it goes on and on.";
  }

  private static JsonNode lastChat() {
    List<RecordedRequest> requests = UPSTREAM.requests();
    for (int i = requests.size() - 1; i >= 0; i--) {
      JsonNode body = requests.get(i).json();
      if (!body.path("model").asText().equals("observer")) {
        return body;
      }
    }
    throw new AssertionError("nothing was asked");
  }

  /** How many messages went up raw: the newest, without a gap, and the new one last. */
  private static int rawTail(JsonNode sent, int turn) {
    List<Integer> users = new ArrayList<>();
    int raw = 0;
    for (JsonNode message : sent.path("messages")) {
      String role = message.path("role").asText();
      String text = message.path("content").asText();
      if (role.equals("user")) {
        users.add(Integer.parseInt(text.substring(6, text.indexOf(' ', 6))));
      }
      raw += role.equals("system") ? 0 : 1;
    }
    assertThat(users).isNotEmpty();
    for (int i = 0; i < users.size(); i++) {
      assertThat(users.get(i)).isEqualTo(turn - users.size() + 1 + i);
    }
    return raw;
  }

  private static int observedMessages(String thread) {
    return count(
        "SELECT COUNT(*) FROM messages m JOIN threads t ON t.id = m.thread_id"
            + " JOIN observation_states s ON s.thread_id = t.id AND m.seq <= s.observed_seq"
            + " WHERE t.public_id = '"
            + thread
            + "'");
  }

  private static int count(String query) {
    return DATABASE
        .jdbi()
        .withHandle(handle -> handle.createQuery(query).mapTo(Integer.class).one());
  }

  private static String observations(JsonNode sent) {
    for (JsonNode message : sent.path("messages")) {
      String text = message.path("content").asText();
      if (message.path("role").asText().equals("system") && text.contains("<observations>")) {
        return text;
      }
    }
    return "";
  }

  private static boolean isWorkedOn(String thread) {
    JsonNode record;
    try {
      record =
          JSON.readTree(
              GATEWAY.get("/v1/memory/threads/" + thread + "/observations/record").body());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    return Stream.of("isObserving", "isBufferingObservation")
        .anyMatch(flag -> record.at("/record/" + flag).asBoolean());
  }

  private static int generation(String thread) throws Exception {
    JsonNode record =
        JSON.readTree(GATEWAY.get("/v1/memory/threads/" + thread + "/observations/record").body());
    return record.at("/record/generationCount").asInt();
  }

  private static List<Integer> generations(String thread) throws Exception {
    List<Integer> generations = new ArrayList<>();
    JSON.readTree(
            GATEWAY.get("/v1/memory/threads/" + thread + "/observations/history?limit=200").body())
        .path("records")
        .forEach(record -> generations.add(record.path("generationCount").asInt()));
    return generations;
  }

  private static String metrics() throws Exception {
    return GATEWAY
        .send(
            java.net.http.HttpRequest.newBuilder(
                java.net.URI.create(GATEWAY.adminUrl() + "/metrics")))
        .body();
  }

  private static void awaitIdle() {
    await().pollInterval(Duration.ofMillis(5)).until(ObservedTurnsIT::isIdle);
  }

  private static boolean isIdle() {
    return count("SELECT COUNT(*) FROM observation_jobs") == 0;
  }
}
