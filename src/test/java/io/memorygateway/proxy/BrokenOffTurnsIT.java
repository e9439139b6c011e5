package io.memorygateway.proxy;

import static io.memorygateway.proxy.Attempts.isReplay;
import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: the same call again takes the place of a turn that broke off. */
class BrokenOffTurnsIT {
  /** More than what is stored together with the turns of others. */
  private static final String LONG = "long ".repeat(8000);

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER_NODE = new TestGateway(DATABASE, UPSTREAM);

  /** The common pool may have too few threads for calls that wait for each other. */
  @AutoClose("shutdownNow")
  private final ExecutorService callers = Executors.newCachedThreadPool();

  private ThreadCaller thread;
  private Attempts attempts;

  @BeforeEach
  void newThread() {
    String id = "broken-off-" + System.nanoTime();
    thread = new ThreadCaller(GATEWAY, id);
    attempts = new Attempts(id, callers);
  }

  @Test
  void aTurnThatBrokeOffIsMadeAnewInItsPlace() throws Exception {
    String body = streamedChat(message("user", "capital?"));
    UPSTREAM.enqueue(
        Answer.sseThen(
            List.of("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"The\"}}]}\n\n"),
            Answer.reset()));
    assertThat(attempts.send(GATEWAY, CHAT, body, "0").body()).contains("error");

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "1"))).isFalse();
    assertThat(isReplay(attempts.send(GATEWAY, CHAT, body, "2"))).isTrue();

    assertThat(thread.stored())
        .containsExactly(
            "user \"capital?\"",
            "assistant \"The\" incomplete superseded",
            "assistant \"Hello from the upstream.\"");
  }

  /** What the summary stands for is not compared, so that alone does not tell what is repeated. */
  @ParameterizedTest
  @CsvSource({"'',false", "The,false", "'',true", "The,true"})
  void aTurnBehindASummaryIsMadeAnewInItsPlace(String said, boolean inOne) throws Exception {
    thread.call(CHAT, chat(message("user", "one")));
    String summary = "Here is a summary of the conversation to date: one";
    String asked = inOne ? "[{\"type\":\"text\",\"text\":\"capital?\"}]" : "\"capital?\"";
    String question = "{\"role\":\"user\",\"content\":" + asked + "}";
    String both = asked.replace("[", "[{\"type\":\"text\",\"text\":\"" + summary + "\"},");
    String body =
        streamedChat(
            inOne ? question.replace(asked, both) : message("user", summary) + "," + question);
    List<String> events = said.isEmpty() ? List.of(": hello\n\n") : List.of(chunk(said));
    UPSTREAM.enqueue(Answer.sseThen(events, Answer.reset()));
    attempts.send(GATEWAY, CHAT, body, "0");
    attempts.send(OTHER_NODE, CHAT, body.replace("true,", "true,\"seed\":1,"), "0");

    assertThat(thread.stored())
        .filteredOn(message -> !message.endsWith(" incomplete superseded"))
        .containsExactly(
            "user \"one\"",
            "assistant \"Hello from the upstream.\"",
            "user " + asked,
            "assistant \"Hello from the upstream.\"");
  }

  /** An empty answer has no message, and yet the turn is whole by it. */
  @ParameterizedTest
  @ValueSource(strings = {"", "The"})
  void aTurnThatBrokeOffIsWholeByAnEmptyAnswer(String said) throws Exception {
    String body = streamedChat(message("user", "capital?"));
    List<String> events = said.isEmpty() ? List.of(": hello\n\n") : List.of(chunk(said));
    UPSTREAM.enqueue(
        Answer.sseThen(events, Answer.reset()),
        Answer.sse(
            List.of(
                chunk("").replace("}}]", "},\"finish_reason\":\"stop\"}]"), "data: [DONE]\n\n")));
    assertThat(attempts.send(GATEWAY, CHAT, body, "0").body()).contains("error");
    assertThat(thread.stored().get(0)).isEqualTo("user \"capital?\" incomplete");

    assertThat(attempts.send(OTHER_NODE, CHAT, body, "1").body()).endsWith("data: [DONE]\n\n");

    assertThat(thread.stored().get(0)).isEqualTo("user \"capital?\"");
    assertThat(thread.stored().stream().skip(1))
        .containsExactlyElementsOf(
            said.isEmpty() ? List.of() : List.of("assistant \"The\" incomplete superseded"));
  }

  /** There is nothing to be given again, and it is no second turn either. */
  @Test
  void aCallThatWasAnsweredWithNothingIsMadeAnewInItsPlace() throws Exception {
    String body = chat(message("user", "capital?"));
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null}}]}"));
    attempts.send(GATEWAY, CHAT, body, "0");

    assertThat(isReplay(attempts.send(OTHER_NODE, CHAT, body, "1"))).isFalse();

    assertThat(thread.stored())
        .containsExactly("user \"capital?\"", "assistant \"Hello from the upstream.\"");
  }

  /** It is opened before the first one has broken off, so its alignment shows nothing of that. */
  @ParameterizedTest
  @CsvSource({
    "capital?,The,true",
    "capital?,The,false",
    "capital?,'',false",
    "long,The,false",
    "long,'',true"
  })
  void anAttemptThatIsOpenWhileTheFirstBreaksOffCompletesItsTurn(
      String question, String said, boolean again) throws Exception {
    String text = question.equals("long") ? LONG : question;
    String body = streamedChat(message("user", text));
    Semaphore one = new Semaphore(0);
    Semaphore two = new Semaphore(0);
    List<String> events = said.isEmpty() ? List.of(": hello\n\n") : List.of(chunk(said));
    UPSTREAM.enqueue(
        Answer.sseThen(events, Answer.reset().after(one)),
        Answer.sse(List.of(chunk("Paris"), "data: [DONE]\n\n")).after(two));
    CompletableFuture<HttpResponse<String>> first = attempts.sending(GATEWAY, body, "0");
    UPSTREAM.takeRequest();
    CompletableFuture<HttpResponse<String>> second =
        attempts.sending(OTHER_NODE, body, again ? "1" : null);
    UPSTREAM.takeRequest();
    one.release();
    assertThat(first.join().body()).contains("error");
    assertThat(thread.stored().get(0)).isEqualTo("user \"" + text + "\" incomplete");
    two.release();
    assertThat(second.join().body()).contains("Paris");

    assertThat(thread.stored().get(0)).isEqualTo("user \"" + text + "\"");
    assertThat(thread.stored().stream().skip(1))
        .filteredOn(message -> !message.endsWith("incomplete superseded"))
        .containsExactly("assistant \"Paris\"");
    assertThat(isReplay(attempts.send(GATEWAY, CHAT, body, "2"))).isTrue();
  }

  @Test
  void soItDoesBehindSeveralThatBreakOff() throws Exception {
    String body = streamedChat(message("user", "capital?"));
    List<Semaphore> ends = List.of(new Semaphore(0), new Semaphore(0), new Semaphore(0));
    UPSTREAM.enqueue(
        Answer.sseThen(List.of(chunk("T")), Answer.reset().after(ends.get(0))),
        Answer.sseThen(List.of(chunk("Th")), Answer.reset().after(ends.get(1))),
        Answer.sse(List.of(chunk("Paris"), "data: [DONE]\n\n")).after(ends.get(2)));
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      answers.add(attempts.sending(i == 1 ? OTHER_NODE : GATEWAY, body, "" + i));
      UPSTREAM.takeRequest();
    }
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).release();
      answers.get(i).join();
    }

    assertThat(thread.stored())
        .containsExactly(
            "user \"capital?\"",
            "assistant \"T\" incomplete superseded",
            "assistant \"Th\" incomplete superseded",
            "assistant \"Paris\"");
  }

  @Test
  void anAttemptThatBreaksOffBehindAnotherThatIsWholeLeavesNothing() throws Exception {
    String body = streamedChat(message("user", "capital?"));
    Semaphore one = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("The")), Answer.reset().after(one)));
    CompletableFuture<HttpResponse<String>> first = attempts.sending(GATEWAY, body, "0");
    UPSTREAM.takeRequest();
    attempts.send(OTHER_NODE, CHAT, body, "1");
    one.release();
    assertThat(first.join().body()).contains("error");

    assertThat(thread.stored())
        .containsExactly("user \"capital?\"", "assistant \"Hello from the upstream.\"");
  }

  private static String chunk(String text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
  }
}
