package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.DatabaseRelay.LostCommit;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §7: a connection that breaks at the commit of a turn neither loses nor doubles it. */
class UncertainTurnsIT {
  /** More than what is stored together with the turns of others. */
  private static final String LONG = "long ".repeat(8000);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static DatabaseRelay relay;
  private static TestGateway gateway;

  private String id;
  private ThreadCaller thread;

  @BeforeAll
  static void start() throws Exception {
    relay = DatabaseRelay.to(DATABASE.port());
    gateway =
        new TestGateway(DATABASE, UPSTREAM)
            .with("DATABASE_URL", DATABASE.url(relay).replace("PREFERRED", "DISABLED"));
    gateway.start();
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.stop();
    relay.close();
  }

  @BeforeEach
  void makeAThread() throws Exception {
    id = "uncertain-" + System.nanoTime();
    thread = new ThreadCaller(gateway, id);
    assertThat(thread.say("before").statusCode()).isEqualTo(200);
    UPSTREAM.reset();
  }

  @ParameterizedTest
  @CsvSource({
    "ANSWER,false,false",
    "ANSWER,false,true",
    "ANSWER,true,false",
    "ANSWER,true,true",
    "COMMIT,false,false",
    "COMMIT,false,true",
    "COMMIT,true,false",
    "COMMIT,true,true"
  })
  void whatBecameOfTheCommitIsFoundOutBeforeTheEndIsShown(
      LostCommit what, boolean alone, boolean stream) throws Exception {
    String question = message("user", alone ? LONG : "question");
    relay.loseNextCommit(what, false);

    HttpResponse<String> answer =
        thread.call(CHAT, stream ? streamedChat(question) : chat(question));

    assertThat(relay.hasLostCommit()).isTrue();
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).doesNotContain("error").contains("upstream.");
    if (stream) {
      assertThat(answer.body()).endsWith("data: [DONE]\n\n");
    }
    assertThat(thread.rows()).hasSize(4);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(value = LostCommit.class, mode = EnumSource.Mode.EXCLUDE, names = "HELD")
  void aRegenerationTakesTheOldAnswersPlaceOnce(LostCommit what) throws Exception {
    String again =
        chat(
            message("user", "before"),
            message("assistant", "Hello from the upstream."),
            message("user", "question"));
    thread.call(CHAT, again);
    relay.loseNextCommit(what, false);

    assertThat(thread.call(CHAT, again).statusCode()).isEqualTo(200);

    assertThat(relay.hasLostCommit()).isTrue();
    assertThat(thread.stored()).hasSize(5);
    assertThat(thread.stored().get(3)).endsWith(" superseded");
    assertThat(thread.stored().get(4)).doesNotContain("superseded");
  }

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource(value = LostCommit.class, mode = EnumSource.Mode.EXCLUDE, names = "HELD")
  void whereTheDatabaseCannotBeAskedTheCallersRetryFindsTheTurn(LostCommit what) throws Exception {
    String body = chat(message("user", "question"));
    relay.loseNextCommit(what, true);
    ErrorEnvelope.check(thread.call(CHAT, body), 503, "service_unavailable");

    relay.restore(DATABASE.port());
    await().until(() -> thread.rows().size() >= 2);
    HttpResponse<String> again = thread.call(CHAT, body);

    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.body()).contains("Hello from the upstream.");
    assertThat(thread.rows()).hasSize(4);
    assertThat(UPSTREAM.requests()).hasSize(what == LostCommit.ANSWER ? 1 : 2);
  }

  /** It stores less than it brings: the rest is what the first attempt has stored. */
  @ParameterizedTest
  @EnumSource(value = LostCommit.class, mode = EnumSource.Mode.EXCLUDE, names = "HELD")
  void ofASecondAttemptLikewise(LostCommit what) throws Exception {
    Semaphore one = new Semaphore(0);
    Semaphore two = new Semaphore(0);
    UPSTREAM.enqueue(
        Answer.sseThen(List.of(chunk("The")), Answer.reset().after(one)),
        Answer.sse(List.of(chunk("Paris"), "data: [DONE]\n\n")).after(two));
    CompletableFuture<HttpResponse<String>> first = asking();
    UPSTREAM.takeRequest();
    CompletableFuture<HttpResponse<String>> second = asking();
    UPSTREAM.takeRequest();
    one.release();
    assertThat(first.join().body()).contains("error");
    // Of the transaction with what the second one alone says.
    relay.loseNextCommit("Paris", what, false);
    two.release();

    assertThat(second.join().body()).endsWith("data: [DONE]\n\n");
    assertThat(relay.hasLostCommit()).isTrue();
    assertThat(thread.stored().stream().skip(2))
        .containsExactly(
            "user \"capital?\"", "assistant \"The\" incomplete superseded", "assistant \"Paris\"");
  }

  private CompletableFuture<HttpResponse<String>> asking() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return thread.call(CHAT, streamedChat(message("user", "capital?")));
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static String chunk(String text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
  }

  @ParameterizedTest
  @CsvSource({"ANSWER,false", "ANSWER,true", "COMMIT,false", "COMMIT,true"})
  void ofAnAppendLikewise(LostCommit what, boolean alone) throws Exception {
    relay.loseNextCommit(what, false);

    HttpResponse<String> answer =
        gateway.post(
            "/v1/memory/threads/" + id + "/messages",
            "{\"messages\":[" + message("user", alone ? LONG : "appended") + "]}");

    assertThat(relay.hasLostCommit()).isTrue();
    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(thread.rows()).hasSize(3);
  }

  @Tag("heavy")
  @Test
  void aStreamThatCouldNotBeAskedForEndsWithAnErrorAndItsRetryFindsIt() throws Exception {
    String body =
        streamedChat(message("user", "question"))
            .replace("gpt-5", "claude-x\",\"max_tokens\":9,\"service_tier\":\"auto");
    relay.loseNextCommit(LostCommit.ANSWER, true);
    HttpResponse<String> failed = thread.call(MESSAGES, body);
    assertThat(failed.body()).contains("event: error").doesNotContain("message_stop");

    relay.restore(DATABASE.port());
    await().until(() -> thread.rows().size() == 4);
    HttpResponse<String> again = thread.call(MESSAGES, body);

    assertThat(again.body()).contains("Hello from the upstream.", "event: message_stop");
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(thread.rows()).hasSize(4);
  }
}
