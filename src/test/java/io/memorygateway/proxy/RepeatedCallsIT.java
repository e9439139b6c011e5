package io.memorygateway.proxy;

import static io.memorygateway.proxy.Attempts.isReplay;
import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §7: the same call again, without an Idempotency-Key, gets the answer that its caller has
 * not seen, and who says the same twice gets two.
 */
class RepeatedCallsIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** More than what is stored together with the turns of others. */
  private static final String LONG = "long ".repeat(8000);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER_NODE = new TestGateway(DATABASE, UPSTREAM);

  /** The common pool may have too few threads for calls that wait for each other. */
  @AutoClose("shutdownNow")
  private final ExecutorService callers = Executors.newCachedThreadPool();

  private String id;
  private ThreadCaller thread;
  private Attempts attempts;

  @BeforeEach
  void newThread() {
    id = "repeated-" + System.nanoTime();
    thread = new ThreadCaller(GATEWAY, id);
    attempts = new Attempts(id, callers);
  }

  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    CHAT + ",false",
    CHAT + ",true",
    MESSAGES + ",false",
    MESSAGES + ",true",
    RESPONSES + ",false",
    RESPONSES + ",true"
  })
  void anAnswerWhoseEndNeverLeftIsGivenToTheSameCall(String path, boolean stream) throws Exception {
    String body = body(path, stream, "question");
    HttpResponse<String> first = attempts.send(GATEWAY, path, body, null);
    nodeDiedBeforeTheEnd();

    HttpResponse<String> again = attempts.send(OTHER_NODE, path, body, null);

    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(isReplay(again)).isTrue();
    assertThat(again.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(again.headers().firstValue("Content-Type"))
        .hasValueSatisfying(
            type -> assertThat(type).startsWith(stream ? "text/event-stream" : "application/json"));
    if (stream) {
      assertThat(again.body()).contains("Hello from the upstream.");
      assertThat(lastLine(again)).isEqualTo(lastLine(first));
    } else {
      assertThat(said(path, again)).isNotEmpty().isEqualTo(said(path, first));
    }
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(thread.rows()).hasSize(2);

    // Now its caller has it, and says the same once more.
    assertThat(isReplay(attempts.send(OTHER_NODE, path, body, null))).isFalse();
    assertThat(UPSTREAM.requests()).hasSize(2);
    assertThat(thread.rows()).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({
    CHAT + ",false",
    CHAT + ",true",
    MESSAGES + ",false",
    MESSAGES + ",true",
    RESPONSES + ",false",
    RESPONSES + ",true"
  })
  void aRetryThatSaysSoIsGivenTheAnswerThatWasHandedOn(String path, boolean stream)
      throws Exception {
    String body = body(path, stream, "question");
    attempts.send(GATEWAY, path, body, "0");

    assertThat(isReplay(attempts.send(OTHER_NODE, path, body, "1"))).isTrue();
    assertThat(isReplay(attempts.send(GATEWAY, path, body, "2"))).isTrue();

    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(thread.rows()).hasSize(2);
    assertThat(
            GATEWAY
                .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
                .body())
        .containsPattern("memory_gateway_turn_replays_total\\{by=\"same_call\"} [1-9]");
  }

  @Tag("heavy")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoSaysTheSameTwiceGetsTwoTurnsOnWhateverNodes(boolean stream) throws Exception {
    String body = stream ? streamedChat(message("user", "go on")) : chat(message("user", "go on"));
    for (TestGateway node : List.of(GATEWAY, GATEWAY, OTHER_NODE, GATEWAY, OTHER_NODE)) {
      assertThat(isReplay(attempts.send(node, CHAT, body, "0"))).isFalse();
      assertThat(isReplay(attempts.send(node, CHAT, body, null))).isFalse();
      untilWritten();
    }
    assertThat(UPSTREAM.requests()).hasSize(10);
    assertThat(thread.rows()).hasSize(20);
    assertThat(thread.stored()).noneMatch(message -> message.contains("superseded"));
  }

  @Test
  void aRetryOfWhatWasSaidOnceMoreIsNoRetryOfTheFirst() throws Exception {
    String body = chat(message("user", "go on"));
    attempts.send(GATEWAY, CHAT, body, "0");
    UPSTREAM.enqueue(Answer.error(529, "overloaded_error", "Overloaded"));
    assertThat(attempts.make(GATEWAY, CHAT, body, "0").statusCode()).isEqualTo(529);

    assertThat(isReplay(attempts.send(GATEWAY, CHAT, body, "1"))).isFalse();

    assertThat(thread.rows()).hasSize(4);
    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "2"))).isTrue();
    assertThat(thread.rows()).hasSize(4);
  }

  @Test
  void anotherThreadOrTargetOrBodyIsAnotherCall() throws Exception {
    String body = chat(message("user", "question"));
    attempts.send(GATEWAY, CHAT, body, null);
    HttpResponse<String> other =
        OTHER_NODE.send(
            new ThreadCaller(OTHER_NODE, id + "-other")
                .request(CHAT, body)
                .header("x-stainless-retry-count", "1"));
    assertThat(isReplay(other)).isFalse();
    assertThat(isReplay(attempts.send(GATEWAY, CHAT + "?a=1", body, "1"))).isFalse();
    assertThat(isReplay(attempts.send(GATEWAY, CHAT, body + " ", "1"))).isFalse();
    assertThat(thread.rows()).hasSize(6);
  }

  @Test
  void whereOthersHaveWrittenSinceItIsANewTurn() throws Exception {
    String body = chat(message("user", "question"));
    attempts.send(GATEWAY, CHAT, body, null);
    nodeDiedBeforeTheEnd();
    thread.memory(
        "/threads/" + id + "/messages", "{\"messages\":[" + message("user", "note") + "]}");

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "1"))).isFalse();

    assertThat(thread.rows()).hasSize(5);
    assertThat(thread.stored()).noneMatch(message -> message.contains("superseded"));
  }

  @Test
  void whatWasDeletedIsNotSaidAgain() throws Exception {
    String body = chat(message("user", "question"));
    attempts.send(GATEWAY, CHAT, body, null);
    String answer = thread.rows().get(1).path("id").asText();
    GATEWAY.send(GATEWAY.request("/v1/memory/threads/" + id + "/messages/" + answer).DELETE());

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "1"))).isFalse();

    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofTwoAttemptsThatAreBothMadeOneAnswerLives(boolean retryEndsFirst) throws Exception {
    Semaphore one = new Semaphore(0);
    Semaphore two = new Semaphore(0);
    String body = chat(message("user", "question"));
    UPSTREAM.enqueue(
        Answer.json(answer("first")).after(one), Answer.json(answer("second")).after(two));
    CompletableFuture<HttpResponse<String>> first = attempts.sending(GATEWAY, body, "0");
    UPSTREAM.takeRequest();
    CompletableFuture<HttpResponse<String>> second = attempts.sending(OTHER_NODE, body, "1");
    UPSTREAM.takeRequest();

    (retryEndsFirst ? two : one).release();
    assertThat((retryEndsFirst ? second : first).join().statusCode()).isEqualTo(200);
    (retryEndsFirst ? one : two).release();
    assertThat((retryEndsFirst ? first : second).join().statusCode()).isEqualTo(200);

    assertThat(thread.stored())
        .containsExactly(
            "user \"question\"",
            "assistant \"" + (retryEndsFirst ? "second" : "first") + "\" superseded",
            "assistant \"" + (retryEndsFirst ? "first" : "second") + "\"");
    HttpResponse<String> third = attempts.send(GATEWAY, CHAT, body, "2");
    assertThat(isReplay(third)).isTrue();
    assertThat(third.body()).contains(retryEndsFirst ? "first" : "second");
  }

  @Test
  void twoWhoSayTheSameAtOnceGetTwoTurns() throws Exception {
    Semaphore gate = new Semaphore(0);
    String body = chat(message("user", "go on"));
    UPSTREAM.enqueue(
        Answer.json(answer("one")).after(gate), Answer.json(answer("another")).after(gate));
    CompletableFuture<HttpResponse<String>> first = attempts.sending(GATEWAY, body, "0");
    UPSTREAM.takeRequest();
    CompletableFuture<HttpResponse<String>> second = attempts.sending(OTHER_NODE, body, null);
    UPSTREAM.takeRequest();
    gate.release(2);
    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(second.join().statusCode()).isEqualTo(200);

    assertThat(thread.stored()).hasSize(4).noneMatch(message -> message.contains("superseded"));
  }

  @Tag("heavy")
  @Test
  void aWholeHistoryThatIsSentAgainIsAnsweredAnewOnlyIfItsAnswerWasSeen() throws Exception {
    attempts.send(GATEWAY, CHAT, chat(message("user", "one")), null);
    String body =
        chat(
            message("user", "one"),
            message("assistant", "Hello from the upstream."),
            message("user", "two"));
    attempts.send(GATEWAY, CHAT, body, null);
    nodeDiedBeforeTheEnd();

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, null))).isTrue();
    assertThat(thread.rows()).hasSize(4);
    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, null))).isFalse();

    assertThat(thread.stored()).hasSize(5);
    assertThat(thread.stored().get(3)).endsWith("superseded");

    // An answer in the place of another is given again like any.
    assertThat(isReplay(attempts.send(GATEWAY, CHAT, body, "1"))).isTrue();
    assertThat(thread.rows()).hasSize(5);
  }

  @Tag("heavy")
  @Test
  void aTurnThatIsStoredAloneIsFoundLikewise() throws Exception {
    String body = chat(message("user", LONG));
    attempts.send(GATEWAY, CHAT, body, null);
    nodeDiedBeforeTheEnd();

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, null))).isTrue();

    assertThat(thread.rows()).hasSize(2);
  }

  @Test
  void aKeyOfItsOwnMakesItAnotherCall() throws Exception {
    String body = chat(message("user", "question"));
    attempts.send(GATEWAY, CHAT, body, null);
    HttpResponse<String> keyed =
        GATEWAY.send(
            thread
                .request(CHAT, body)
                .header("Idempotency-Key", "key-" + id)
                .header("x-stainless-retry-count", "1"));
    assertThat(isReplay(keyed)).isFalse();
    assertThat(thread.rows()).hasSize(4);
  }

  /** What a node leaves that is killed between the commit of a turn and the end of its answer. */
  private void nodeDiedBeforeTheEnd() throws SQLException {
    untilWritten();
    assertThat(update("UPDATE thread_heads SET call_state = 0 WHERE public_id = ?")).isEqualTo(1);
  }

  /** Waits until the node has written that the end of the last answer was handed on. */
  private void untilWritten() {
    await().until(() -> handedOn() == 1);
  }

  private int handedOn() throws SQLException {
    try (Connection connection = DATABASE.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT call_state FROM thread_heads WHERE public_id = ?")) {
      statement.setString(1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getInt(1) : -1;
      }
    }
  }

  private int update(String sql) throws SQLException {
    try (Connection connection = DATABASE.connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, id);
      return statement.executeUpdate();
    }
  }

  private static String body(String path, boolean stream, String text) {
    return "{\"model\":\"%s\",\"max_tokens\":9,\"stream\":%s,\"%s\":[%s]}"
        .formatted(
            path.equals(MESSAGES) ? "claude-x" : "gpt-5",
            stream,
            path.equals(RESPONSES) ? "input" : "messages",
            message("user", text));
  }

  private static String said(String path, HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body())
        .at(
            switch (path) {
              case CHAT -> "/choices/0/message/content";
              case MESSAGES -> "/content/0/text";
              default -> "/output/0/content/0/text";
            })
        .asText();
  }

  private static String answer(String text) {
    return "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", text) + "}]}";
  }

  /** The last line of a stream but for what the upstream alone knew. */
  private static String lastLine(HttpResponse<String> answer) {
    String last = answer.body().strip().lines().reduce("", (one, other) -> other);
    return last.startsWith("data: {\"type\":\"response.completed\"") ? "completed" : last;
  }
}
