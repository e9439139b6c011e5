package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.proxy.Routed.Script;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §10: memory, Idempotency-Key and rate limits see one call; the request log attempts. */
class RoutedTurnsIT {
  private static final Answer FAILURE = Answer.error(503, "server_error", "no");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.exactLimits(config);
                Routed.provider(config, "one", UPSTREAM);
                Routed.provider(config, "two", UPSTREAM);
                Routed.route(config, "r", "one/bad", "two/good");
                Routed.route(config, "mixed", "one/claude-1", "two/kimi-2");
                Routed.route(config, "waits", "one/waits");
                Routed.route(config, "shared", "one/s1 two/s2");
              });

  @BeforeEach
  void closeCircuits() throws Exception {
    for (String target :
        List.of(
            "one&model=bad",
            "two&model=good",
            "one&model=claude-1",
            "two&model=kimi-2",
            "one&model=waits")) {
      GATEWAY.task("circuit?state=closed&provider=" + target);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/chat/completions, false", "/v1/chat/completions, true",
    "/v1/messages, false", "/v1/messages, true",
    "/v1/responses, false", "/v1/responses, true"
  })
  void ofATurnWhatWasCommittedIsStored(String path, boolean stream) throws Exception {
    UPSTREAM.answer(new Script().on("bad", FAILURE));
    String thread = "t" + path.replace('/', '-') + stream;

    HttpResponse<String> answer = turn(path, "r", stream, thread);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Memory-Status")).contains("stored");
    List<String> stored = new ThreadCaller(GATEWAY, thread).stored();
    assertThat(stored).hasSize(2);
    assertThat(stored.get(0)).contains("Hello?");
    assertThat(stored.get(1)).contains("Hello from the upstream.").doesNotContain("incomplete");
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @Test
  void theTurnsOfAThreadGoToOneTargetAndThreadsToAll() throws Exception {
    Set<String> all = new HashSet<>();
    for (int thread = 0; thread < 12; thread++) {
      Set<String> targets = new HashSet<>();
      for (int turn = 0; turn < 3; turn++) {
        targets.add(target(turn(Routed.CHAT, "shared", turn == 1, "stays-" + thread)));
      }
      assertThat(targets).hasSize(1);
      all.addAll(targets);
    }
    assertThat(all).containsExactlyInAnyOrder("one/s1", "two/s2");
  }

  @Test
  void theCallsOfAPromptCacheKeyGoToOneTarget() throws Exception {
    Set<String> targets = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      String body = Routed.body(Routed.RESPONSES, "shared", false);
      targets.add(
          target(
              GATEWAY.post(
                  Routed.RESPONSES, body.replaceFirst(",", ",\"prompt_cache_key\":\"k\","))));
    }
    assertThat(targets).hasSize(1);
  }

  private static String target(HttpResponse<String> answer) {
    return answer.headers().firstValue("X-Gateway-Target").orElseThrow();
  }

  @Test
  void ifAllTargetsFailNothingIsStored() throws Exception {
    UPSTREAM.answerAlways(FAILURE);

    assertThat(turn(Routed.CHAT, "r", true, "nothing").statusCode()).isEqualTo(503);

    UPSTREAM.reset();
    closeCircuits();
    assertThat(turn(Routed.CHAT, "r", false, "nothing").statusCode()).isEqualTo(200);
    assertThat(new ThreadCaller(GATEWAY, "nothing").stored()).hasSize(2);
  }

  @Test
  void anIdempotencyKeySeesOneCall() throws Exception {
    UPSTREAM.answer(new Script().on("bad", FAILURE));
    String[] key = {"Idempotency-Key", "k1", "x-thread-id", "keyed", "x-resource-id", "u"};
    String body = Routed.body(Routed.CHAT, "r", false);

    String first = Routed.call(GATEWAY, Routed.CHAT, body, key).body();
    HttpResponse<String> second = Routed.call(GATEWAY, Routed.CHAT, body, key);

    assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
    assertThat(second.body()).contains("Hello from the upstream.");
    assertThat(first).contains("Hello from the upstream.");
    assertThat(UPSTREAM.requests()).hasSize(2);
    assertThat(inFlight()).isZero();
  }

  @Test
  void rateLimitsSeeOneCall() throws Exception {
    UPSTREAM.answer(new Script().on("bad", FAILURE));

    long before = remaining(Routed.call(GATEWAY, Routed.CHAT, "r", false));
    long after = remaining(Routed.call(GATEWAY, Routed.CHAT, "r", false));

    assertThat(after).isEqualTo(before - 1);
  }

  @Test
  void theRequestLogHasARowForEachAttempt() throws Exception {
    UPSTREAM.answer(new Script().on("bad", FAILURE));
    double before = fallbacks();
    double failedBefore = attempts("one", 503);
    double answeredBefore = attempts("two", 200);

    HttpResponse<String> answer = routed("of-two-attempts");

    assertThat(answer.statusCode()).isEqualTo(200);
    await().until(() -> rows("of-two-attempts").size() == 2);
    assertThat(rows("of-two-attempts"))
        .containsExactly(
            "1 one/bad 503 failed_over upstream_answer null", "2 two/good 200 answered null 4");
    assertThat(fallbacks()).isEqualTo(before + 1);
    assertThat(attempts("one", 503)).isEqualTo(failedBefore + 1);
    assertThat(attempts("two", 200)).isEqualTo(answeredBefore + 1);
    JsonNode ofOne = GATEWAY.task("usage?by=model&format=json").path("rows").get(0);
    assertThat(ofOne.path("model").asText()).isEqualTo("bad");
    assertThat(ofOne.path("failed_attempts").asInt()).isPositive();
    assertThat(ofOne.path("calls").asInt()).isLessThan(ofOne.path("failed_attempts").asInt());
  }

  @Test
  void theLastAttemptHasItsOwnStatusBesideThatOfTheCall() throws Exception {
    UPSTREAM.answer(
        new Script().on("bad", FAILURE).on("good", Answer.error(500, "server_error", "no")));
    double failedBefore = attempts("two", 500);

    HttpResponse<String> answer = routed("of-two-failures");

    assertThat(answer.statusCode()).isEqualTo(503);
    await().until(() -> rows("of-two-failures").size() == 2);
    assertThat(rows("of-two-failures"))
        .containsExactly(
            "1 one/bad 503 failed_over upstream_answer null",
            "2 two/good 503 answered upstream_answer null");
    assertThat(ownStatuses("of-two-failures")).containsExactly(503, 500);
    assertThat(attempts("two", 500)).isEqualTo(failedBefore + 1);
  }

  @Test
  void reasoningDoesNotGoToATargetOfAnotherMaker() throws Exception {
    UPSTREAM.answer(new Script().on("claude-1", FAILURE));
    String body =
        """
        {"model":"mixed","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":\
        [{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}\
        """;

    assertThat(GATEWAY.post(Routed.MESSAGES, body).statusCode()).isEqualTo(200);

    assertThat(UPSTREAM.requests().get(0).text()).isEqualTo(body.replace("mixed", "claude-1"));
    assertThat(UPSTREAM.requests().get(1).text())
        .isEqualTo(
            body.replace("mixed", "kimi-2")
                .replace("{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"},", ""));
  }

  @Test
  void reasoningThatATargetDoesNotAcceptIsLeftOutTheSecondTime() throws Exception {
    UPSTREAM.enqueue(
        Answer.error(
            400,
            "invalid_request_error",
            "messages.1.content.0: Invalid `signature` in `thinking` block"));
    String body =
        """
        {"model":"mixed","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":\
        [{"type":"thinking","thinking":"t","signature":"of kimi"},{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}\
        """;

    HttpResponse<String> answer = GATEWAY.post(Routed.MESSAGES, body);

    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .contains("one/claude-1=400, one/claude-1=200");
    assertThat(UPSTREAM.requests().get(1).text()).doesNotContain("thinking");
  }

  @Test
  void aClientThatLeavesDuringAPauseEndsTheCall() throws Exception {
    UPSTREAM.enqueue(Answer.error(429, "limit", "no").header("Retry-After", "2"));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "waits", false));
      UPSTREAM.takeRequest();
    }

    await()
        .until(
            () ->
                GATEWAY.task("circuit?provider=one&model=waits").at("/circuit/inFlight").asInt()
                    == 0);
    await()
        .until(
            () ->
                metric(
                        "memory_gateway_llm_requests_total{endpoint=\"chat\",provider=\"one\",status=\"499\"}"
                            + " ")
                    == 1);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void whatAFailedStreamHasCostIsInItsRow() throws Exception {
    UPSTREAM.answer(
        new Script()
            .on(
                "bad",
                Answer.sse(
                    List.of(
                        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"
                            + "{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n",
                        "event: error\ndata: {\"type\":\"error\",\"error\":"
                            + "{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n"))));

    HttpResponse<String> answer =
        Routed.call(
            GATEWAY,
            Routed.MESSAGES,
            Routed.body(Routed.MESSAGES, "r", true),
            "X-Request-Id",
            "of-a-costly-attempt");

    assertThat(answer.statusCode()).isEqualTo(200);
    await().until(() -> rows("of-a-costly-attempt").size() == 2);
    assertThat(inputTokens("of-a-costly-attempt", 1)).isEqualTo(25);
  }

  private static int inputTokens(String requestId, int attempt) throws Exception {
    try (Connection connection = DATABASE.connect();
        ResultSet row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT input_tokens FROM request_log WHERE request_id = '%s' AND attempt = %d"
                        .formatted(requestId, attempt))) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  private static HttpResponse<String> turn(String path, String model, boolean stream, String thread)
      throws Exception {
    return Routed.call(
        GATEWAY,
        path,
        Routed.body(path, model, stream),
        "x-thread-id",
        thread,
        "x-resource-id",
        "user-1");
  }

  private static long remaining(HttpResponse<String> answer) {
    return answer.headers().firstValueAsLong("X-RateLimit-Remaining").orElseThrow();
  }

  private static int inFlight() throws Exception {
    int sum = 0;
    for (JsonNode circuit : GATEWAY.task("circuit")) {
      sum += circuit.path("inFlight").asInt();
    }
    return sum;
  }

  private static double fallbacks() throws Exception {
    return metric(
        "memory_gateway_llm_fallbacks_total{endpoint=\"chat\",provider=\"one\",reason=\"server_error\"}"
            + " ");
  }

  private static double attempts(String provider, int status) throws Exception {
    return metric(
        "memory_gateway_llm_attempts_total{endpoint=\"chat\",provider=\"%s\",status=\"%d\"} "
            .formatted(provider, status));
  }

  private static double metric(String series) throws Exception {
    return admin("/metrics")
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  private static String admin(String path) throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path))).body();
  }

  private static HttpResponse<String> routed(String requestId) throws Exception {
    return Routed.call(
        GATEWAY, Routed.CHAT, Routed.body(Routed.CHAT, "r", false), "X-Request-Id", requestId);
  }

  private static List<Integer> ownStatuses(String requestId) throws Exception {
    List<Integer> statuses = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT attempt_status FROM request_log WHERE request_id = ? AND attempt_ms <="
                    + " duration_ms ORDER BY attempt")) {
      statement.setString(1, requestId);
      ResultSet row = statement.executeQuery();
      while (row.next()) {
        statuses.add(row.getInt(1));
      }
    }
    return statuses;
  }

  private static List<String> rows(String requestId) throws Exception {
    List<String> rows = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        ResultSet row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT * FROM request_log WHERE request_id = '"
                        + requestId
                        + "' ORDER BY attempt")) {
      while (row.next()) {
        rows.add(
            row.getInt("attempt")
                + " "
                + row.getString("provider")
                + "/"
                + row.getString("model")
                + " "
                + row.getInt("status")
                + " "
                + row.getString("outcome")
                + " "
                + row.getString("error_type")
                + " "
                + row.getString("output_tokens"));
      }
    }
    return rows;
  }
}
