package io.memorygateway.proxy;

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
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §7: a call with an Idempotency-Key is one turn. */
class TurnKeysIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER_NODE = new TestGateway(DATABASE, UPSTREAM);

  /** The common pool may have too few threads for calls that wait for each other. */
  @AutoClose("shutdownNow")
  private final ExecutorService callers = Executors.newCachedThreadPool();

  private String id;
  private ThreadCaller thread;

  @BeforeEach
  void newThread() {
    id = "keyed-" + System.nanoTime();
    thread = new ThreadCaller(GATEWAY, id);
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
  void theSameKeyAndBodyGetTheFirstAnswerAgainOnAnyNode(String path, boolean stream)
      throws Exception {
    String body =
        "{\"model\":\"%s\",\"max_tokens\":9,\"stream\":%s,\"%s\":[%s]}"
            .formatted(
                path.equals(MESSAGES) ? "claude-x" : "gpt-5",
                stream,
                path.equals(RESPONSES) ? "input" : "messages",
                message("user", "question"));

    HttpResponse<String> first = keyed(GATEWAY, path, body, "one");
    HttpResponse<String> again = keyed(OTHER_NODE, path, body, "one");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(again.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(again.headers().firstValue("Content-Type"))
        .hasValueSatisfying(
            type -> assertThat(type).startsWith(stream ? "text/event-stream" : "application/json"));
    assertThat(again.headers().firstValue("X-RateLimit-Scope")).hasValue("llm_proxy");
    if (!stream) {
      for (String same :
          List.of("id", "model", "usage", "stop_reason", "status", "output", "content")) {
        assertThat(JSON.readTree(again.body()).path(same))
            .isEqualTo(JSON.readTree(first.body()).path(same));
      }
      assertThat(JSON.readTree(again.body()).at("/choices/0/message/content"))
          .isEqualTo(JSON.readTree(first.body()).at("/choices/0/message/content"));
    } else {
      assertThat(lastEvent(again)).isEqualTo(lastEvent(first));
    }
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(thread.rows()).hasSize(2);
  }

  @Test
  void whatIsKeptOfTheAnswerCountsTowardsWhatTheProjectStores() throws Exception {
    assertThat(keyed(GATEWAY, CHAT, chat(message("user", "one")), "k").statusCode()).isEqualTo(200);

    try (Connection connection = DATABASE.connect();
        var row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT k.body_bytes, OCTET_LENGTH(k.body) FROM idempotency_keys k"
                        + " JOIN thread_heads h ON h.thread_id = k.thread_id"
                        + " WHERE h.public_id = '"
                        + id
                        + "'")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getLong(1)).isPositive().isEqualTo(row.getLong(2));
    }
  }

  @Test
  void anotherBodyOrThreadWithTheSameKeyIsAConflict() throws Exception {
    assertThat(keyed(GATEWAY, CHAT, chat(message("user", "one")), "k").statusCode()).isEqualTo(200);
    ErrorEnvelope.check(
        keyed(GATEWAY, CHAT, chat(message("user", "two")), "k"), 409, "conflict_error");
    ErrorEnvelope.check(
        keyed(GATEWAY, RESPONSES, chat(message("user", "one")), "k"), 409, "conflict_error");
    ErrorEnvelope.check(
        GATEWAY.send(
            new ThreadCaller(GATEWAY, id + "-other")
                .request(CHAT, chat(message("user", "one")))
                .header("Idempotency-Key", "k" + id)),
        409,
        "conflict_error");
    assertThat(
            GATEWAY
                .send(
                    GATEWAY
                        .request("/v1/memory/threads/" + id + "/messages")
                        .header("Idempotency-Key", "k" + id)
                        .POST(
                            HttpRequest.BodyPublishers.ofString(
                                "{\"messages\":[" + message("user", "x") + "]}")))
                .statusCode())
        .isEqualTo(409);
    ErrorEnvelope.check(
        keyed(GATEWAY, CHAT, chat(message("user", "one")), " "), 400, "invalid_request_error");
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void whileTheFirstIsUnderWayTheSecondIsAConflictToBeTriedAgain() throws Exception {
    Semaphore gate = new Semaphore(0);
    String body = chat(message("user", "slow"));
    UPSTREAM.answer(request -> Answer.json(said("slow")).after(gate));
    CompletableFuture<HttpResponse<String>> first =
        CompletableFuture.supplyAsync(() -> quietly(GATEWAY, body), callers);
    UPSTREAM.takeRequest();

    HttpResponse<String> second = keyed(OTHER_NODE, CHAT, body, "one");
    ErrorEnvelope.check(second, 409, "conflict_error");
    assertThat(second.headers().firstValue("Retry-After")).isPresent();
    ErrorEnvelope.check(
        keyed(OTHER_NODE, CHAT, chat(message("user", "other")), "one"), 409, "conflict_error");

    gate.release();
    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(keyed(OTHER_NODE, CHAT, body, "one").headers().firstValue("Idempotent-Replayed"))
        .hasValue("true");
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(thread.rows()).hasSize(2);
  }

  @Test
  void ofManyAtOnceOneIsMade() throws Exception {
    String body = streamedChat(message("user", "crowd"));
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      TestGateway node = i % 2 == 0 ? GATEWAY : OTHER_NODE;
      answers.add(CompletableFuture.supplyAsync(() -> quietly(node, body), callers));
    }
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      assertThat(answer.join().statusCode()).isIn(200, 409);
    }
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(thread.rows()).hasSize(2);
    assertThat(claims()).isZero();
  }

  @Test
  void aKeyWhoseCallFailedIsFreeAgain() throws Exception {
    String body = chat(message("user", "failing"));
    UPSTREAM.enqueue(Answer.error(529, "overloaded_error", "Overloaded"), Answer.garbage());
    assertThat(keyed(GATEWAY, CHAT, body, "one").statusCode()).isEqualTo(529);
    assertThat(keyed(GATEWAY, CHAT, body, "one").statusCode()).isEqualTo(502);
    String unknownModel = body.replace("gpt-5", "openai/");
    keyed(GATEWAY, CHAT, unknownModel, "two");
    HttpResponse<String> stored = keyed(OTHER_NODE, CHAT, body, "one");
    assertThat(stored.statusCode()).isEqualTo(200);
    assertThat(stored.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(claims()).isZero();
  }

  @Test
  void aTurnThatBrokeOffIsContinuedByTheRetryAsOneTurn() throws Exception {
    String body = streamedChat(message("user", "capital?"));
    UPSTREAM.enqueue(
        Answer.sseThen(
            List.of("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"The\"}}]}\n\n"),
            Answer.reset()));
    assertThat(keyed(GATEWAY, CHAT, body, "one").body()).contains("error");
    HttpResponse<String> again = keyed(GATEWAY, CHAT, body, "one");
    assertThat(again.body()).contains("upstream.").endsWith("data: [DONE]\n\n");
    assertThat(again.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(thread.stored())
        .containsExactly(
            "user \"capital?\"",
            "assistant \"The\" incomplete superseded",
            "assistant \"Hello from the upstream.\"");
    assertThat(keyed(GATEWAY, CHAT, body, "one").headers().firstValue("Idempotent-Replayed"))
        .hasValue("true");
  }

  @Test
  void aCallerWhoLeavesFreesTheKey() throws Exception {
    String body = streamedChat(message("user", "leaving"));
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sse(List.of(": 1\n\n", ": 2\n\n"), gate));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nIdempotency-Key: one%s\r\nx-thread-id: %s\r\nx-resource-id: user-1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(CHAT, GATEWAY.key(), id, id, body.length(), body));
      gate.release();
      client.readUntil(": 1");
    }
    await().until(() -> claims() == 0);
    assertThat(keyed(GATEWAY, CHAT, body, "one").statusCode()).isEqualTo(200);
    assertThat(thread.rows()).hasSize(2);
  }

  @Test
  void whatWasDeletedIsNotSaidAgain() throws Exception {
    String body = chat(message("user", "secret"));
    keyed(GATEWAY, CHAT, body, "one");
    delete("/messages/" + thread.rows().get(1).path("id").asText());
    ErrorEnvelope.check(keyed(GATEWAY, CHAT, body, "one"), 404, "not_found");
    keyed(GATEWAY, CHAT, body, "two");
    delete("");
    ErrorEnvelope.check(keyed(OTHER_NODE, CHAT, body, "two"), 404, "not_found");
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @Test
  void anAnswerThatWasRegeneratedSinceIsTheFirstOneStill() throws Exception {
    String body = chat(message("user", "question"));
    HttpResponse<String> first = keyed(GATEWAY, CHAT, body, "one");
    UPSTREAM.enqueue(Answer.json(said("another")));
    thread.call(
        CHAT, chat(message("user", "question"), message("assistant", "Hello from the upstream.")));
    assertThat(
            JSON.readTree(keyed(GATEWAY, CHAT, body, "one").body())
                .at("/choices/0/message/content"))
        .isEqualTo(JSON.readTree(first.body()).at("/choices/0/message/content"));
  }

  @Test
  void withoutMemoryAKeyMeansNothing() throws Exception {
    String body = chat(message("user", "plain"));
    for (int i = 0; i < 2; i++) {
      assertThat(
              GATEWAY
                  .send(
                      GATEWAY
                          .request(CHAT)
                          .header("Content-Type", "application/json")
                          .header("Idempotency-Key", "plain")
                          .POST(HttpRequest.BodyPublishers.ofString(body)))
                  .headers()
                  .firstValue("Idempotent-Replayed"))
          .isEmpty();
    }
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  private HttpResponse<String> keyed(TestGateway node, String path, String body, String key)
      throws IOException, InterruptedException {
    return node.send(
        new ThreadCaller(node, id)
            .request(path, body)
            .header("Idempotency-Key", key.isBlank() ? key : key + id));
  }

  private HttpResponse<String> quietly(TestGateway node, String body) {
    try {
      return keyed(node, CHAT, body, "one");
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void delete(String path) throws Exception {
    assertThat(
            GATEWAY
                .send(
                    HttpRequest.newBuilder(
                            URI.create(GATEWAY.url() + "/v1/memory/threads/" + id + path))
                        .header("Authorization", "Bearer " + GATEWAY.key())
                        .DELETE())
                .statusCode())
        .isEqualTo(200);
  }

  private static long claims() throws Exception {
    try (Connection connection = DATABASE.connect();
        var rows = connection.createStatement().executeQuery("SELECT COUNT(*) FROM turn_claims")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static String said(String text) {
    return "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", text) + "}]}";
  }

  private static String lastEvent(HttpResponse<String> answer) throws IOException {
    String[] events = answer.body().split("\n\n", -1);
    String last = events[events.length - 2];
    return last.startsWith("event: response.completed")
        ? JSON.readTree(last.substring(last.indexOf("data: ") + 6))
            .at("/response/output")
            .toString()
        : last;
  }
}
