package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.HeapReservation;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §11: what turns recall of a thread, and what a search may hold. */
class RecallIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Duration PATIENT = Duration.ofMinutes(1);
  private static final Instant TIME = Instant.parse("2026-11-20T09:30:00Z");

  private final Jdbi jdbi = DATABASE.jdbi();
  private final MemoryModule memory =
      TestMemory.create(jdbi, ObservationSettings.defaults(), new PrometheusRegistry());
  private final Caller caller = TestMemory.newCaller(jdbi);

  private Search search(long cachedBytes) {
    PrometheusRegistry registry = new PrometheusRegistry();
    SearchMetrics metrics = new SearchMetrics(registry);
    Transactions transactions = new Transactions(jdbi, new Random(), registry);
    return SearchModule.create(
        transactions, cachedBytes, new ScanThreads(2, metrics), InstantSource.system(), metrics);
  }

  @Test
  void recallsOldMessagesOfTheThreadWithTheirNeighbours() {
    long next = store("t", "Hello.", "I play the cello.", "Nice.", "Bye.", "The cello again.");
    List<Hit> hits =
        search(1 << 20)
            .recall(caller, recall("t", "cello?", next - 1, 1), PATIENT, heap -> {})
            .hits();
    assertThat(hits).isNotEmpty();
    assertThat(hits.get(0).message().content()).isEqualTo("\"I play the cello.\"");
    assertThat(hits.get(0).before()).extracting(MessageRow::content).containsExactly("\"Hello.\"");
    assertThat(hits)
        .extracting(hit -> hit.message().seq())
        .as("the last one is not old")
        .allMatch(seq -> seq < next - 1);
  }

  @Test
  void recallsMessagesOfTheOtherThreadsOfTheResourceWhateverTheirPlace() {
    store("own", "A cello.", "The cello again.");
    store("other", "Hello.", "My cello is old.", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x");
    Search search = search(1 << 20);
    assertThat(acrossThreads(search, 1))
        .containsExactlyInAnyOrder("own \"A cello.\"", "other \"My cello is old.\"");
    assertThat(acrossThreads(search, 0)).containsExactly("other \"My cello is old.\"");
  }

  private List<String> acrossThreads(Search search, long before) {
    Search.Recall recall = new Search.Recall("own", "r", "cello?", before, 5, 0, Long.MAX_VALUE);
    return search.recall(caller, recall, PATIENT, heap -> {}).hits().stream()
        .map(hit -> hit.threadId() + " " + hit.message().content())
        .toList();
  }

  @Test
  void recallsNothingOfWhatIsNotThere() {
    store("t", "Hello.");
    Search search = search(1 << 20);
    assertThat(search.recall(caller, recall("x", "hello", 100, 0), PATIENT, heap -> {}).hits())
        .isEmpty();
    assertThat(search.recall(caller, recall("t", "…", 100, 0), PATIENT, heap -> {}).hits())
        .isEmpty();
    assertThat(search.recall(caller, recall("t", "hello", 0, 0), PATIENT, heap -> {}).hits())
        .isEmpty();
  }

  /** However rare its words are in the thread, and however well a message fits them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ok",
        "Thanks!",
        "Hello",
        "Continue",
        "yes, please go on",
        "Danke schön!",
        "weiter",
        "Merci beaucoup",
        "continúa",
        "谢谢",
        "继续",
        "ありがとうございます",
        "Привет!",
        "شكرا",
        "👍"
      })
  void recallsNothingForWhatSaysNothing(String text) {
    store("t", "Rain.", text, "Snow.", text + " The violin is mine.", "Wind.");
    Search search = search(1 << 20);
    assertThat(search.recall(caller, recall("t", text, 100, 0), PATIENT, heap -> {}).hits())
        .isEmpty();
    assertThat(
            search
                .recall(caller, recall("t", text + " Whose violin?", 100, 0), PATIENT, heap -> {})
                .hits())
        .isNotEmpty();
  }

  /** Of a few messages none is in vain, and words of all of them are not known to be frequent. */
  @Test
  void recallsWhatAllOfAFewMessagesSay() {
    store("t", "I live in Rome.");
    Search search = search(1 << 20);
    Search.Recall recall = recall("t", "Where do I live?", 100, 0);
    assertThat(search.recall(caller, recall, PATIENT, heap -> {}).hits()).hasSize(1);
    store("t", "How long have you lived in Rome?", "I have lived there for a year.");
    assertThat(search.recall(caller, recall, PATIENT, heap -> {}).hits()).hasSize(3);
  }

  /** What the operator or an application says is not quoted, and takes no place of what is. */
  @Test
  void recallsNoInstructions() {
    String[] rules = new String[12];
    Arrays.setAll(rules, i -> "The cello of rule " + i);
    store("system", "t", rules);
    String[] talk = new String[400];
    Arrays.setAll(talk, i -> i == 200 ? "My cello is so old that nobody plays it." : "Rain " + i);
    store("t", talk);
    assertThat(
            search(1 << 20)
                .recall(caller, recall("t", "cello", 500, 0), PATIENT, heap -> {})
                .hits())
        .extracting(hit -> hit.message().content())
        .containsExactly("\"My cello is so old that nobody plays it.\"");
  }

  /** A word that most messages contain tells of none of them. */
  @Test
  void recallsNothingForWordsThatAreEverywhere() {
    String[] texts = new String[60];
    Arrays.setAll(texts, i -> "The budget of week " + i);
    texts[20] = "The budget was approved by Ann";
    store("t", texts);
    Search search = search(1 << 20);
    assertThat(
            search
                .recall(caller, recall("t", "and the budget?", 100, 0), PATIENT, heap -> {})
                .hits())
        .isEmpty();
    assertThat(
            search
                .recall(
                    caller, recall("t", "who approved the budget?", 100, 0), PATIENT, heap -> {})
                .hits())
        .extracting(hit -> hit.message().seq())
        .containsExactly(20L);
  }

  /**
   * Of a large message counts what may be quoted of it.
   *
   * @param bytes of a hit with its neighbours
   */
  @ParameterizedTest
  @CsvSource({"user, 0, 760", "assistant, 0, 410", "user, 1, 1580", "assistant, 1, 880"})
  void readsNoMoreHitsThanAreEnough(String role, int context, int bytes) {
    String[] texts = new String[40];
    Arrays.setAll(
        texts,
        i -> i < 15 ? (i % 3 == 1 ? "cello " : "snow ") + "word ".repeat(2_000) + i : "rain " + i);
    store(role, "t", texts);
    Search search = search(1 << 20);
    assertThat(
            search
                .recall(
                    caller,
                    new Search.Recall("t", null, "cello", 100, 5, context, 2 * bytes + 1),
                    PATIENT,
                    heap -> {})
                .hits())
        .hasSize(3);
    assertThat(
            search.recall(caller, recall("t", "cello", 100, context), PATIENT, heap -> {}).hits())
        .hasSize(5);
  }

  @Test
  void leavesOutWhatIsTooLargeForACall() {
    store("t", "cello " + "word ".repeat(60_000), "A small cello.", "Rain.", "Snow.", "Wind.");
    assertThat(
            search(1 << 20)
                .recall(caller, recall("t", "cello", 100, 1), PATIENT, heap -> {})
                .hits())
        .extracting(hit -> hit.message().content())
        .containsExactly("\"A small cello.\"");
  }

  /** A cache of two megabytes, of which one search holds the half, and a thread with more. */
  @Tag("heavy")
  @Test
  void searchesTheNewestOfMoreThanItMayHold() {
    store("t", "The oldest marmot.");
    for (int i = 0; i < 4; i++) {
      String[] texts = new String[60];
      for (int j = 0; j < texts.length; j++) {
        texts[j] = "number " + i + " " + j + " and more words".repeat(1_000);
      }
      store("t", texts);
    }
    store("t", "The newest marmot.");
    Search search = search(2 << 20);
    AtomicLong reserved = new AtomicLong();
    Search.HeapReserver heap =
        new Search.HeapReserver() {
          @Override
          public void reserve(long heap) {
            reserved.addAndGet(heap);
          }

          @Override
          public void coverAnswer(long bytes) {}
        };
    Search.Results results =
        search.search(
            caller,
            new SearchRequest("marmot", null, "t", Set.of(), null, null, 10, 0),
            onLeaving -> () -> {},
            heap);
    assertThat(results.truncated()).isTrue();
    assertThat(results.hits())
        .extracting(hit -> hit.message().content())
        .contains("\"The newest marmot.\"")
        .doesNotContain("\"The oldest marmot.\"");
    assertThat(reserved.get()).isPositive();
  }

  @Test
  void isRefusedWhereThereIsNoHeapForIt() {
    store("t", "word ".repeat(10_000));
    HeapBudget budget = new HeapBudget(1 << 10, 1 << 10, new PrometheusRegistry());
    try (HeapReservation heap = new HeapReservation(budget, 1)) {
      Search search = search(1 << 20);
      assertThat(
              catchThrowable(
                  () ->
                      search.recall(
                          caller,
                          recall("t", "word", 100, 0),
                          PATIENT,
                          bytes -> {
                            if (!heap.tryAdd(bytes)) {
                              throw new IllegalStateException("no room");
                            }
                          })))
          .hasMessage("no room");
    }
  }

  /** Gives the seq of the next message. */
  private static Search.Recall recall(String thread, String text, long before, int context) {
    return new Search.Recall(thread, null, text, before, 5, context, Long.MAX_VALUE);
  }

  private long store(String thread, String... texts) {
    return store("user", thread, texts);
  }

  private long store(String role, String thread, String[] texts) {
    List<NewMessage> messages = new ArrayList<>();
    for (String text : texts) {
      messages.add(new NewMessage(null, role, "text", "\"" + text + "\"", TIME, false));
    }
    return memory
        .transactions()
        .write(
            handle -> {
              memory
                  .threads()
                  .create(handle, caller, memory.threads().newRow(caller), thread, "r", null, null);
              return memory.messages().append(handle, caller, thread, messages);
            })
        .thread()
        .nextSeq();
  }
}
