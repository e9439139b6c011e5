package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A project stores no more than {@code limits.storage} bytes, over the memory API and in turns. */
class StorageLimitIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LIMIT = 200 * 1024;
  private static final String TEXT = "\"" + "x".repeat(10_000) + "\"";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = limited();
  @RegisterExtension static final TestGateway OTHER_NODE = limited();

  private String project;
  private String key;

  private static TestGateway limited() {
    return new TestGateway(DATABASE, UPSTREAM)
        .configured(config -> config.putObject("limits").put("storage", LIMIT + "B"));
  }

  @BeforeEach
  void newProject() throws Exception {
    project = "p-" + System.nanoTime();
    key = GATEWAY.issueKey(project);
  }

  private HttpResponse<String> send(
      TestGateway node, String method, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(node.url() + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return node.send(request);
  }

  private HttpResponse<String> memory(String method, String path, String body, String... headers)
      throws Exception {
    return send(GATEWAY, method, "/v1/memory/threads" + path, body, headers);
  }

  private void create(String thread) throws Exception {
    assertThat(memory("POST", "", "{\"id\":\"" + thread + "\",\"resourceId\":\"r\"}").statusCode())
        .isEqualTo(201);
  }

  private static String messages(String content, int count) {
    String one = "{\"role\":\"user\",\"content\":" + content + "}";
    return "{\"messages\":[" + one + ("," + one).repeat(count - 1) + "]}";
  }

  private int append(TestGateway node, String thread, String content, int count) throws Exception {
    return send(
            node, "POST", "/v1/memory/threads/" + thread + "/messages", messages(content, count))
        .statusCode();
  }

  /** What is in the tables, with the flat parts. */
  private long held() throws Exception {
    return query(
        "SELECT COALESCE(SUM(1024 + COALESCE(OCTET_LENGTH(t.title), 0) +"
            + " COALESCE(OCTET_LENGTH(t.metadata), 0) + (SELECT COALESCE(SUM(128 +"
            + " OCTET_LENGTH(content)), 0) FROM messages m WHERE m.thread_id = t.id)), 0) FROM"
            + " threads t JOIN thread_heads h ON h.thread_id = t.id JOIN projects p ON p.id ="
            + " t.project_id WHERE p.name = '"
            + project
            + "'");
  }

  private long counted() throws Exception {
    return query(
        "SELECT COALESCE(SUM(1024 + stored_bytes - removed_bytes + described_bytes + 128 *"
            + " message_count), 0) FROM thread_heads h JOIN projects p ON p.id = h.project_id WHERE"
            + " p.name = '"
            + project
            + "'");
  }

  private static long query(String sql) throws Exception {
    try (Connection connection = DATABASE.connect();
        ResultSet row = connection.createStatement().executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private void fill() throws Exception {
    while (append(GATEWAY, "t", TEXT, 3) == 201) {
      assertThat(held()).isLessThanOrEqualTo(LIMIT);
    }
  }

  @Test
  void whatDoesNotFitIsRefusedInTheOneEnvelope() throws Exception {
    create("t");
    fill();
    for (int count : new int[] {3, 100}) {
      HttpResponse<String> refused = memory("POST", "/t/messages", messages(TEXT, count));
      JsonNode error = ErrorEnvelope.check(refused, 413, "invalid_request_error");
      assertThat(error.get("message").asText()).contains("0.20 MiB", "Delete threads");
    }
    String large = "{\"a\":\"" + "x".repeat(100_000) + "\"}";
    for (String body :
        List.of(
            "{\"resourceId\":\"r\",\"metadata\":" + large + "}",
            "{\"id\":\"new\",\"resourceId\":\"r\",\"metadata\":" + large + "}")) {
      ErrorEnvelope.check(memory("POST", "", body), 413, "invalid_request_error");
    }
    ErrorEnvelope.check(
        memory("PATCH", "/t", "{\"metadata\":" + large + "}"), 413, "invalid_request_error");
    ErrorEnvelope.check(memory("POST", "/t/clone", "{}"), 413, "invalid_request_error");
    ErrorEnvelope.check(
        memory("POST", "/t/clone", "{\"options\":{\"messageLimit\":4}}"),
        413,
        "invalid_request_error");
    assertThat(
            query(
                "SELECT COUNT(*) FROM threads t JOIN projects p ON p.id = t.project_id WHERE p.name"
                    + " = '"
                    + project
                    + "'"))
        .isEqualTo(1);
    assertThat(memory("GET", "/t/messages", "").statusCode()).isEqualTo(200);
    assertThat(held()).isEqualTo(counted()).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void deletionFreesItAtOnce() throws Exception {
    create("t");
    create("other");
    fill();
    assertThat(append(OTHER_NODE, "other", TEXT, 3)).isEqualTo(413);
    assertThat(memory("DELETE", "/t", "").statusCode()).isEqualTo(200);
    assertThat(append(GATEWAY, "other", TEXT, 3)).isEqualTo(201);
    await().until(() -> append(OTHER_NODE, "other", TEXT, 3) == 201);
    assertThat(held()).isEqualTo(counted());
  }

  @Test
  void everyChangeKeepsTheSumExact() throws Exception {
    create("t");
    assertThat(append(GATEWAY, "t", "\"é\"", 60)).isEqualTo(201);
    JsonNode list = JSON.readTree(memory("GET", "/t/messages?limit=10", "").body()).get("messages");
    String first = list.get(0).get("id").asText();
    assertThat(memory("PATCH", "/t/messages/" + first, "{\"content\":" + TEXT + "}").statusCode())
        .isEqualTo(200);
    assertThat(held()).isEqualTo(counted());
    assertThat(memory("PATCH", "/t/messages/" + first, "{\"type\":\"text\"}").statusCode())
        .isEqualTo(200);
    assertThat(memory("PATCH", "/t", "{\"title\":\"ö\",\"metadata\":{\"a\":\"ü\"}}").statusCode())
        .isEqualTo(200);
    assertThat(memory("POST", "/t/clone", "{\"newThreadId\":\"whole\"}").statusCode())
        .isEqualTo(201);
    assertThat(
            memory(
                    "POST",
                    "/t/clone",
                    "{\"newThreadId\":\"part\",\"options\":{\"messageLimit\":7}}")
                .statusCode())
        .isEqualTo(201);
    assertThat(held()).isEqualTo(counted());
    assertThat(memory("PATCH", "/whole/messages/none", "{\"content\":\"x\"}").statusCode())
        .isEqualTo(404);
    assertThat(memory("DELETE", "/t/messages/" + first, "").statusCode()).isEqualTo(200);
    assertThat(
            memory(
                    "DELETE",
                    "/t/messages",
                    "{\"messageIds\":["
                        + list.get(1).get("id")
                        + ","
                        + list.get(2).get("id")
                        + "]}")
                .statusCode())
        .isEqualTo(200);
    assertThat(held()).isEqualTo(counted());
  }

  @Test
  void whatShrinksOrIsThereAlreadyIsNotRefused() throws Exception {
    create("t");
    create("u");
    String plain = "{\"messages\":[{\"id\":\"n\",\"role\":\"user\",\"content\":" + TEXT + "}]}";
    assertThat(memory("POST", "/u/messages", plain).statusCode()).isEqualTo(201);
    String keyed = "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":" + TEXT + "}]}";
    HttpResponse<String> first = memory("POST", "/t/messages", keyed, "Idempotency-Key", "k");
    assertThat(first.statusCode()).isEqualTo(201);
    fill();
    while (append(GATEWAY, "t", "\"\"", 1) == 201) {
      // to the last byte, nearly
    }
    HttpResponse<String> again = memory("POST", "/t/messages", keyed, "Idempotency-Key", "k");
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(memory("POST", "/t/messages", keyed).statusCode()).isEqualTo(201);
    assertThat(memory("POST", "", "{\"id\":\"t\",\"resourceId\":\"r\"}").statusCode())
        .isEqualTo(200);
    // What a replay needs is stored beside the new content.
    assertThat(memory("PATCH", "/t/messages/m", "{\"content\":\"short\"}").statusCode())
        .isEqualTo(413);
    assertThat(memory("PATCH", "/u/messages/n", "{\"content\":\"short\"}").statusCode())
        .isEqualTo(200);
    assertThat(memory("PATCH", "/u/messages/n", "{\"content\":" + TEXT + "}").statusCode())
        .isIn(200, 413);
    assertThat(held()).isEqualTo(counted()).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void writersAtOnceOnOneNodeNeverExceedIt() throws Exception {
    List<String> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      create("t" + i);
      threads.add("t" + i);
    }
    ExecutorService callers = Executors.newFixedThreadPool(threads.size());
    try {
      List<Future<Integer>> admitted = new ArrayList<>();
      for (String thread : threads) {
        admitted.add(
            callers.submit(
                () -> {
                  int stored = 0;
                  while (append(GATEWAY, thread, TEXT, 1) == 201) {
                    stored++;
                  }
                  return stored;
                }));
      }
      AtomicInteger stored = new AtomicInteger();
      for (Future<Integer> each : admitted) {
        stored.addAndGet(each.get());
      }
      int fitting = (LIMIT - threads.size() * 1024) / (10_002 + 128);
      assertThat(stored.get()).isLessThanOrEqualTo(fitting);
      // A writer may have been refused for what others were about to store, and counted twice.
      await()
          .until(
              () -> {
                while (append(GATEWAY, "t0", TEXT, 1) == 201) {
                  stored.incrementAndGet();
                }
                return stored.get() == fitting;
              });
    } finally {
      callers.shutdownNow();
    }
    assertThat(held()).isEqualTo(counted()).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void formerContentsThatAreStoredForReplaysCount() throws Exception {
    create("t");
    assertThat(append(GATEWAY, "t", TEXT, 1)).isEqualTo(201);
    String message =
        JSON.readTree(memory("GET", "/t/messages", "").body()).at("/messages/0/id").asText();

    int changed = changesUntilRefused("/t/messages/" + message, TEXT.replace('x', 'y'), TEXT);

    // The present content and the former ones fill the limit; the first change keeps nothing yet.
    assertThat(changed).isBetween(1, LIMIT / 10_002);
    assertThat(memory("DELETE", "/t/messages/" + message, "").statusCode()).isEqualTo(200);
    assertThat(append(GATEWAY, "t", TEXT, 3)).isEqualTo(201);
  }

  @Test
  void responsesThatAreStoredForReplaysCount() throws Exception {
    create("t");
    String metadata = "{\"a\":" + TEXT + "}";
    assertThat(memory("PATCH", "/t", "{\"metadata\":" + metadata + "}").statusCode())
        .isEqualTo(200);
    int changed = 0;
    while (memory("PATCH", "/t", "{\"title\":\"t\"}", "Idempotency-Key", "k" + changed).statusCode()
        == 200) {
      changed++;
      assertThat(changed).isLessThan(LIMIT / 10_000);
    }
    int created = 0;
    while (memory(
                "POST", "", "{\"id\":\"t\",\"resourceId\":\"r\"}", "Idempotency-Key", "c" + created)
            .statusCode()
        == 200) {
      created++;
      assertThat(created).isLessThan(LIMIT / 10_000);
    }
    assertThat(changed).isPositive();
    long told = GATEWAY.task("storage?project=" + project).at("/projects/0/bytes").asLong();
    assertThat(told).isGreaterThan(LIMIT - 12_000);
  }

  /** Changes a message to one content and the other in turns, each time with another key. */
  private int changesUntilRefused(String path, String one, String other) throws Exception {
    for (int i = 0; i < 100; i++) {
      String body = "{\"content\":" + (i % 2 == 0 ? one : other) + "}";
      int status = memory("PATCH", path, body, "Idempotency-Key", "m" + i).statusCode();
      if (status == 413) {
        return i;
      }
      assertThat(status).isEqualTo(200);
    }
    throw new AssertionError("never refused");
  }

  @Test
  void aTurnIsRefusedBeforeItGoesUpstream() throws Exception {
    create("t");
    fill();
    while (append(GATEWAY, "t", "\"\"", 1) == 201) {
      // until not even an answer would fit
    }
    UPSTREAM.reset();
    HttpResponse<String> refused = turn("t", "question");
    ErrorEnvelope.check(refused, 413, "invalid_request_error");
    ErrorEnvelope.check(turn("new", "question"), 413, "invalid_request_error");
    assertThat(UPSTREAM.requests()).isEmpty();

    HttpResponse<String> plain = send(GATEWAY, "POST", CHAT, chat(message("user", "question")));
    assertThat(plain.statusCode()).isEqualTo(200);

    assertThat(memory("DELETE", "/t", "").statusCode()).isEqualTo(200);
    assertThat(turn("t", "question").statusCode()).isEqualTo(200);
    HttpResponse<String> tooLong = turn("t", "x".repeat(LIMIT));
    ErrorEnvelope.check(tooLong, 413, "invalid_request_error");
    assertThat(held()).isEqualTo(counted());
  }

  @Test
  void turnsAtOnceDoNotExceedItByTheirQuestions() throws Exception {
    Semaphore gate = new Semaphore(0);
    String answer =
        "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":"
            + "{\"role\":\"assistant\",\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}";
    UPSTREAM.answer(request -> exchange -> Answer.json(answer).write(exchange.await(gate)));
    int turns = 12;
    int fitting = LIMIT / 61_000;
    ExecutorService callers = Executors.newFixedThreadPool(turns);
    try {
      List<Future<Integer>> statuses = new ArrayList<>();
      for (int i = 0; i < turns; i++) {
        String thread = "t" + i;
        statuses.add(callers.submit(() -> turn(thread, "x".repeat(60_000)).statusCode()));
      }
      await().until(() -> statuses.stream().filter(Future::isDone).count() == turns - fitting);
      gate.release(turns);
      int stored = 0;
      for (Future<Integer> status : statuses) {
        assertThat(status.get()).isIn(200, 413);
        stored += status.get() == 200 ? 1 : 0;
      }
      assertThat(stored).isEqualTo(fitting);
    } finally {
      gate.release(turns);
      callers.shutdownNow();
    }
    assertThat(held()).isEqualTo(counted()).isLessThanOrEqualTo(LIMIT);
  }

  private HttpResponse<String> turn(String thread, String text) throws Exception {
    return send(
        GATEWAY,
        "POST",
        CHAT,
        chat(message("user", text)),
        "x-thread-id",
        thread,
        "x-resource-id",
        "r");
  }

  @Test
  void operatorsSeeWhatProjectsStore() throws Exception {
    create("t");
    assertThat(append(GATEWAY, "t", TEXT, 2)).isEqualTo(201);
    JsonNode row = GATEWAY.task("storage?project=" + project).get("projects").get(0);
    assertThat(row.get("project").asText()).isEqualTo(project);
    assertThat(row.get("threads").asLong()).isEqualTo(1);
    assertThat(row.get("messages").asLong()).isEqualTo(2);
    assertThat(row.get("bytes").asLong()).isEqualTo(held());
  }
}
