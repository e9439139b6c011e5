package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import io.memorygateway.auth.Caller;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.search.Hit;
import io.memorygateway.search.Passages;
import io.memorygateway.search.Search;
import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Contract §11: recall never fails a call, and holds it up for a bounded time only. */
@Timeout(TestTimeout.SECONDS)
class RecallTest {
  private static final Caller CALLER = new Caller(1, 1, "p", "p", "msk_t", Map.of());
  private static final ContextConfig CONFIG =
      new ContextConfig(2_000, 2_000, 2_000, RecallScope.THREAD, true, ZoneOffset.UTC);

  private static final String REMINDER =
      "<system-reminder>Use the tools.</system-reminder><system-reminder>x</system-reminder>"
          + "<environment_details>Files: rex.md</environment_details>";

  @BeforeAll
  static void loadTheVocabulary() {
    new TokenCounter().count("x");
  }

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger searches = new AtomicInteger();

  @Test
  void whatIsFoundIsQuotedAndCounted() {
    TurnContext context = add(recall((c, r, p, h) -> recalled("The dog is Rex.")), user());

    assertThat(context.recall()).isNotNull();
    assertThat(context.toMemoryContext().recall()).contains("User: The dog is Rex.");
    assertThat(context.headerValue()).endsWith("recalled=1").doesNotStartWith("tokens=0;");
  }

  @Test
  void stepsOfToolsAndCallsWithoutWordsAskForNothing() {
    Recall recall = recall((c, r, p, h) -> recalled("The dog is Rex."));
    String blocks = "[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"x\"}]";
    for (StoredMessage message :
        List.of(
            new StoredMessage("tool", "{\"tool_call_id\":\"c\",\"content\":\"x\"}", "tool-result"),
            new StoredMessage("user", blocks, "tool-result"),
            new StoredMessage("user", withText(REMINDER), "mixed"),
            new StoredMessage("user", "\" \"", "text"))) {
      assertThat(add(recall, message).recall()).isNull();
    }
    assertThat(searches).hasValue(0);
  }

  /** Contract §11: the user's text, which may be long, stand behind results, and be told more. */
  @Test
  void whatTheUserSaysIsAskedFor() {
    List<String> asked = new ArrayList<>();
    Recall recall =
        recall(
            (c, r, p, h) -> {
              asked.add(r.text());
              return recalled("The dog is Rex.");
            });
    add(recall, new StoredMessage("user", withText(REMINDER + "Who is <b>Rex</b>?"), "mixed"));
    add(recall, StoredMessage.of("user", "\"Rex? " + "x ".repeat(3_000) + "Who?\""));
    assertThat(asked.get(0)).isEqualTo("Who is <b>Rex</b>?");
    assertThat(asked.get(1)).startsWith("Rex?").endsWith("Who?").hasSize(4_001);
  }

  @Test
  void whatTheUserSendsAgainIsNotQuoted() {
    String sound =
        "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"%s\",\"format\":\"wav\"}}"
            .formatted("UklGRg".repeat(100));
    String file =
        "{\"type\":\"document\",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\","
            + "\"data\":\"The code is 4711.\"}}";
    for (String more : List.of(sound, file, "{\"type\":\"text\",\"text\":\"Or not?\"}")) {
      String content = "[{\"type\":\"text\",\"text\":\"Who is this?\"}," + more + "]";
      Recall recall = recall((c, r, p, h) -> recalledContent(content));
      assertThat(add(recall, StoredMessage.of("user", content)).recall()).isNull();
      assertThat(add(recall, user()).recall()).isNotNull();
    }
  }

  private static String withText(String text) {
    return "[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"x\"},"
        + "{\"type\":\"text\",\"text\":\""
        + text
        + "\"}]";
  }

  @Test
  void aSearchThatHangsOrFailsLeavesTheContextAsItIsAndIsLeftAloneForAWhile() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Recall recall =
        recall(
            Duration.ofMillis(100),
            (c, r, p, h) -> {
              if (searches.get() % 2 == 0) {
                throw new IllegalStateException("no database");
              }
              await(end);
              return new Search.Recalled(List.of(), Passages.NONE);
            });
    for (int i = 1; i <= 5; i++) {
      assertThat(add(recall, user()).recall()).isNull();
      Awaitility.await().untilAtomic(searches, equalTo(i)); // It may begin after the call went on.
    }

    add(recall, user());
    assertThat(searches).as("paused").hasValue(5);
    add(recall, new Caller(2, 2, "q", "q", "msk_u", Map.of()), user());
    Awaitility.await("another project").untilAtomic(searches, equalTo(6));
    nanos.addAndGet(10_000_000_001L);
    add(recall, user());
    Awaitility.await().untilAtomic(searches, equalTo(7));
    end.countDown();
  }

  @Test
  void whatEndsWithinAPauseDoesNotEndIt() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Recall recall =
        recall(
            (c, r, p, h) -> {
              if (searches.get() == 1) {
                await(end);
              }
              throw new IllegalStateException("no database");
            });
    Thread slow = new Thread(() -> assertThat(add(recall, user()).recall()).isNull());
    slow.start();
    Awaitility.await().untilAtomic(searches, equalTo(1));
    for (int i = 0; i < 5; i++) {
      add(recall, user());
    }
    end.countDown();
    slow.join();

    add(recall, user());
    assertThat(searches).hasValue(6);
  }

  private Recall recall(Recall.OldMessages messages) {
    return recall(Duration.ofSeconds(30), messages);
  }

  private Recall recall(Duration timeout, Recall.OldMessages messages) {
    return new Recall(
        (caller, asked, searchTimeout, heap) -> {
          searches.incrementAndGet();
          assertThat(asked.before()).isEqualTo(40);
          assertThat(searchTimeout).isLessThan(timeout);
          return messages.find(caller, asked, searchTimeout, heap);
        },
        timeout,
        null,
        nanos::get,
        new PrometheusRegistry());
  }

  private static TurnContext add(Recall recall, @Nullable StoredMessage message) {
    return add(recall, CALLER, message);
  }

  private static TurnContext add(Recall recall, Caller caller, @Nullable StoredMessage message) {
    TurnContext context =
        new TurnContext(ContextNotes.NONE, List.of(), 0, 40, true, true, 0, 2_000, 40, null);
    List<StoredMessage> asked = message == null ? List.of() : List.of(message);
    return recall.addTo(
        context, CONFIG, true, new Recall.Call(caller, "t", null, asked, null, Instant.EPOCH));
  }

  private static StoredMessage user() {
    return new StoredMessage("user", "\"What is the name of my dog?\"", "text");
  }

  private static Search.Recalled recalled(String text) {
    return recalledContent("\"" + text + "\"");
  }

  private static Search.Recalled recalledContent(String content) {
    String type = StoredMessage.typeOf(content);
    MessageRow row = new MessageRow(3, "m", "user", type, content, Instant.EPOCH, false, false);
    Hit hit = new Hit("t", null, row, 1, List.of(), List.of(), List.of());
    return new Search.Recalled(List.of(hit), Passages.NONE);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
