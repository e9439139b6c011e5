package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.SharedGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: what is remembered of calls that fail or break off. */
class TurnFailureIT {
  private static final AtomicInteger THREADS = new AtomicInteger();
  private static final String HELLO = "\"Hello from the upstream.\"";

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  private String id;
  private ThreadCaller thread;

  @BeforeEach
  void newThread() {
    id = "failing-" + THREADS.incrementAndGet();
    thread = new ThreadCaller(GATEWAY, id);
  }

  @Test
  void ofAFailedCallNothingIsStored() throws Exception {
    UPSTREAM.enqueue(Answer.error(529, "overloaded_error", "Overloaded"));
    HttpResponse<String> answer = thread.say("lost");
    assertThat(answer.statusCode()).isEqualTo(529);
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("off");
    UPSTREAM.enqueue(Answer.garbage());
    HttpResponse<String> nonsense = thread.say("lost too");
    assertThat(nonsense.statusCode()).isEqualTo(502);
    assertThat(nonsense.headers().firstValue("X-Memory-Status")).hasValue("off");
    UPSTREAM.enqueue(Answer.json("{\"error\":{\"message\":\"no\",\"type\":\"x\"}}"));
    HttpResponse<String> errorWith200 = thread.say("and this");
    assertThat(errorWith200.headers().firstValue("X-Memory-Status")).hasValue("off");

    assertThat(thread.stored()).isEmpty();
    thread.say("kept");
    assertThat(thread.stored()).containsExactly("user \"kept\"", "assistant " + HELLO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"failed", "cancelled"})
  void anAnswerThatSaysThatItFailedIsNone(String status) throws Exception {
    String failed =
        "{\"id\":\"r\",\"object\":\"response\",\"status\":\"%s\",\"error\":null,\"output\":[%s]}";
    String call = "{\"model\":\"gpt-5\",\"input\":\"lost\"}";
    UPSTREAM.enqueue(Answer.json(failed.formatted(status, "")));
    assertThat(thread.call(RESPONSES, call).headers().firstValue("X-Memory-Status"))
        .hasValue("off");
    assertThat(thread.stored()).isEmpty();
    String half =
        "{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"status\":\"incomplete\","
            + "\"content\":[{\"type\":\"output_text\",\"text\":\"half\"}]}";
    UPSTREAM.enqueue(Answer.json(failed.formatted(status, half)));
    thread.call(RESPONSES, call);
    assertThat(thread.stored()).hasSize(2).allMatch(message -> message.endsWith("incomplete"));
  }

