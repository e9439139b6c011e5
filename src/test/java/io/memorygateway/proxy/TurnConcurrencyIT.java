package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: calls at once on one thread, and nodes that take turns on it. */
class TurnConcurrencyIT {
  private static final String HELLO = "assistant \"Hello from the upstream.\"";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway ONE = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER = new TestGateway(DATABASE, UPSTREAM);

  @AutoClose("shutdownNow")
  private final ExecutorService callers = Executors.newFixedThreadPool(20);

  @Test
  void twentyCallsAtOnceAllSucceedAndEachTurnStandsTogether() throws Exception {
    List<Future<Integer>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // The first ones make the thread, too.
      ThreadCaller thread = new ThreadCaller(i % 2 == 0 ? ONE : OTHER, "crowded");
      String question = message("user", "question " + i);
      answers.add(
          callers.submit(
              () -> thread.call(ThreadCaller.CHAT, streamedChat(question)).statusCode()));
    }
    for (Future<Integer> answer : answers) {
      assertThat(answer.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
    }
    List<String> stored = new ThreadCaller(ONE, "crowded").stored();
    assertThat(stored).hasSize(40);
    assertThat(IntStream.range(0, 20).mapToObj(i -> stored.get(2 * i)))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 20).mapToObj(i -> "user \"question " + i + "\"").toList());
    assertThat(IntStream.range(0, 20).mapToObj(i -> stored.get(2 * i + 1))).containsOnly(HELLO);
  }

  @Test
  void ofTwoRegenerationsOfOneAnswerAtOnceOneLives() throws Exception {
    ThreadCaller one = new ThreadCaller(ONE, "regenerated");
    ThreadCaller other = new ThreadCaller(OTHER, "regenerated");
    one.call(ThreadCaller.CHAT, ThreadCaller.chat(message("user", "before")));
    String again =
        ThreadCaller.chat(
            message("user", "before"),
            message("assistant", "Hello from the upstream."),
            message("user", "question"));
    one.call(ThreadCaller.CHAT, again);
    UPSTREAM.reset();
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(answer("first").after(gate), answer("second").after(gate));
    Future<Integer> first = callers.submit(() -> one.call(ThreadCaller.CHAT, again).statusCode());
    Future<Integer> second =
        callers.submit(() -> other.call(ThreadCaller.CHAT, again).statusCode());
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    gate.release(2);
    assertThat(first.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
    assertThat(second.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
    List<String> stored = one.stored();
    assertThat(stored).hasSize(6);
    assertThat(stored.subList(0, 4))
        .containsExactly("user \"before\"", HELLO, "user \"question\"", HELLO + " superseded");
    assertThat(stored.get(4)).endsWith(" superseded");
    assertThat(stored.get(5)).doesNotContain("superseded");
    one.say("next");
    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(5);
  }

  @Test
  void ofTwoFirstAnswersToOneStoredQuestionOneLives() throws Exception {
    ThreadCaller one = new ThreadCaller(ONE, "asked");
    one.say("before");
    ONE.post(
        "/v1/memory/threads/asked/messages",
        "{\"messages\":[" + message("user", "question") + "]}");
    UPSTREAM.reset();
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(answer("first").after(gate), answer("second").after(gate));
    Future<Integer> first = callers.submit(() -> one.say("question").statusCode());
    Future<Integer> second = callers.submit(() -> one.say("question").statusCode());
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    gate.release(2);
    assertThat(first.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
    assertThat(second.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
    List<String> stored = one.stored();
    assertThat(stored).hasSize(5);
    assertThat(stored.stream().filter(row -> row.endsWith("superseded"))).hasSize(1);
  }

  private static Answer.HttpAnswer answer(String text) {
    return Answer.json(
        "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", text) + "}]}");
  }

  @Test
  void nodesThatTakeTurnsSeeEachOthersTurnsAtOnce() throws Exception {
    for (int i = 0; i < 20; i++) {
      ThreadCaller thread = new ThreadCaller(i % 2 == 0 ? ONE : OTHER, "shared");
      thread.say("turn " + i);
      assertThat(sent(UPSTREAM.takeRequest().json()))
          .hasSize(2 * i + 1)
          .endsWith("user \"turn " + i + "\"");
    }
    assertThat(new ThreadCaller(ONE, "shared").stored()).hasSize(40);
  }
}
