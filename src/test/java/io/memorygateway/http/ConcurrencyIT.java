package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node of two keys that works at one request at a time, and lets another one wait for less long
 * than it takes until the first is no longer counted.
 */
class ConcurrencyIT {
  private static final String CHAT = "/v1/chat/completions";
  private static final String CALL =
      "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
  private static final String STREAMED = CALL.replace("\"model\"", "\"stream\":true,\"model\"");
  private static final String MESSAGES =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
  private static final String REPLY =
      "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\","
          + "\"content\":\"Hello\"}}]}";
  private static final String DELTA =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n";
  private static final String STOP =
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.withObject("/concurrency").put("minimum", 1).put("maxWait", "100ms");
                config
                    .withObject("/rateLimits/rules")
                    .forEach(rule -> ((ObjectNode) rule).put("window", "1d"));
              });

  @BeforeEach
  void anotherKeyIsThere() throws Exception {
    Limits.awaitRoomInTheDay();
    String another = GATEWAY.issueKey("another");
    await().until(() -> get(another) == 200);
    await().until(() -> get(GATEWAY.key()) == 200);
  }

  private static int get(String key) throws IOException {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "GET /v1/memory/threads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + key
              + "\r\n\r\n");
      return RawAnswer.parse(client.readAnswer()).status();
    }
  }

  /**
   * On a busy machine, even who is not worked at may be counted for longer than another one waits.
   * So each is tried until it goes well: with one who is worked at, it never does.
   */
  private static void isServedBeside(Callable<Boolean> attempt) {
    await().until(attempt);
  }

  @Test
  void whoWaitsForAProviderIsNotWorkedAt() {
    isServedBeside(
        () -> {
          UPSTREAM.reset();
          List<Integer> within = new ArrayList<>();
          UPSTREAM.answer(
              request -> {
                if (UPSTREAM.requests().size() == 1) {
                  within.add(status());
                }
                return Answer.json(REPLY);
              });
          return status() == 200 && within.equals(List.of(200));
        });
  }

  @Test
  void norIsWhoseStreamIsOpen() {
    isServedBeside(
        () -> {
          UPSTREAM.reset();
          UPSTREAM.answerAlways(Answer.json(REPLY));
          Semaphore gate = new Semaphore(1);
          UPSTREAM.enqueue(Answer.sse(List.of(DELTA, STOP, "data: [DONE]\n\n"), gate));
          try (RawClient streamed = new RawClient(GATEWAY.port())) {
            streamed.post(CHAT, GATEWAY.key(), STREAMED);
            if (!streamed.readUntil("\r\n\r\n").startsWith("HTTP/1.1 200")) {
              return false;
            }
            streamed.readUntil("Hello");

            boolean served = status() == 200;

            gate.release(2);
            assertThat(streamed.readUntil("[DONE]")).contains("[DONE]");
            return served;
          }
        });
  }

  @Test
  void norIsWhoseBodyIsStillToCome() {
    UPSTREAM.answerAlways(Answer.json(REPLY));
    isServedBeside(
        () -> {
          try (RawClient slow = new RawClient(GATEWAY.port())) {
            slow.send(head(100_000));
            boolean served = status() == 200;
            slow.reset();
            return served;
          }
        });
  }

  @Test
  void norIsWhoseShortBodyIsStillToCome() throws Exception {
    UPSTREAM.answerAlways(Answer.json(REPLY));
    List<RawClient> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        isServedBeside(
            () -> {
              slow.add(new RawClient(GATEWAY.port()).send(head(100)));
              return status() == 200;
            });
      }
    } finally {
      for (RawClient client : slow) {
        client.close();
      }
    }
  }

  @Test
  void oneTooManyIsRefusedBeforeItIsCounted() throws Exception {
    JsonNode key = GATEWAY.task("key-issue?project=counted&name=it");
    GATEWAY.task("key-limits?rule=llm_proxy&limit=100&id=" + key.path("id").asText());
    List<Integer> statuses = new ArrayList<>();

    whileAppendsWait(
        () -> {
          RawAnswer answer = call(key.path("key").asText());
          statuses.add(answer.status());
          if (answer.status() == 503) {
            ErrorEnvelope.check(answer, 503, "service_unavailable");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
          }
          return answer.status() == 503;
        });

    long counted = statuses.stream().filter(status -> status == 200).count();
    assertThat(served(key.path("key").asText()).header("X-RateLimit-Remaining"))
        .isEqualTo(String.valueOf(100 - counted - 1));
    assertThat(metrics())
        .containsPattern("memory_gateway_overload_refused_total\\{because_of=\"wait\"} [1-9]");
  }

  @Test
  void whoIsOverTheLimitIsToldSoWithoutAWait() throws Exception {
    JsonNode key = GATEWAY.task("key-issue?project=limited&name=it");
    GATEWAY.task("key-limits?rule=llm_burst&limit=1&id=" + key.path("id").asText());
    UPSTREAM.answerAlways(Answer.json(REPLY));
    served(key.path("key").asText());
    assertThat(call(key.path("key").asText()).status()).isEqualTo(429);
    String other = GATEWAY.issueKey("other");

    whileAppendsWait(
        () -> {
          assertThat(call(key.path("key").asText()).status()).isEqualTo(429);
          return call(other).status() == 503;
        });
  }

  /** Has appends wait for a locked thread, one more before each try, until a try returns true. */
  private static void whileAppendsWait(Callable<Boolean> attempt) throws Exception {
    UPSTREAM.answerAlways(Answer.json(REPLY));
    List<RawClient> appends = new ArrayList<>();
    try (Connection other = DATABASE.connect()) {
      GATEWAY.post("/v1/memory/threads", "{\"id\":\"locked\",\"resourceId\":\"r\"}");
      other.setAutoCommit(false);
      other
          .createStatement()
          .executeQuery("SELECT * FROM thread_heads WHERE public_id = 'locked' FOR UPDATE");
      await()
          .until(
              () -> {
                RawClient append = new RawClient(GATEWAY.port());
                appends.add(append);
                append.post("/v1/memory/threads/locked/messages", GATEWAY.key(), MESSAGES);
                return attempt.call();
              });
      other.rollback();
    } finally {
      for (RawClient append : appends) {
        append.close();
      }
    }
  }

  /** The answer to a call, made again while there are too many. */
  private static RawAnswer served(String key) {
    return await().until(() -> call(key), answer -> answer.status() == 200);
  }

  private static RawAnswer call(String key) throws IOException {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(CHAT, key, CALL);
      return RawAnswer.parse(client.readAnswer());
    }
  }

  private static String head(int bodyLength) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{"
        .formatted(CHAT, GATEWAY.key(), bodyLength);
  }

  private static int status() {
    try {
      return GATEWAY.post(CHAT, CALL).statusCode();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String metrics() throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))).body();
  }
}