  @Test
  void anUpstreamThatDiesLeavesWhatItSaidMarkedIncomplete() throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("The capi"), "data: {\"cho"), Answer.reset()));
    thread.call(CHAT, streamedChat(message("user", "capital?")));
    assertThat(thread.stored())
        .containsExactly("user \"capital?\" incomplete", "assistant \"The capi\" incomplete");
  }

  @Test
  void aCallMadeAgainAfterItBrokeOffIsOneTurn() throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("The capi")), Answer.reset()));
    thread.call(CHAT, streamedChat(message("user", "capital?")));
    UPSTREAM.takeRequest();
    thread.call(CHAT, streamedChat(message("user", "capital?")));
    assertThat(sent(UPSTREAM.takeRequest().json())).containsExactly("user \"capital?\"");
    assertThat(thread.stored())
        .containsExactly(
            "user \"capital?\"",
            "assistant \"The capi\" incomplete superseded",
            "assistant " + HELLO);
    thread.say("next");
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"capital?\"", "assistant " + HELLO, "user \"next\"");
  }

  @Test
  void aTurnThatBrokeOffBeforeAWordIsCompletedByTheNextAttempt() throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(List.of(": hello\n\n"), Answer.reset()));
    thread.call(CHAT, streamedChat(message("user", "capital?")));
    assertThat(thread.stored()).containsExactly("user \"capital?\" incomplete");
    thread.say("capital?");
    assertThat(thread.stored()).containsExactly("user \"capital?\"", "assistant " + HELLO);
  }

  @Test
  void aCallMadeAgainIsANewTurnOnceOthersHaveWritten() throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("The capi")), Answer.reset()));
    thread.call(CHAT, streamedChat(message("user", "capital?")));
    UPSTREAM.takeRequest();
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sse(List.of(chunk("Paris"), "data: [DONE]\n\n")).after(gate));
    Callable<HttpResponse<String>> again =
        () ->
            GATEWAY.send(
                thread
                    .request(CHAT, streamedChat(message("user", "capital?")))
                    .header("Idempotency-Key", id));
    var pending = inBackground(again);
    UPSTREAM.takeRequest();
    thread.say("meanwhile");
    gate.release();

    String answer = pending.join().body();
    assertThat(answer).contains("Paris");
    assertThat(thread.stored())
        .containsExactly(
            "user \"capital?\" incomplete",
            "assistant \"The capi\" incomplete",
            "user \"meanwhile\"",
            "assistant " + HELLO,
            "user \"capital?\"",
            "assistant \"Paris\"");
    assertThat(again.call().body()).contains("Paris").doesNotContain("capital?");
  }

  @Test
  void aCallMadeAgainLeavesInterruptedTurnsOfOthersAsTheyAre() throws Exception {
    for (String question : List.of("one", "two")) {
      UPSTREAM.enqueue(Answer.sseThen(List.of(": hello\n\n"), Answer.reset()));
      thread.call(CHAT, streamedChat(message("user", question)));
    }
    thread.say("two");
    assertThat(thread.stored())
        .containsExactly("user \"one\" incomplete", "user \"two\"", "assistant " + HELLO);
  }

  @Test
  void anErrorThatTheUpstreamReportsInTheStreamEndsTheTurnIncomplete() throws Exception {
    UPSTREAM.enqueue(
        Answer.sse(List.of(chunk("Half"), "data: {\"error\":{\"message\":\"overloaded\"}}\n\n")));
    assertThat(thread.call(CHAT, streamedChat(message("user", "one"))).body())
        .doesNotContain("X-Memory-Status");
    assertThat(thread.stored())
        .containsExactly("user \"one\" incomplete", "assistant \"Half\" incomplete");
    UPSTREAM.enqueue(Answer.sse(List.of("data: {\"error\":{\"message\":\"overloaded\"}}\n\n")));
    assertThat(thread.call(CHAT, streamedChat(message("user", "nothing said"))).body())
        .startsWith(": X-Memory-Status: off\ndata: {");
    UPSTREAM.enqueue(Answer.sse(List.of("data: {\"error\":{\"message\":\"overloaded\"}}\n")));
    assertThat(thread.call(CHAT, streamedChat(message("user", "nothing said"))).body())
        .startsWith(": X-Memory-Status: off\ndata: {");
    assertThat(thread.stored()).hasSize(2);
  }

  @Test
  void aCallerWhoLeavesMidStreamLeavesTheQuestionAndWhatWasDelivered() throws Exception {
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sse(List.of(chunk("Deliv"), chunk("ered"), chunk("never")), gate));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      send(client, streamedChat(message("user", "leaving")));
      gate.release(2);
      client.readUntil(chunk("ered"));
    }
    await()
        .untilAsserted(
            () ->
                assertThat(thread.stored())
                    .containsExactly(
                        "user \"leaving\" incomplete", "assistant \"Delivered\" incomplete"));
    UPSTREAM.takeRequest().clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aHalfToolCallIsStoredAsFarAsItCame() throws Exception {
    String half =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\","
            + "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\n";
    UPSTREAM.enqueue(Answer.sseThen(List.of(chunk("Let me see"), half), Answer.reset()));
    thread.call(CHAT, streamedChat(message("user", "one")));
    assertThat(thread.stored())
        .containsExactly(
            "user \"one\" incomplete",
            "assistant {\"content\":\"Let me see\",\"tool_calls\":[{\"id\":\"call_1\","
                + "\"type\":\"function\",\"function\":{\"name\":\"f\","
                + "\"arguments\":\"{\\\"a\\\":\"}}]} incomplete");
    thread.say("two");
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .as("with a result, as no call goes up without one")
        .hasSize(4);
  }

  @Test
  void aChatStreamWithoutDoneIsWholeIfItHasAFinishReason() throws Exception {
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                chunk("All"),
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")));
    thread.call(CHAT, streamedChat(message("user", "one")));
    assertThat(thread.stored()).containsExactly("user \"one\"", "assistant \"All\"");
  }

  /** Its name may be another resource's by then. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aThreadThatIsDeletedAndMadeAgainMeanwhileIsAnotherOne(boolean streamed) throws Exception {
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(
        (streamed
                ? Answer.sse(List.of(chunk("All"), "data: [DONE]\n\n"))
                : Answer.json("{\"choices\":[]}"))
            .after(gate));
    String said = message("user", "secret");
    var pending = inBackground(() -> thread.call(CHAT, streamed ? streamedChat(said) : chat(said)));
    UPSTREAM.takeRequest();
    GATEWAY.send(GATEWAY.request("/v1/memory/threads/" + id).DELETE());
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads")
            .POST(
                BodyPublishers.ofString("{\"id\":\"%s\",\"resourceId\":\"other\"}".formatted(id))));
    gate.release();
    if (streamed) {
      assertThat(pending.join().body()).endsWith(": X-Memory-Status: off\ndata: [DONE]\n\n");
    } else {
      assertThat(pending.join().headers().firstValue("X-Memory-Status")).hasValue("off");
    }
    assertThat(GATEWAY.get("/v1/memory/threads/" + id + "/messages").body())
        .contains("\"total\":0");
  }

  @Test
  void aThreadThatIsDeletedMeanwhileStaysDeleted() throws Exception {
    Semaphore gate = new Semaphore(0);
    thread.say("first");
    UPSTREAM.enqueue(Answer.json("{\"choices\":[]}").after(gate));
    var pending = inBackground(() -> thread.say("second"));
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    GATEWAY.send(GATEWAY.request("/v1/memory/threads/" + id).DELETE());
    gate.release();
    assertThat(pending.join().statusCode()).isEqualTo(200);
    assertThat(pending.join().headers().firstValue("X-Memory-Status")).hasValue("off");
    assertThat(GATEWAY.get("/v1/memory/threads/" + id).statusCode()).isEqualTo(404);
  }

  @Test
  void anOrphanInTheThreadDoesNotMakeLaterCallsFail() throws Exception {
    String call =
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
            + "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}";
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[{\"index\":0,\"message\":"
                + call
                + ",\"finish_reason\":\"tool_calls\"}]}"));
    thread.say("call it");
    UPSTREAM.takeRequest();
    thread.call(
        MESSAGES,
        "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"never mind\"}]}");
    String body = UPSTREAM.takeRequest().text();
    assertThat(body).contains("\"tool_use\"", "\"tool_result\"", "never mind");
  }

  @Test
  void whatCannotBeAConversationIsRefusedBeforeTheUpstreamIsAsked() throws Exception {
    assertThat(thread.call(CHAT, chat("{\"content\":\"x\"}")).statusCode()).isEqualTo(400);
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  private void send(RawClient client, String body) throws Exception {
    client.send(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nx-thread-id: %s\r\nx-resource-id: user-1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(GATEWAY.key(), id, body.length(), body));
  }

  private static String chunk(String text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
  }

  private static CompletableFuture<HttpResponse<String>> inBackground(
      Callable<HttpResponse<String>> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }
}
