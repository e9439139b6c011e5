package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
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

/**
 * Contract §7: what a call brings is stored once, though it is made several times at once, on two
 * nodes.
 */
@Tag("heavy")
class AttemptsAtOnceIT {
  /** More than what is stored together with the turns of others. */
  private static final String LONG = "long ".repeat(8000);

  private static final String EMPTY =
      "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null},"
          + "\"finish_reason\":\"stop\"}]}";

  private static final String[] ANSWERS = {
    chatAnswer("first"), chatAnswer("second"), chatAnswer("third")
  };

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
    id = "at-once-" + System.nanoTime();
    thread = new ThreadCaller(GATEWAY, id);
  }

  /** Its answer is no part of the thread, so it is a second attempt whatever its caller says. */
  @ParameterizedTest
  @CsvSource({"false,false", "true,false", "false,true", "true,true"})
  void whatIsToBeSummedUp(boolean again, boolean isLong) throws Exception {
    thread.say("one");
    UPSTREAM.takeRequest();
    String two = isLong ? LONG : "two";
    String body =
        "{\"model\":\"gpt-5\",\"input\":["
            + String.join(
                ",",
                message("user", "one"),
                message("assistant", "Hello from the upstream."),
                message("user", two),
                "{\"type\":\"compaction_trigger\"}")
            + "]}";
    allAtOnce(RESPONSES, body, again, responses("sum"), responses("sum too"));

    assertThat(thread.stored())
        .containsExactly(
            "user \"one\"", "assistant \"Hello from the upstream.\"", "user \"" + two + "\"");
    new ThreadCaller(OTHER_NODE, id).say("three");
    assertThat(ThreadCaller.sent(UPSTREAM.takeRequest().json()))
        .containsExactly(
            "user \"one\"",
            "assistant \"Hello from the upstream.\"",
            "user \"" + two + "\"",
            "user \"three\"");
  }

  @Test
  void whatIsSaidInPlaceOfSomethingElse() throws Exception {
    String one = message("user", "one");
    String hello = message("assistant", "Hello from the upstream.");
    thread.call(CHAT, chat(one));
    thread.call(CHAT, chat(one, hello, message("user", "two")));
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    String body = chat(one, hello, message("user", "two, edited"));
    allAtOnce(CHAT, body, true, ANSWERS);

    assertThat(thread.stored())
        .containsExactly(
            "user \"one\"",
            "assistant \"Hello from the upstream.\"",
            "user \"two\" superseded",
            "assistant \"Hello from the upstream.\" superseded",
            "user \"two, edited\"",
            "assistant \"first\" superseded",
            "assistant \"second\" superseded",
            "assistant \"third\"");
  }

  @Test
  void whatIsSaidNext() throws Exception {
    thread.say("one");
    UPSTREAM.takeRequest();
    allAtOnce(CHAT, chat(message("user", "two")), true, ANSWERS);

    assertThat(thread.stored())
        .containsExactly(
            "user \"one\"",
            "assistant \"Hello from the upstream.\"",
            "user \"two\"",
            "assistant \"first\" superseded",
            "assistant \"second\" superseded",
            "assistant \"third\"");
  }

  /** It is whole, and has no message that could stand in the place of the other's. */
  @ParameterizedTest
  @CsvSource({"The", "''"})
  void whatIsAnsweredWithNothingBehindOneThatBreaksOff(String said) throws Exception {
    String chunk = "data: {\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\n";
    String finish = chunk.formatted("},\"finish_reason\":\"stop\",\"more\":{");
    Semaphore two = new Semaphore(0);
    var second =
        behindOneThatBreaksOff(
            said.isEmpty() ? ": hi\n\n" : chunk.formatted("\"content\":\"The\""),
            Answer.sse(List.of(finish, "data: [DONE]\n\n")).after(two));
    assertThat(thread.stored().get(0)).isEqualTo("user \"one\" incomplete");
    two.release();
    assertThat(second.join().body()).endsWith("data: [DONE]\n\n");

    assertThat(thread.stored().get(0)).isEqualTo("user \"one\"");
    assertThat(thread.stored().stream().skip(1))
        .containsExactlyElementsOf(
            said.isEmpty() ? List.of() : List.of("assistant \"The\" incomplete superseded"));
    thread.say("two");
    assertThat(ThreadCaller.sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", "user \"two\"");
  }

  /** What the other one told stays: nothing stands in its place. */
  @Test
  void whatBreaksOffWithNothingBehindOneThatBreaksOff() throws Exception {
    Semaphore two = new Semaphore(0);
    var second =
        behindOneThatBreaksOff(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"The\"}}]}\n\n",
            Answer.sseThen(List.of(": hi\n\n"), Answer.reset().after(two)));
    two.release();
    assertThat(second.join().body()).contains("error");

    assertThat(thread.stored())
        .containsExactly("user \"one\" incomplete", "assistant \"The\" incomplete");
  }

  /** A call on the other node while this one's breaks off, which begins with an event. */
  private CompletableFuture<HttpResponse<String>> behindOneThatBreaksOff(String event, Answer other)
      throws Exception {
    Semaphore end = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sseThen(List.of(event), Answer.reset().after(end)), other);
    String body = streamedChat(message("user", "one"));
    var first = sending(GATEWAY, CHAT, body, false);
    UPSTREAM.takeRequest();
    var second = sending(OTHER_NODE, CHAT, body, false);
    UPSTREAM.takeRequest();
    end.release();
    assertThat(first.join().body()).contains("error");
    return second;
  }

  @Test
  void whatIsAnsweredWithNothingBehindAWholeAnswer() throws Exception {
    allAtOnce(CHAT, chat(message("user", "one")), true, chatAnswer("first"), EMPTY);

    assertThat(thread.stored()).containsExactly("user \"one\"", "assistant \"first\"");
  }

  /** Nothing stands there that the second answer could not be told from. */
  @ParameterizedTest
  @CsvSource({"true,one", "false,one", "true,long"})
  void whatIsAnsweredBehindNothing(boolean again, String question) throws Exception {
    String text = question.equals("long") ? LONG : question;
    allAtOnce(CHAT, chat(message("user", text)), again, EMPTY, chatAnswer("second"));

    assertThat(thread.stored()).containsExactly("user \"" + text + "\"", "assistant \"second\"");
  }

  @Test
  void whatIsAnsweredBehindNothingAndWasDeletedMeanwhile() throws Exception {
    Semaphore one = new Semaphore(0);
    Semaphore two = new Semaphore(0);
    UPSTREAM.enqueue(Answer.json(EMPTY).after(one), Answer.json(ANSWERS[1]).after(two));
    String body = chat(message("user", "one"));
    var first = sending(GATEWAY, CHAT, body, false);
    UPSTREAM.takeRequest();
    var second = sending(OTHER_NODE, CHAT, body, true);
    UPSTREAM.takeRequest();
    one.release();
    assertThat(first.join().statusCode()).isEqualTo(200);
    String question = thread.rows().get(0).path("id").asText();
    GATEWAY.send(GATEWAY.request("/v1/memory/threads/" + id + "/messages/" + question).DELETE());
    two.release();
    assertThat(second.join().headers().firstValue("X-Memory-Status")).hasValue("stored");

    assertThat(thread.stored()).containsExactly("user \"one\"", "assistant \"second\"");
  }

  @Test
  void whatIsAnsweredAnew() throws Exception {
    thread.say("one");
    UPSTREAM.takeRequest();
    String body =
        chat(
            message("user", "one"),
            message("assistant", "Hello from the upstream."),
            message("user", "two"));
    thread.call(CHAT, body);
    UPSTREAM.takeRequest();
    allAtOnce(CHAT, body + " ", true, ANSWERS);

    assertThat(thread.stored())
        .endsWith(
            "user \"two\"",
            "assistant \"Hello from the upstream.\" superseded",
            "assistant \"first\" superseded",
            "assistant \"second\" superseded",
            "assistant \"third\"");
  }

  /** The first attempt, and others behind it that end after it, one after the other. */
  private void allAtOnce(String path, String body, boolean again, String... answers)
      throws Exception {
    List<Semaphore> ends = new ArrayList<>();
    List<CompletableFuture<HttpResponse<String>>> attempts = new ArrayList<>();
    for (String answer : answers) {
      Semaphore end = new Semaphore(0);
      UPSTREAM.enqueue(Answer.json(answer).after(end));
      boolean isFirst = ends.isEmpty();
      attempts.add(sending(isFirst ? GATEWAY : OTHER_NODE, path, body, again && !isFirst));
      UPSTREAM.takeRequest();
      ends.add(end);
    }
    for (int i = 0; i < answers.length; i++) {
      ends.get(i).release();
      assertThat(attempts.get(i).join().headers().firstValue("X-Memory-Status")).hasValue("stored");
    }
  }

  private CompletableFuture<HttpResponse<String>> sending(
      TestGateway node, String path, String body, boolean again) {
    return CompletableFuture.supplyAsync(
        () -> {
          HttpRequest.Builder request = new ThreadCaller(node, id).request(path, body);
          if (again) {
            request.header("x-stainless-retry-count", "1");
          }
          try {
            return node.send(request);
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        callers);
  }

  private static String chatAnswer(String text) {
    return "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", text) + "}]}";
  }

  private static String responses(String text) {
    return "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":"
        + "\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
        + "\"text\":\""
        + text
        + "\"}]}]}";
  }
}
