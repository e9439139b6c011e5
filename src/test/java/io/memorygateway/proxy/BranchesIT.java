package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: a call that goes back leaves what followed, and may go back to it. */
class BranchesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.withObject("/observation").put("timeMarks", false));

  private String id = "";
  private ThreadCaller thread = new ThreadCaller(GATEWAY, id);

  @BeforeEach
  void newThread(TestInfo test) {
    id = test.getTestMethod().orElseThrow().getName();
    thread = new ThreadCaller(GATEWAY, id);
    UPSTREAM.reset();
  }

  /** A client with a history of its own: what the user says and what was answered. */
  private final class Window {
    private final List<String> history = new ArrayList<>();

    Window(String... said) {
      for (String text : said) {
        history.add(message(history.size() % 2 == 0 ? "user" : "assistant", text));
      }
    }

    /** Says something; returns what went up, as words. */
    List<String> say(String text, String answer) throws IOException, InterruptedException {
      UPSTREAM.enqueue(answer(answer));
      history.add(message("user", text));
      assertThat(
              thread
                  .call(ThreadCaller.CHAT, chat(history.toArray(String[]::new)))
                  .headers()
                  .firstValue("X-Memory-Status"))
          .hasValue("stored");
      history.add(message("assistant", answer));
      return words(sent(UPSTREAM.takeRequest().json()));
    }
  }

  private static List<String> words(List<String> messages) {
    return messages.stream()
        .map(message -> message.replaceFirst("^\\w+ \"(.*)\"", "$1").replace(" superseded", "-"))
        .toList();
  }

  private List<String> stored() throws IOException, InterruptedException {
    return words(thread.stored());
  }

  private static List<String> list(String words) {
    return Arrays.asList(words.split(" ", -1));
  }

  @Test
  void anEditedQuestionTakesThePlaceOfWhatFollowed() throws Exception {
    Window window = new Window();
    window.say("u1", "a1");
    window.say("wrong", "a2");
    window.say("u3", "a3");

    assertThat(new Window("u1", "a1").say("right", "a4")).isEqualTo(list("u1 a1 right"));
    assertThat(stored()).isEqualTo(list("u1 a1 wrong- a2- u3- a3- right a4"));
    thread.say("next");
    assertThat(words(sent(UPSTREAM.takeRequest().json())))
        .as("and is what the thread has from then on")
        .isEqualTo(list("u1 a1 right a4 next"));
  }

  @Test
  void twoWindowsThatTakeTurnsLoseNothingAndStoreNothingTwice() throws Exception {
    new Window().say("u1", "a1");
    Window one = new Window("u1", "a1");
    Window other = new Window("u1", "a1");

    assertThat(one.say("u2", "a2")).isEqualTo(list("u1 a1 u2"));
    assertThat(other.say("v2", "b2")).isEqualTo(list("u1 a1 v2"));
    assertThat(one.say("u3", "a3")).isEqualTo(list("u1 a1 u2 a2 u3"));
    assertThat(one.say("u4", "a4")).isEqualTo(list("u1 a1 u2 a2 u3 a3 u4"));
    assertThat(other.say("v3", "b3")).isEqualTo(list("u1 a1 v2 b2 v3"));
    assertThat(one.say("u5", "a5")).isEqualTo(list("u1 a1 u2 a2 u3 a3 u4 a4 u5"));

    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2 v2- b2- u3 a3 u4 a4 v3- b3- u5 a5"));
  }

  @Test
  void windowsThatBeganApartDoSoToo() throws Exception {
    Window one = new Window();
    Window other = new Window();

    one.say("u1", "a1");
    assertThat(other.say("v1", "b1")).isEqualTo(list("u1 a1 v1"));
    assertThat(one.say("u2", "a2")).isEqualTo(list("u1 a1 u2"));
    assertThat(other.say("v2", "b2")).isEqualTo(list("u1 a1 v1 b1 v2"));
    assertThat(one.say("u3", "a3")).isEqualTo(list("u1 a1 u2 a2 u3"));

    assertThat(stored()).isEqualTo(list("u1 a1 v1- b1- u2 a2 v2- b2- u3 a3"));
  }

  @Test
  void aQuestionBeforeOthersMayBeAskedAgainAndAgain() throws Exception {
    Window window = new Window();
    window.say("u1", "a1");
    window.say("u2", "a2");
    window.say("u3", "a3");

    assertThat(new Window("u1", "a1").say("u2", "b2")).isEqualTo(list("u1 a1 u2"));
    assertThat(new Window("u1", "a1").say("u2", "c2")).isEqualTo(list("u1 a1 u2"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2- u3- a3- b2- c2"));
  }

  /** The other window has left the first one's branch by the time that its answer comes. */
  @Test
  void aTurnThatWasOpenWhenItsBranchWasLeftGoesBackToIt() throws Exception {
    new Window().say("v1", "b1");
    Window one = new Window();
    Window other = new Window("v1", "b1");
    one.say("u1", "a1");
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(answer("a2").after(gate));
    CompletableFuture<Integer> open =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return new ThreadCaller(GATEWAY, id)
                    .call(
                        ThreadCaller.CHAT,
                        chat(
                            message("user", "u1"),
                            message("assistant", "a1"),
                            message("user", "u2")))
                    .statusCode();
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    UPSTREAM.takeRequest();
    other.say("v2", "b2");
    gate.release();
    assertThat(open.get()).isEqualTo(200);

    assertThat(stored()).isEqualTo(list("v1 b1 u1 a1 v2- b2- u2 a2"));
    assertThat(new Window("u1", "a1", "u2", "a2").say("u3", "a3"))
        .isEqualTo(list("v1 b1 u1 a1 u2 a2 u3"));
    assertThat(other.say("v3", "b3")).isEqualTo(list("v1 b1 v2 b2 v3"));
  }

  private static Answer answer(String text) {
    return Answer.json(
        "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", text) + "}]}");
  }

  @Test
  void aSwitcherGoesBackToAnAnswerThatWasAskedForAgain() throws Exception {
    Window window = new Window();
    window.say("u1", "a1");
    window.say("u2", "a2");
    new Window("u1", "a1").say("u2", "anew");
    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2- anew"));

    assertThat(window.say("u3", "a3")).isEqualTo(list("u1 a1 u2 a2 u3"));
    assertThat(new Window("u1", "a1", "u2", "anew").say("v3", "b3"))
        .isEqualTo(list("u1 a1 u2 anew v3"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2- anew u3- a3- v3 b3"));
  }

  @Test
  void aQuestionThatWasLeftIsAskedAgain() throws Exception {
    Window window = new Window();
    window.say("u1", "a1");
    window.say("u2", "a2");
    new Window("u1", "a1").say("v2", "b2");

    assertThat(new Window("u1", "a1").say("u2", "anew")).isEqualTo(list("u1 a1 u2"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2- v2- b2- anew"));
  }

  @Test
  void theCallersChangedFirstWordsGoUpAndAreNotStoredAgain() throws Exception {
    Window window = new Window();
    window.say("rules", "a1");
    window.history.set(0, message("user", "new-rules"));

    assertThat(window.say("u2", "a2")).isEqualTo(list("new-rules a1 u2"));
    assertThat(window.say("u3", "a3")).isEqualTo(list("new-rules a1 u2 a2 u3"));
    observe("a1");
    assertThat(window.say("u4", "a4"))
        .as("first of all where the old ones are observed")
        .isEqualTo(list("new-rules u2 a2 u3 a3 u4"));
    assertThat(stored()).isEqualTo(list("rules a1 u2 a2 u3 a3 u4 a4"));
  }

  /** As clients do that get rules, examples or a plugin later. */
  @Test
  void whatACallerPutsBeforeTheThreadGoesUpAndIsNotStored() throws Exception {
    new Window().say("u1", "a1");
    Window led = new Window("rules", "yes", "u1", "a1");

    assertThat(led.say("u2", "a2")).isEqualTo(list("rules yes u1 a1 u2"));
    assertThat(led.say("u3", "a3")).isEqualTo(list("rules yes u1 a1 u2 a2 u3"));
    observe("a1");
    assertThat(led.say("u4", "a4")).isEqualTo(list("rules yes u2 a2 u3 a3 u4"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2 u3 a3 u4 a4"));
  }

  /** As clients do whose rules stand before the question, or were interrupted. */
  @Test
  void whatAClientHasMadeOneMessageSinceGoesUpOnce() throws Exception {
    thread.call(ThreadCaller.CHAT, chat(message("user", "rules"), message("user", "u1")));
    UPSTREAM.takeRequest();
    Window window = new Window("rules\\n\\nu1", "Hello from the upstream.");

    assertThat(window.say("u2", "a2"))
        .containsExactly("rules\\n\\nu1", "Hello from the upstream.", "u2");
    assertThat(stored()).containsExactly("rules", "u1", "Hello from the upstream.", "u2", "a2");
  }

  @Test
  void otherWordsForTheLastOfTheFirstMessagesStandForNoOther() throws Exception {
    thread.call(ThreadCaller.CHAT, chat(message("user", "rules"), message("user", "u1")));
    UPSTREAM.takeRequest();
    Window window = new Window("[10:00] u1", "Hello from the upstream.");

    assertThat(window.say("u2", "a2"))
        .containsExactly("rules", "[10:00] u1", "Hello from the upstream.", "u2");
  }

  @Test
  void aSummaryGoesUpInThePlaceOfWhatItSumsUp() throws Exception {
    Window window = new Window();
    window.say("u1", "a1");
    window.say("u2", "a2");
    window.say("u3", "a3");
    Window shorter = new Window("summary", "understood", "u3", "a3");

    assertThat(shorter.say("u4", "a4")).isEqualTo(list("summary understood u3 a3 u4"));
    assertThat(shorter.say("u5", "a5")).isEqualTo(list("summary understood u3 a3 u4 a4 u5"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2 u3 a3 u4 a4 u5 a5"));
    assertThat(new Window("u4", "a4", "u5", "a5").say("u6", "a6"))
        .as("a window without a summary has the thread before it")
        .isEqualTo(list("u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6"));
  }

  @Test
  void aCallThatFailsLeavesNothing() throws Exception {
    Window window = new Window();
    window.say("u1", "a1");
    window.say("u2", "a2");
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", "no"));
    thread.call(
        ThreadCaller.CHAT,
        chat(message("user", "u1"), message("assistant", "a1"), message("user", "v2")));

    assertThat(stored()).isEqualTo(list("u1 a1 u2 a2"));
  }

  /** What is observed is not sent again: it can be neither left nor gone back to. */
  @Test
  void whatIsObservedStays() throws Exception {
    Window one = new Window();
    one.say("u1", "a1");
    one.say("u2", "a2");
    Window other = new Window("u1", "a1");
    other.say("v2", "b2");
    observe("v2");

    assertThat(one.say("u3", "a3")).as("all that is not observed").isEqualTo(list("u2 a2 u3"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2- a2- v2 b2- u2 a2 u3 a3"));
    assertThat(other.say("v3", "b3")).isEqualTo(list("b2 v3"));
    assertThat(one.say("u4", "a4")).isEqualTo(list("u2 a2 u3 a3 u4"));
    assertThat(stored()).isEqualTo(list("u1 a1 u2- a2- v2 b2- u2 a2 u3 a3 v3- b3- u4 a4"));
  }

  /** Marks all messages up to one as observed. */
  private void observe(String last) throws Exception {
    try (Connection connection = DATABASE.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "INSERT INTO observation_states (thread_id, observed_seq)"
                    + " SELECT m.thread_id, m.seq FROM messages m JOIN threads t ON t.id = m.thread_id"
                    + " WHERE t.public_id = ? AND m.content = ?"
                    + " ON DUPLICATE KEY UPDATE observed_seq = VALUES(observed_seq)")) {
      statement.setString(1, id);
      statement.setString(2, "\"" + last + "\"");
      assertThat(statement.executeUpdate()).isPositive();
    }
    // A new version of the thread, by what does not change it.
    String first = thread.rows().get(0).path("id").asText();
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads/" + id + "/messages/" + first)
            .method("PATCH", HttpRequest.BodyPublishers.ofString("{\"type\":\"text\"}"))
            .header("Content-Type", "application/json"));
  }
}
