package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.Database;
import io.memorygateway.database.DatabaseInspection;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.memory.replay.ExpiredIdempotencyKeys;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §13: correctness does not rest on {@code SKIP LOCKED}. Two nodes work at once on a
 * server that reads the clause and waits for the lock all the same, and on one that does not even
 * lock there; everything is done once.
 */
@Tag("heavy")
class IgnoredSkipLockedIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final String WAITS = "SKIP LOCKED";
  private static final String DOES_NOT_LOCK = "FOR UPDATE SKIP LOCKED";

  /** Messages of a thread that is not removed in one step. */
  private static final int MORE_THAN_A_BATCH = 1_200;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern THING = Pattern.compile("Thing (\\d+) of [\\w-]+");

  private static final List<TestGateway> NODES = new ArrayList<>();
  private static DatabaseRelay relay;
  private static Jdbi jdbi;

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private List<MemoryClient> clients;

  @BeforeAll
  static void startTwoNodes() throws Exception {
    relay = DatabaseRelay.to(DATABASE.port());
    jdbi = SqlObjects.install(Jdbi.create(url(), DATABASE.user(), DATABASE.password()));
    for (int i = 0; i < 2; i++) {
      TestGateway node =
          new TestGateway(DATABASE, UPSTREAM)
              .with("DATABASE_URL", url())
              .with("OBSERVATION_MODEL", "openai/observer")
              .configured(IgnoredSkipLockedIT::configure);
      node.start();
      NODES.add(node);
    }
  }

  @AfterAll
  static void stopNodes() throws Exception {
    for (TestGateway node : NODES) {
      node.stop();
    }
    relay.close();
  }

  private static String url() {
    // The relay reads statements.
    return DATABASE.url(relay).replace("PREFERRED", "DISABLED");
  }

  private static void configure(ObjectNode config) {
    ((ObjectNode) config.get("rateLimits")).putObject("rules");
    config.putObject("search").put("embeddingModel", "openai/text-embedding-test");
    ((ObjectNode) config.get("observation"))
        .put("messageTokens", 300)
        .put("observationTokens", 100_000)
        .put("pollInterval", "10ms")
        .put("minShare", 1);
  }

  @BeforeEach
  void useAProjectOfItsOwn() throws Exception {
    UPSTREAM.answer(IgnoredSkipLockedIT::answer);
    String key = NODES.get(0).issueKey("p-" + System.nanoTime());
    clients = NODES.stream().map(node -> new MemoryClient(node, key)).toList();
  }

  @AfterEach
  void heedItAgain() {
    relay.blank("");
    callers.shutdownNow();
  }

  @Test
  void suchAServerIsRefusedAtTheStart() {
    DataSourceFactory server = new DataSourceFactory();
    server.setDriverClass("com.mysql.cj.jdbc.Driver");
    server.setUrl(url());
    server.setUser(DATABASE.user());
    server.setPassword(DATABASE.password());
    Database.complete(server);
    assertThat(DatabaseInspection.of(server).server()).isNotBlank();

    relay.blank(WAITS);

    assertThatThrownBy(() -> DatabaseInspection.of(server))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "database: the server does not pass over locked rows where it is told to");
  }

  /** Appends of many clients share transactions, and meet others on the same threads. */
  @ParameterizedTest
  @ValueSource(strings = {WAITS, DOES_NOT_LOCK})
  void everyAppendIsStoredOnceAndInOrder(String clause) throws Exception {
    int threads = 3;
    int writers = 6;
    int appends = 20;
    for (int i = 0; i < threads; i++) {
      clients.get(0).createThread("t" + i, "r");
    }
    ignoring(
        clause,
        () -> {
          List<Callable<Void>> work = new ArrayList<>();
          for (int i = 0; i < writers; i++) {
            int writer = i;
            work.add(() -> write(writer, appends, threads));
          }
          all(work);
        });

    List<String> stored = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      List<String> ofThread = contents("t" + i);
      assertThat(ofThread).doesNotHaveDuplicates();
      for (int writer = 0; writer < writers; writer++) {
        String name = "writer " + writer + ",";
        assertThat(
                ofThread.stream()
                    .filter(text -> text.startsWith(name))
                    .map(text -> Integer.parseInt(text.replaceAll(".*append (\\d+),.*", "$1")))
                    .toList())
            .isSorted();
      }
      stored.addAll(ofThread);
    }
    assertThat(stored)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, writers)
                .boxed()
                .flatMap(
                    writer ->
                        IntStream.range(0, appends)
                            .boxed()
                            .flatMap(number -> texts(writer, number).stream()))
                .toList());
  }

  private Void write(int writer, int appends, int threads) throws Exception {
    for (int number = 0; number < appends; number++) {
      String thread = "/threads/t" + (writer + number) % threads;
      MemoryClient node = clients.get((writer + number) % 2);
      MemoryClient other = clients.get((writer + number + 1) % 2);
      byte[] body = MemoryClient.bytes(body(texts(writer, number)));
      String key = "key-" + writer + "-" + number;
      Callable<Void> append =
          () -> until(201, () -> node.send("POST", thread + "/messages", body, key(key)));
      if (number % 3 == 0) {
        // The same on both nodes at once.
        all(
            List.of(
                append,
                () -> until(201, () -> other.send("POST", thread + "/messages", body, key(key)))));
      } else {
        append.call();
      }
      if (number % 4 == 3) {
        until(200, () -> other.patch(thread, "{\"title\":\"" + key + "\"}"));
      }
    }
    return null;
  }

  private static String[] key(String key) {
    return new String[] {"Idempotency-Key", key};
  }

  /** A few more than are stored together with those of others, or one. */
  private static List<String> texts(int writer, int number) {
    return IntStream.range(0, number % 7 == 6 ? 60 : 1)
        .mapToObj(i -> "writer " + writer + ", append " + number + ", message " + i)
        .toList();
  }

  /** Each job has one taker; what a thread was given is in its log once. */
  @ParameterizedTest
  @ValueSource(strings = {WAITS, DOES_NOT_LOCK})
  void everyMessageIsObservedOnce(String clause) throws Exception {
    List<String> threads = IntStream.range(0, 6).mapToObj(i -> "observed-" + i).toList();
    for (String thread : threads) {
      clients.get(0).createThread(thread, "r");
    }
    ignoring(
        clause,
        () -> {
          List<Callable<Void>> work = new ArrayList<>();
          for (String thread : threads) {
            work.add(() -> say(thread, 40));
          }
          all(work);
          await().until(() -> count("SELECT COUNT(*) FROM observation_jobs") == 0);
        });

    for (String thread : threads) {
      String log =
          clients
              .get(1)
              .get("/threads/" + thread + "/observations")
              .is(200)
              .json()
              .get("observations")
              .asText();
      List<Integer> things = new ArrayList<>();
      for (Matcher found = THING.matcher(log); found.find(); ) {
        things.add(Integer.valueOf(found.group(1)));
      }
      long observed =
          count(
              "SELECT COUNT(*) FROM messages m JOIN threads t ON t.id = m.thread_id JOIN"
                  + " observation_states s ON s.thread_id = t.id AND m.seq <= s.observed_seq WHERE"
                  + " t.public_id = '"
                  + thread
                  + "' AND t.project_id = "
                  + project());
      assertThat(observed).as(thread).isPositive();
      assertThat(things).as(thread).isEqualTo(IntStream.range(0, (int) observed).boxed().toList());
    }
  }

  private Void say(String thread, int things) throws Exception {
    for (int i = 0; i < things; i++) {
      MemoryClient node = clients.get(i % 2);
      String text = thing(thread, i) + " is that town " + i + " is worth a visit, as I was told.";
      byte[] body = MemoryClient.bytes(body(List.of(text)));
      String key = thread + "-" + i;
      until(201, () -> node.send("POST", "/threads/" + thread + "/messages", body, key(key)));
    }
    return null;
  }

  private static String thing(String thread, int number) {
    return "Thing " + number + " of " + thread;
  }

  /** One node has the lease; each message is sent to the model once. */
  @ParameterizedTest
  @ValueSource(strings = {WAITS, DOES_NOT_LOCK})
  void everyMessageIsEmbeddedOnce(String clause) throws Exception {
    clients.get(0).createThread("embedded", "r");
    ignoring(
        clause,
        () -> {
          say("embedded", 30);
          await()
              .until(
                  () ->
                      count("SELECT COUNT(*) FROM message_vectors WHERE project_id = " + project())
                          == 30);
        });

    Map<String, Integer> sent = new HashMap<>();
    for (RecordedRequest request : UPSTREAM.requests()) {
      if (request.path().endsWith("/embeddings")) {
        for (JsonNode input : request.json().path("input")) {
          Matcher thing = THING.matcher(input.asText());
          if (thing.find()) {
            sent.merge(thing.group(), 1, Integer::sum);
          }
        }
      }
    }
    assertThat(sent)
        .isEqualTo(
            IntStream.range(0, 30)
                .boxed()
                .collect(Collectors.toMap(i -> thing("embedded", i), i -> 1)));
  }

  /** Both nodes and four commands remove the same threads; the others lose nothing. */
  @ParameterizedTest
  @ValueSource(strings = {WAITS, DOES_NOT_LOCK})
  void rowsOfDeletedThreadsAreRemovedAndNoOthers(String clause) throws Exception {
    List<String> threads = IntStream.range(0, 8).mapToObj(i -> "removed-" + i).toList();
    for (String thread : threads) {
      clients.get(0).createThread(thread, "r");
      // Observing them would take longer than all the rest.
      clients
          .get(0)
          .patch("/threads/" + thread + "/observations/config", "{\"messageTokens\":1000000}")
          .is(200);
      for (int part = 0; part < 3; part++) {
        clients.get(0).post("/threads/" + thread + "/messages", many(part)).is(201);
      }
    }
    long rows =
        count(
            "SELECT COUNT(*) FROM messages m JOIN threads t ON t.id = m.thread_id WHERE"
                + " t.project_id = "
                + project());
    assertThat(rows).isEqualTo(8 * MORE_THAN_A_BATCH);
    ignoring(
        clause,
        () -> {
          for (int i = 0; i < 7; i++) {
            clients.get(i % 2).delete("/threads/" + threads.get(i)).is(200);
          }
          all(Collections.nCopies(4, IgnoredSkipLockedIT::remove));
          await().until(() -> count("SELECT COUNT(*) FROM removed_threads") == 0);
        });

    assertThat(
            count(
                "SELECT COUNT(*) FROM messages m LEFT JOIN threads t ON t.id = m.thread_id WHERE"
                    + " t.id IS NULL"))
        .isZero();
    assertThat(count("SELECT COUNT(*) FROM threads WHERE project_id = " + project())).isEqualTo(1);
    assertThat(contents(threads.get(7))).hasSize(MORE_THAN_A_BATCH).doesNotHaveDuplicates();
  }

  private static Void remove() {
    while (count("SELECT COUNT(*) FROM removed_threads") > 0) {
      RemovedThreads.remove(jdbi);
    }
    return null;
  }

  private static String many(int part) {
    return body(
        IntStream.range(0, MORE_THAN_A_BATCH / 3)
            .mapToObj(i -> "message " + part + "-" + i)
            .toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {WAITS, DOES_NOT_LOCK})
  void oldRowsAreRemovedOnce(String clause) throws Exception {
    clients.get(0).createThread("old", "r");
    say("old", 20);
    Instant later = Instant.now().plus(IdempotentWrites.RETENTION).plusSeconds(60);
    long rows = count("SELECT COUNT(*) FROM idempotency_keys");
    assertThat(rows).isGreaterThanOrEqualTo(20);
    List<Long> removed = new ArrayList<>();
    relay.blank(clause);
    List<Future<Long>> runs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      runs.add(callers.submit(() -> ExpiredIdempotencyKeys.remove(jdbi, later)));
    }
    for (Future<Long> run : runs) {
      removed.add(run.get(TestTimeout.SECONDS, TimeUnit.SECONDS));
    }

    assertThat(removed.stream().mapToLong(Long::longValue).sum()).isEqualTo(rows);
    assertThat(count("SELECT COUNT(*) FROM idempotency_keys")).isZero();
  }

  /** Work of a test. */
  private interface Work {
    void run() throws Exception;
  }

  private static void ignoring(String clause, Work work) throws Exception {
    int before = relay.blankings();
    relay.blank(clause);
    work.run();
    assertThat(relay.blankings()).as("statements that lost the clause").isGreaterThan(before);
    relay.blank("");
  }

  private void all(List<Callable<Void>> work) throws Exception {
    for (Future<Void> each : callers.invokeAll(work, TestTimeout.SECONDS, TimeUnit.SECONDS)) {
      each.get();
    }
  }

  /** As clients do it: again, where they are told that it may be tried again. */
  private static Void until(int status, Supplier<MemoryClient.Reply> request) {
    long end = System.nanoTime() + TestTimeout.DEFAULT.toNanos();
    while (true) {
      MemoryClient.Reply reply = request.get();
      if (reply.status() == status) {
        return null;
      }
      assertThat(reply.status()).as(reply.text()).isIn(409, 503);
      assertThat(System.nanoTime()).as(reply.text()).isLessThan(end);
    }
  }

  private static String body(List<String> texts) {
    ObjectNode body = JSON.createObjectNode();
    var messages = body.putArray("messages");
    texts.forEach(text -> messages.addObject().put("role", "user").put("content", text));
    return body.toString();
  }

  private List<String> contents(String thread) {
    List<String> contents = new ArrayList<>();
    while (true) {
      int before = contents.size();
      contents.addAll(
          clients.get(1).contents("/threads/" + thread + "/messages?limit=200&offset=" + before));
      if (contents.size() == before) {
        return contents;
      }
    }
  }

  private long project() {
    return count("SELECT MAX(id) FROM projects"); // each test makes one, and it is the newest
  }

  private static long count(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  private static Answer answer(RecordedRequest request) {
    if (!request.json().path("model").asText().equals("observer")) {
      return CannedReplies.answer(request);
    }
    StringBuilder notes = new StringBuilder("<observations>\nDate: November 20, 2026\n");
    request
        .json()
        .at("/messages/1/content")
        .asText()
        .lines()
        .filter(line -> line.startsWith("Thing "))
        .forEach(line -> notes.append("* 🟡 (09:30) User says: ").append(line).append('\n'));
    return Answer.json(
        CannedReplies.reply(request.path(), request.json(), notes + "</observations>").json());
  }
}
