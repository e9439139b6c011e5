package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: an answer above 32 MiB is shown and not stored, and says so. */
@Tag("heavy")
class LongAnswersIT {
  private static final String BYPASSED = ": X-Memory-Status: bypassed\n";
  private static final String MEBIBYTE = "x".repeat(1 << 20);

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  private ThreadCaller thread;

  @BeforeEach
  void newThread() {
    thread = new ThreadCaller(GATEWAY, "long-" + System.nanoTime());
  }

  @Test
  void aStreamIsMarkedBeforeItsFinalEvent() throws Exception {
    List<String> events =
        new ArrayList<>(Collections.nCopies(33, chunk("{\"content\":\"" + MEBIBYTE + "\"}")));
    events.add("data: [DONE]\n\n");
    UPSTREAM.enqueue(Answer.sse(events));
    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "long")));
    assertThat(answer.statusCode()).isEqualTo(200);
    String end = end(answer);
    assertThat(answer.body().split(BYPASSED, -1)).hasSize(2);
    assertThat(end).endsWith("data: [DONE]\n\n");
    // A line of the next event: as an event of its own, clients would hand it out where ids are
    // sent.
    assertThat(answer.body()).contains("\n\n" + BYPASSED + "data: ");
    nothingIsStored();
  }

  @Test
  void aFinalEventThatIsItselfTooLongCarriesTheMark() throws Exception {
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":["
                    + "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\""
                    + MEBIBYTE.repeat(33)
                    + "\"}]}]}}\n\n")));
    HttpResponse<String> answer =
        thread.call(RESPONSES, "{\"model\":\"gpt-5\",\"stream\":true,\"input\":\"long\"}");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(end(answer)).endsWith("}]}]}}\n" + BYPASSED + "\n");
    nothingIsStored();
  }

  @Test
  void aWholeAnswerSaysSoInItsHeader() throws Exception {
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[{\"index\":0,\"message\":"
                + message("assistant", MEBIBYTE.repeat(33))
                + "}]}"));
    HttpResponse<String> answer = thread.say("long");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("bypassed");
    nothingIsStored();
  }

  private void nothingIsStored() throws Exception {
    assertThat(thread.stored()).isEmpty();
    assertThat(GATEWAY.log()).contains("too long to be kept");
    assertThat(thread.say("short").headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(thread.stored()).hasSize(2);
  }

  private static String chunk(String delta) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":" + delta + "}]}\n\n";
  }

  private static String end(HttpResponse<String> answer) {
    return answer.body().substring(answer.body().length() - 100);
  }
}
