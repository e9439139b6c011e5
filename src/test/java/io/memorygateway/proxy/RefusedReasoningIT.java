package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §10: a call with memory that is refused for its reasoning is made without it. */
class RefusedReasoningIT {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private static final String CHAT_ANSWER =
      """
      {"id":"c","object":"chat.completion","model":"gpt-5","choices":[{"index":0,"finish_reason":"stop",\
      "message":{"role":"assistant","content":"one","reasoning_content":"a thought"}}]}\
      """;

  private static final String MESSAGES_ANSWER =
      """
      {"id":"m","type":"message","role":"assistant","model":"claude-x","stop_reason":"end_turn","content":[\
      {"type":"thinking","thinking":"a thought","signature":"of another"},{"type":"text","text":"one"}]}\
      """;

  private static final String RESPONSES_ANSWER =
      """
      {"id":"resp_1","object":"response","status":"completed","model":"gpt-5","output":[\
      {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a thought"}],"encrypted_content":"e"},\
      {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},\
      {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[\
      {"type":"output_text","text":"one","annotations":[]}]}]}\
      """;

  private static final Answer BOUND =
      Answer.error(
          400,
          "invalid_request_error",
          "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a"
              + " different conversation.");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private ThreadCaller thread;

  @BeforeEach
  void newThread() {
    thread = new ThreadCaller(GATEWAY, "thread-" + NUMBERS.incrementAndGet());
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 422})
  void ofChat(int status) throws Exception {
    String refusal = "property 'reasoning_content' is unsupported";
    madeAgain(CHAT, CHAT_ANSWER, Answer.error(status, "invalid_request_error", refusal));
  }

  @Test
  void ofMessages() throws Exception {
    String refusal = "messages.1.content.0: Invalid `signature` in `thinking` block";
    madeAgain(MESSAGES, MESSAGES_ANSWER, Answer.error(400, "invalid_request_error", refusal));
  }

  /** The provider leaves out what is not valid, in later calls of the thread from the beginning. */
  @Test
  void thoughtsBoundToWhatStoodBeforeThemAreLeftToTheProvider() throws Exception {
    UPSTREAM.enqueue(Answer.json(200, MESSAGES_ANSWER), BOUND);
    thread.call(MESSAGES, call(MESSAGES, "first"));
    UPSTREAM.takeRequest();

    for (String words : List.of("second", "third")) {
      HttpResponse<String> answer =
          GATEWAY.send(
              thread.request(MESSAGES, call(MESSAGES, words)).header("anthropic-beta", "one"));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    assertThat(UPSTREAM.takeRequest().text()).doesNotContain("block_binding");
    for (int i = 0; i < 2; i++) {
      RecordedRequest asked = UPSTREAM.takeRequest();
      assertThat(asked.json().at("/thinking/type").asText()).isEqualTo("adaptive");
      assertThat(asked.json().at("/thinking/block_binding/prefix_mismatch_behavior").asText())
          .isEqualTo("drop_block");
      assertThat(asked.text()).contains("a thought");
      assertThat(asked.headers().get("anthropic-beta").toString())
          .contains("one", "thinking-binding-controls-2026-08-01");
    }
    assertThat(UPSTREAM.requests()).hasSize(4);
  }

  /**
   * Claude Code drops another model's thoughts when its model is changed, and keeps the new one's.
   */
  @Test
  void ofAnotherModelsThoughtsThoseThatTheCallerSendsAreLeft() throws Exception {
    String own = MESSAGES_ANSWER.replace("of another", "its own").replace("\"one\"", "\"two\"");
    String refusal = "messages.1.content.0: Invalid `signature` in `thinking` block";
    UPSTREAM.enqueue(
        Answer.json(200, MESSAGES_ANSWER),
        Answer.error(400, "invalid_request_error", refusal),
        Answer.json(200, own));
    String first = message("user", "first") + "," + message("assistant", "one");
    String second = first + "," + message("user", "second");
    thread.call(MESSAGES, call(MESSAGES, "first"));
    thread.call(MESSAGES, asked(second));

    String thought = "{\"type\":\"thinking\",\"thinking\":\"a thought\",\"signature\":\"its own\"}";
    String echo =
        "{\"role\":\"assistant\",\"content\":["
            + thought
            + ",{\"type\":\"text\",\"text\":\"two\"}]}";
    HttpResponse<String> third =
        thread.call(MESSAGES, asked(second + "," + echo + "," + message("user", "third")));

    assertThat(third.headers().firstValue("X-Gateway-Dropped")).hasValue("reasoning");
    assertThat(UPSTREAM.requests()).as("the third is not refused").hasSize(4);
    assertThat(UPSTREAM.requests().get(3).text()).contains("its own").doesNotContain("of another");
  }

  private static String asked(String messages) {
    return "{\"model\":\"claude-x\",\"max_tokens\":99,\"messages\":[" + messages + "]}";
  }

  @Test
  void thoughtsAreLeftOutWhereTheProviderCannotBeAskedTo() throws Exception {
    Answer unknown =
        Answer.error(400, "invalid_request_error", "thinking.block_binding: not permitted");
    UPSTREAM.enqueue(Answer.json(200, MESSAGES_ANSWER), BOUND, unknown);
    thread.call(MESSAGES, call(MESSAGES, "first"));

    assertThat(thread.call(MESSAGES, call(MESSAGES, "second")).statusCode()).isEqualTo(200);

    assertThat(UPSTREAM.requests().get(3).text()).doesNotContain("a thought", "block_binding");
  }

  /** What followed from the reasoning is not accepted by its id any more. */
  @Test
  void ofResponses() throws Exception {
    String refusal = "The encrypted content could not be verified.";
    String body =
        madeAgain(RESPONSES, RESPONSES_ANSWER, Answer.error(400, "invalid_request", refusal));
    assertThat(body).doesNotContain("msg_1", "ws_1", "rs_1");
  }

  /** A container ends when nobody has used it for a while, and a thread does not. */
  @Test
  void ofACallInAContainerThatIsThereNoMore() throws Exception {
    String ran =
        """
        {"type":"code_interpreter_call","id":"ci_1","status":"completed","container_id":"cntr_1",\
        "code":"a thought","outputs":null},\
        """;
    String answer = RESPONSES_ANSWER.replaceFirst("\\{\"type\":\"reasoning\".*?\"e\"},", ran);
    String refusal = "Expected container_id: cntr_1";
    String body = madeAgain(RESPONSES, answer, Answer.error(400, "invalid_request_error", refusal));
    assertThat(body).doesNotContain("cntr_1", "msg_1");
  }

  @Test
  void aRefusalForAnythingElseIsTheCallers() throws Exception {
    UPSTREAM.enqueue(Answer.json(200, CHAT_ANSWER));
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", "reasoning_effort is wrong"));

    thread.call(CHAT, call(CHAT, "first"));
    assertThat(thread.call(CHAT, call(CHAT, "second")).statusCode()).isEqualTo(400);

    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  /** As of a provider that was called by translation once; none of these is. */
  @Test
  void whatIsSealedForAnotherFormatIsNotSent() throws Exception {
    String sealed = MESSAGES_ANSWER.replace("of another", "memory-gateway-v1.e30");
    UPSTREAM.enqueue(Answer.json(200, sealed));
    thread.call(MESSAGES, call(MESSAGES, "first"));
    UPSTREAM.takeRequest();

    thread.call(MESSAGES, call(MESSAGES, "second"));

    assertThat(UPSTREAM.takeRequest().text()).contains("one").doesNotContain("memory-gateway-v1");
  }

  /** The body of the last attempt, after one that had the thread's reasoning was refused. */
  private String madeAgain(String path, String answer, Answer refusal) throws Exception {
    UPSTREAM.enqueue(Answer.json(200, answer), refusal);
    thread.call(path, call(path, "first"));
    UPSTREAM.takeRequest();

    HttpResponse<String> second = thread.call(path, call(path, "second"));

    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(second.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(UPSTREAM.takeRequest().text()).contains("a thought", "first", "second");
    RecordedRequest again = UPSTREAM.takeRequest();
    assertThat(again.text()).contains("first", "one", "second").doesNotContain("a thought");
    assertThat(thread.rows().toString()).as("what is stored").contains("a thought");
    return again.text();
  }

  private static String call(String path, String text) {
    String list = "[" + message("user", text) + "]";
    return path.equals(RESPONSES)
        ? "{\"model\":\"gpt-5\",\"store\":false,\"input\":" + list + "}"
        : "{\"model\":\"%s\",\"max_tokens\":9,\"messages\":%s}"
            .formatted(path.equals(MESSAGES) ? "claude-x" : "gpt-5", list);
  }
}
