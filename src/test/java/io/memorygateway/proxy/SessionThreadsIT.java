package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: with {@code x-resource-id} alone, the session of a client is a thread. */
class SessionThreadsIT {
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final String CLAUDE = "x-claude-code-session-id";
  private static final String AGENT = "x-claude-code-agent-id";
  private static final String HELLO = "assistant \"Hello from the upstream.\"";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.withObject("/memory").put("sessionThreads", true));

  private String session;
  private ThreadCaller thread;

  @BeforeEach
  void newSession() {
    session = "session-" + NUMBERS.incrementAndGet();
    thread = new ThreadCaller(GATEWAY, CLAUDE + ":" + session);
  }

  @Test
  void twoWindowsAreTwoThreadsOfOneResource() throws Exception {
    String other = session + "-b";
    assertThat(say("one", CLAUDE, session)).isEqualTo("stored");
    assertThat(say("of the other window", CLAUDE, other)).isEqualTo("stored");
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json())).containsExactly("user \"of the other window\"");

    say("two", CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", HELLO, "user \"two\"");
    assertThat(thread.stored()).hasSize(4);
    assertThat(new ThreadCaller(GATEWAY, CLAUDE + ":" + other).stored()).hasSize(2);
    String threads = GATEWAY.get("/v1/memory/threads?resourceId=user-1").body();
    assertThat(threads).contains(session + "\"", other + "\"");
  }

  @Test
  void aSubAgentHasAThreadOfItsOwnAndSeesNotTheOneOfItsSession() throws Exception {
    say("one", CLAUDE, session);
    UPSTREAM.takeRequest();
    assertThat(say("look it up", CLAUDE, session, AGENT, "a-1")).isEqualTo("stored");
    assertThat(sent(UPSTREAM.takeRequest().json())).containsExactly("user \"look it up\"");

    assertThat(thread.stored()).containsExactly("user \"one\"", HELLO);
    assertThat(new ThreadCaller(GATEWAY, CLAUDE + ":" + session + ":a-1").stored()).hasSize(2);
    say("named", "x-thread-id", session, AGENT, "a-1");
    assertThat(new ThreadCaller(GATEWAY, session + ":a-1").stored()).hasSize(2);
  }

  @Test
  void aTitleIsAskedForWithoutMemoryInEveryFormat() throws Exception {
    say("one", CLAUDE, session);
    UPSTREAM.takeRequest();
    String title = "Generate a concise, sentence-case title (3-7 words) of this.";
    String asked = "{\"role\":\"user\",\"content\":\"title?\"}";
    for (String[] call :
        new String[][] {
          {CHAT, chat(message("system", title), asked)},
          {
            MESSAGES,
            "{\"model\":\"claude-x\",\"max_tokens\":9,\"system\":\""
                + title
                + "\",\"messages\":["
                + asked
                + "]}"
          },
          {
            RESPONSES,
            "{\"model\":\"gpt-5\",\"instructions\":\"" + title + "\",\"input\":[" + asked + "]}"
          }
        }) {
      HttpResponse<String> answer = call(call[0], call[1], CLAUDE, session);
      assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("off");
      assertThat(sent(UPSTREAM.takeRequest().json())).doesNotContain("user \"one\"");
    }
    assertThat(thread.stored()).containsExactly("user \"one\"", HELLO);
  }

  @Test
  void aSummaryIsOfAllThatTheThreadHasAndIsNotStored() throws Exception {
    say("one", CLAUDE, session);
    UPSTREAM.takeRequest();
    String words = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools. Summarise.";
    assertThat(say(words, CLAUDE, session)).isEqualTo("off");
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", HELLO, "user \"" + words + "\"");
    assertThat(thread.stored()).containsExactly("user \"one\"", HELLO);
    assertThat(say(words, CLAUDE, session + "-unknown")).isEqualTo("off");
    assertThat(GATEWAY.get("/v1/memory/threads?resourceId=user-1").body())
        .doesNotContain(session + "-unknown");
  }

  /** Codex and Claude Code do so, step by step, where the prompt is too long. */
  @Test
  void aCallForASummaryIsNotFilledWithWhatItsClientDrops() throws Exception {
    for (String words : List.of("one", "two", "three")) {
      say(words, CLAUDE, session);
      UPSTREAM.takeRequest();
    }
    String hello = message("assistant", "Hello from the upstream.");
    String marked = message("user", "[earlier conversation truncated for compaction retry]");
    String last = String.join(",", message("user", "three"), hello);
    String asking = message("user", "You are performing a CONTEXT CHECKPOINT COMPACTION. Create");
    for (String body :
        List.of(
            chat(message("user", "two"), hello, last, asking),
            chat(marked, hello, last, asking),
            chat(last, asking))) {
      call(CHAT, body, CLAUDE, session);
      assertThat(UPSTREAM.takeRequest().body()).isEqualTo(body.getBytes(StandardCharsets.UTF_8));
    }
    call(CHAT, chat(asking), CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json())).as("of one that keeps nothing").hasSize(7);
    assertThat(thread.stored()).hasSize(6);
  }

  @Test
  void aCallThatItsClientHasCompactedGoesUpAsItCameAndTheThreadKeepsAll() throws Exception {
    say("one", CLAUDE, session);
    say("two", CLAUDE, session);
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    String summary =
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"<system-reminder>\"},"
            + "{\"type\":\"text\",\"text\":\"This session is being continued from a previous"
            + " conversation that ran out of context.\"}]}";
    String body =
        "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":["
            + String.join(
                ",",
                summary,
                message("assistant", "Hello from the upstream."),
                message("user", "three"))
            + "]}";
    HttpResponse<String> answer = call(MESSAGES, body, CLAUDE, session);
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(UPSTREAM.takeRequest().body()).isEqualTo(body.getBytes(StandardCharsets.UTF_8));
    assertThat(thread.stored())
        .startsWith("user \"one\"", HELLO, "user \"two\"", HELLO)
        .contains("user \"three\"")
        .last()
        .asString()
        .startsWith("assistant ");

    say("four", CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json())).contains("user \"one\"", "user \"three\"");
  }

  /** Codex keeps the user's messages before its summary, with the ids that they had. */
  @Test
  void whatAClientKeepsBesideItsSummaryIsNotStoredTwice() throws Exception {
    say("one", CLAUDE, session);
    UPSTREAM.takeRequest();
    String summary = "Another language model started to solve this problem and produced a summary.";
    String body =
        "{\"model\":\"gpt-5\",\"input\":["
            + String.join(",", message("user", "one"), message("user", summary))
            + ","
            + message("user", "go on")
            + "]}";
    call(RESPONSES, body, CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", "user \"" + summary + "\"", "user \"go on\"");
    assertThat(thread.stored()).startsWith("user \"one\"", HELLO, "user \"go on\"").hasSize(4);
  }

  /**
   * Codex compacts between the steps of its tools, and sends their results for the summary alone.
   */
  @Test
  void whatIsSaidOnlyToBeSummedUpIsKept() throws Exception {
    say("one", CLAUDE, session);
    UPSTREAM.takeRequest();
    String known = message("user", "one") + "," + message("assistant", "Hello from the upstream.");
    for (String asking :
        List.of(
            message("user", "You are performing a CONTEXT CHECKPOINT COMPACTION. Create"),
            "{\"type\":\"compaction_trigger\"}")) {
      String two = message("user", "two of " + asking.length());
      String body =
          "{\"model\":\"gpt-5\",\"input\":[" + String.join(",", known, two, asking) + "]}";
      HttpResponse<String> answer = call(RESPONSES, body, CLAUDE, session);
      assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
      assertThat(UPSTREAM.takeRequest().json().path("input").valueStream())
          .last()
          .hasToString(asking);
      known += "," + two;
    }
    assertThat(thread.stored()).startsWith("user \"one\"", HELLO).hasSize(4);

    String summary =
        "Another language model started to solve this problem and produced a summary of its"
            + " thinking process. You also have access to the state of the tools that were used by"
            + " that language model. Use this to build on the work that has already been done and"
            + " avoid duplicating work. Here is the summary produced by the other language model,"
            + " use the information in this summary to assist with your own analysis: It is so.";
    String input = message("user", "one") + "," + message("user", summary);
    call(RESPONSES, "{\"model\":\"gpt-5\",\"input\":[" + input + "]}", CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", "user \"" + summary + "\"");
    assertThat(thread.stored()).hasSize(5).noneMatch(message -> message.contains("summary"));
  }

  /** Memory was switched on in a conversation that goes on. */
  @Test
  void whatIsSummedUpMakesTheThreadThatThereIsNot() throws Exception {
    String known = message("user", "one") + "," + message("assistant", "not stored before");
    String asking = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools. Summarise.";
    String body =
        "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":["
            + String.join(",", known, message("user", asking))
            + "]}";
    HttpResponse<String> answer = call(MESSAGES, body, CLAUDE, session);
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(UPSTREAM.takeRequest().body()).isEqualTo(body.getBytes(StandardCharsets.UTF_8));
    assertThat(thread.stored()).containsExactly("user \"one\"", "assistant \"not stored before\"");

    body =
        "{\"model\":\"gpt-5\",\"input\":["
            + String.join(",", known, "{\"type\":\"compaction_trigger\"}")
            + "]}";
    answer = call(RESPONSES, body, CLAUDE, session + "-other");
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(new ThreadCaller(GATEWAY, CLAUDE + ":" + session + "-other").stored()).hasSize(2);
  }

  @Test
  void whatIsEditedAndSummedUpAtOnceReplacesWhatItWas() throws Exception {
    String one = message("user", "one");
    String hello = message("assistant", "Hello from the upstream.");
    say("one", CLAUDE, session);
    call(CHAT, chat(one, hello, message("user", "two")), CLAUDE, session);
    String asking = message("user", "You are performing a CONTEXT CHECKPOINT COMPACTION. Create");
    call(CHAT, chat(one, hello, message("user", "two, edited"), asking), CLAUDE, session);
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    call(CHAT, chat(message("user", "three")), CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", HELLO, "user \"two, edited\"", "user \"three\"");
  }

  @Test
  void whoAnswersInTheWordsOfASummaryAndAsksMoreIsHeard() throws Exception {
    String words = "Got it. Thanks for the additional context! Now fix the test.";
    say("one", CLAUDE, session);
    assertThat(say(words, CLAUDE, session)).isEqualTo("stored");
    UPSTREAM.takeRequest();
    String asked = "user \"" + words + "\"";
    assertThat(sent(UPSTREAM.takeRequest().json())).containsExactly("user \"one\"", HELLO, asked);
    assertThat(thread.stored()).containsExactly("user \"one\"", HELLO, asked, HELLO);
  }

  @Test
  void aQuestionInTheWordsOfASummaryIsAnsweredFromTheThread() throws Exception {
    String question = "What did we do so far?";
    say("one", CLAUDE, session);
    say(question, CLAUDE, session);
    UPSTREAM.takeRequest();
    String asked = "user \"" + question + "\"";
    assertThat(sent(UPSTREAM.takeRequest().json())).containsExactly("user \"one\"", HELLO, asked);
    String answer = message("assistant", "Hello from the upstream.");
    call(CHAT, chat(message("user", question), answer, message("user", "two")), CLAUDE, session);
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", HELLO, asked, HELLO, "user \"two\"");
  }

  @Test
  void aThreadThatIsNamedIsTheOneOfTheCall() throws Exception {
    say("one", CLAUDE, session, "x-thread-id", session);
    assertThat(new ThreadCaller(GATEWAY, session).stored()).hasSize(2);
    assertThat(thread.stored()).isEmpty();
  }

  @Test
  void withoutASessionAResourceAloneHasNoMemoryAndAutoIsRefused() throws Exception {
    assertThat(say("one")).isEqualTo("off");
    assertThat(say("two", CLAUDE, session, "x-thread-id", "auto")).isEqualTo("stored");
    assertThat(thread.stored()).hasSize(2);
    HttpResponse<String> refused = call(CHAT, chat(message("user", "x")), "x-thread-id", "auto");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("x-thread-id: auto needs a session", CLAUDE);
  }

  /** What becomes of a user's message, with headers by name and value. */
  private static String say(String text, String... headers) throws Exception {
    return call(CHAT, chat(message("user", text)), headers)
        .headers()
        .firstValue("X-Memory-Status")
        .orElseThrow();
  }

  private static HttpResponse<String> call(String path, String json, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        GATEWAY
            .request(path)
            .header("Content-Type", "application/json")
            .header("x-resource-id", "user-1")
            .POST(HttpRequest.BodyPublishers.ofString(json));
    return GATEWAY.send(headers.length == 0 ? request : request.headers(headers));
  }
}
