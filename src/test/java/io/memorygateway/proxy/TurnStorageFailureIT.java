package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: memory is never lost silently when the store goes. */
class TurnStorageFailureIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final Map<String, TestGateway> GATEWAYS = new HashMap<>();

  private static DatabaseRelay relay;

  private TestGateway gateway;
  private ThreadCaller thread;

  @BeforeAll
  static void start() throws Exception {
    relay = DatabaseRelay.to(DATABASE.port());
    for (String onStorageFailure : List.of("fail", "bypass")) {
      TestGateway gateway =
          new TestGateway(DATABASE, UPSTREAM)
              .withShippedTimeouts()
              .with("DATABASE_URL", DATABASE.url(relay))
              .configured(
                  config -> {
                    config.withObject("/memory").put("onStorageFailure", onStorageFailure);
                    // So that nothing waits long for an answer that does not come.
                    config.withObject("/database/properties").put("socketTimeout", "2000");
                  });
      gateway.start();
      GATEWAYS.put(onStorageFailure, gateway);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    for (TestGateway gateway : GATEWAYS.values()) {
      gateway.stop();
    }
    relay.close();
  }

  @AfterEach
  void restore() {
    relay.restore(DATABASE.port());
  }

  /** Takes a gateway that stores, once it has got over what the tests before did. */
  private void use(String onStorageFailure) throws Exception {
    gateway = GATEWAYS.get(onStorageFailure);
    ThreadCaller other = new ThreadCaller(gateway, "other-" + System.nanoTime());
    await().until(() -> status(other.say("ready?")).equals("stored"));
    thread = new ThreadCaller(gateway, "store-" + onStorageFailure + "-" + System.nanoTime());
    UPSTREAM.reset();
    assertThat(thread.say("before").statusCode()).isEqualTo(200);
    UPSTREAM.takeRequest();
  }

  private static String status(HttpResponse<String> answer) {
    return answer.headers().firstValue("X-Memory-Status").orElse("");
  }

  @Tag("heavy")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutTheStoreTheCallIsRefusedBeforeTheUpstreamIsAsked(boolean hangs) throws Exception {
    use("fail");
    breakDatabase(hangs);
    HttpResponse<String> refused = thread.say("lost");
    ErrorEnvelope.check(refused, 503, "service_unavailable");
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(gateway.post(CHAT, "{\"model\":\"gpt-5\",\"messages\":[]}").statusCode())
        .isEqualTo(200);

    relay.restore(DATABASE.port());
    await().until(() -> thread.say("after").statusCode() == 200);
    assertThat(thread.stored()).hasSize(4);
  }

  @Tag("heavy")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void orItIsAnsweredWithoutMemoryAndMarked(boolean hangs) throws Exception {
    use("bypass");
    breakDatabase(hangs);
    HttpResponse<String> bypassed = thread.say("not remembered");
    assertThat(bypassed.statusCode()).isEqualTo(200);
    assertThat(bypassed.headers().firstValue("X-Memory-Status")).hasValue("bypassed");
    assertThat(ThreadCaller.sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"not remembered\"");

    relay.restore(DATABASE.port());
    await().until(() -> status(thread.say("after")).equals("stored"));
    assertThat(thread.stored()).hasSize(4).noneMatch(row -> row.contains("not remembered"));
  }

  @Test
  void aWholeAnswerThatCannotBeStoredIsNotShown() throws Exception {
    use("fail");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(yes().after(gate));
    var pending = java.util.concurrent.CompletableFuture.supplyAsync(() -> sayQuietly("lost"));
    UPSTREAM.takeRequest();
    relay.cut();
    gate.release();
    ErrorEnvelope.check(pending.join(), 503, "service_unavailable");
    relay.restore(DATABASE.port());
    await().until(() -> thread.rows().size() == 2);
  }

  @Test
  void orItIsShownAndMarked() throws Exception {
    use("bypass");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(yes().after(gate));
    var pending = java.util.concurrent.CompletableFuture.supplyAsync(() -> sayQuietly("lost"));
    UPSTREAM.takeRequest();
    relay.cut();
    gate.release();
    assertThat(pending.join().statusCode()).isEqualTo(200);
    assertThat(pending.join().headers().firstValue("X-Memory-Status")).hasValue("bypassed");
  }

  @ParameterizedTest
  @ValueSource(strings = {CHAT, MESSAGES})
  void aStreamThatCannotBeStoredEndsWithAnErrorInPlaceOfItsFinalEvent(String path)
      throws Exception {
    use("fail");
    String all = streamDuringWhichTheStoreGoes(path);
    assertThat(all)
        .contains("upstream.", "service_unavailable")
        .doesNotContain("[DONE]", "message_stop");
  }

  @Test
  void orItEndsAsUsualAndSaysSoInAComment() throws Exception {
    use("bypass");
    assertThat(streamDuringWhichTheStoreGoes(CHAT))
        .contains("\n\n: X-Memory-Status: bypassed\ndata: [DONE]\n\n");
  }

  private String streamDuringWhichTheStoreGoes(String path) throws Exception {
    String model = path.equals(CHAT) ? "gpt-5" : "claude-x";
    String body =
        streamedChat(message("user", "lost"))
            .replace("gpt-5", model + "\",\"max_tokens\":9,\"service_tier\":\"auto");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.answer(
        request ->
            Answer.sse(
                CannedReplies.reply(path, request.json(), CannedReplies.TEXT).events(), gate));
    try (RawClient client = new RawClient(gateway.port())) {
      client.send(
          "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nx-thread-id: gone\r\nx-resource-id: user-1\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
              .formatted(path, gateway.key(), body.length(), body));
      gate.release();
      String head = client.readUntil("\r\n\r\n");
      assertThat(head).contains("X-Memory-Status: stored");
      relay.cut();
      gate.release(1000);
      return client.readAll();
    }
  }

  private static Answer yes() {
    return Answer.json(
        "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", "Yes.") + "}]}");
  }

  private HttpResponse<String> sayQuietly(String text) {
    try {
      return thread.say(text);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void breakDatabase(boolean hangs) {
    if (hangs) {
      relay.hang();
    } else {
      relay.cut();
    }
  }
}
