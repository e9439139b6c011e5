package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.database.Home;
import io.memorygateway.memory.rows.ThreadCountDao;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.ShardedTables;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §1: a project moves to another home with all that it has, and nothing is lost. */
class ProjectMoveIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.withObject("/observation").put("workers", 0);
                var rules = config.withObject("/budgets").putArray("rules");
                for (String owner : List.of("key", "project")) {
                  rules
                      .addObject()
                      .put("name", "of-" + owner)
                      .put("unit", "tokens")
                      .put("limit", 1_000_000)
                      .put("window", owner.equals("key") ? "5h" : "total")
                      .put("appliesTo", owner);
                }
              });

  /** Fewer than the limit of a minute allows three writers. */
  private static final int MOST = 150;

  private static final String REMOVED = "SELECT COUNT(*) FROM removed_threads WHERE project_id = ";

  private final Jdbi jdbi = DATABASE.jdbi();

  @Test
  void allOfAProjectMovesAndMovesBack() throws Exception {
    String key = project("whole", 11);
    MemoryClient memory = new MemoryClient(GATEWAY, key);
    fill(memory, key);
    String threads = "/threads?resourceId=r";
    List<String> paths = List.of("/threads/a/messages", "/threads/b/messages", threads);
    List<JsonNode> before = paths.stream().map(path -> memory.get(path).is(200).json()).toList();
    await().until(() -> usage("whole").matches(".*\"calls\":2.*\"calls\":2.*"));
    String usage = usage("whole");
    String budgets = budgets(key);
    Map<String, Long> rows = rows(11);
    assertThat(rows.keySet())
        .contains("budget_windows", "request_log", "observation_records", "message_vectors");

    for (int home : new int[] {12, 11}) {
      JsonNode moved = moveSoon(memory, "whole", home);
      assertThat(moved.path("home").asInt()).isEqualTo(home);
      await().until(() -> memory.get(threads).status() != 503);

      for (int i = 0; i < paths.size(); i++) {
        assertThat(memory.get(paths.get(i)).is(200).json()).isEqualTo(before.get(i));
      }
      assertThat(usage("whole")).isEqualTo(usage);
      assertThat(budgets(key)).isEqualTo(budgets);
      assertThat(keyed(memory).is(201).text()).as("an answer given again").contains("\"k\"");
      assertThat(rows(home)).isEqualTo(rows);
      awaitNothingLeft(23 - home);
      assertThat(home("SELECT id FROM projects WHERE name = 'whole'")).isEqualTo(home);
      assertThat(home("SELECT id FROM api_keys WHERE prefix = '" + key.substring(0, 8) + "'"))
          .isEqualTo(home);
    }
    memory.append("b", "goes on");
  }

  @Tag("heavy")
  @Test
  void nothingThatIsAcknowledgedMeanwhileIsLost() throws Exception {
    String key = project("busy", 13);
    MemoryClient memory = new MemoryClient(GATEWAY, key);
    memory.createThread("t", "r");
    List<CompletableFuture<List<String>>> writers = new ArrayList<>();
    for (int writer = 0; writer < 3; writer++) {
      String prefix = writer + "-";
      writers.add(CompletableFuture.supplyAsync(() -> writeUntilRefused(memory, prefix)));
    }
    GATEWAY.task("project-move?project=busy&home=14");

    List<String> acknowledged = new ArrayList<>();
    for (CompletableFuture<List<String>> writer : writers) {
      acknowledged.addAll(writer.get());
    }
    await().until(() -> memory.get("/threads/t").status() == 200);
    List<String> stored = new ArrayList<>();
    jdbi.useHandle(
        handle ->
            stored.addAll(
                handle
                    .createQuery(
                        "SELECT JSON_UNQUOTE(content) FROM messages WHERE thread_id = (SELECT id"
                            + " FROM threads WHERE public_id = 't' AND project_id = (SELECT id"
                            + " FROM projects WHERE name = 'busy'))")
                    .mapTo(String.class)
                    .list()));
    assertThat(stored).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(acknowledged);
  }

  private static List<String> writeUntilRefused(MemoryClient memory, String prefix) {
    List<String> acknowledged = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      String text = prefix + i;
      MemoryClient.Reply reply =
          memory.post(
              "/threads/t/messages",
              "{\"messages\":[{\"role\":\"user\",\"content\":\"" + text + "\"}]}");
      if (reply.status() == 503) {
        assertThat(reply.http().headers().firstValue("Retry-After")).isPresent();
        break;
      }
      reply.is(201);
      acknowledged.add(text);
    }
    return acknowledged;
  }

  @Test
  void aMoveThatBreaksOffGoesOnWhenItIsAskedForAgain() throws Exception {
    String key = project("broken", 15);
    MemoryClient memory = new MemoryClient(GATEWAY, key);
    fill(memory, key);
    JsonNode before = memory.get("/threads/a/messages").is(200).json();
    await().until(() -> usage("broken").matches(".*\"calls\":2.*\"calls\":2.*"));
    Map<String, Long> rows = rows(15);
    long project = id("SELECT id FROM projects WHERE name = 'broken'");

    sql("ALTER TABLE usage_days RENAME COLUMN error_type TO away");
    try {
      assertThatThrownBy(() -> moveSoon(memory, "broken", 16)).hasMessageContaining("500");
    } finally {
      sql("ALTER TABLE usage_days RENAME COLUMN away TO error_type");
    }

    memory.get("/threads/a").is(503);
    assertThat(status("key-issue?project=broken&name=more")).isEqualTo(503);
    assertThat(status("project-move?project=broken&home=15")).isEqualTo(409);
    assertThat(status("project-move?project=broken&home=17")).isEqualTo(409);
    // Of a node that has not heard of it.
    jdbi.useHandle(
        handle -> {
          assertThat(handle.attach(ThreadDao.class).lockHead(project, "a")).isEmpty();
          for (int slot = 0; slot < ThreadCountDao.SLOTS; slot++) {
            int each = slot;
            assertThatThrownBy(
                    () -> handle.attach(ThreadCountDao.class).count(project, "r", each, 1))
                .hasMessageContaining("out of range");
          }
        });
    // What looks for rows without a thread leaves alone what is not copied yet.
    GATEWAY.task("purge");
    GATEWAY.task("project-move?project=broken&home=16");

    await().until(() -> memory.get("/threads/a").status() != 503);
    assertThat(memory.get("/threads/a/messages").is(200).json()).isEqualTo(before);
    assertThat(rows(16)).isEqualTo(rows);
    awaitNothingLeft(15);
  }

  @Test
  void aProjectWithCallsInFlightWaitsAndMayBeOpenedAgain() throws Exception {
    String key = project("waits", 17);
    MemoryClient memory = new MemoryClient(GATEWAY, key);
    memory.createThread("t", "r");
    long project = id("SELECT id FROM projects WHERE name = 'waits'");
    // As another node does.
    sql(
        "INSERT INTO leases (name, owner, expires_at) VALUES ('calls-"
            + project
            + "-other', UUID(), UTC_TIMESTAMP(3) + INTERVAL 1 DAY)");
    CompletableFuture<Integer> move =
        CompletableFuture.supplyAsync(() -> status("project-move?project=waits&home=18"));
    await().until(() -> memory.get("/threads/t").status() == 503);

    assertThat(status("project-move?project=waits&home=17")).isEqualTo(200);
    await().until(() -> memory.get("/threads/t").status() == 200);
    assertThat(move.get()).isEqualTo(409);
    assertThat(id("SELECT COUNT(*) FROM id_moves WHERE project_id = " + project)).isZero();
    memory.append("t", "as before");
  }

  @Test
  void whatIsNotThereOrIsThereAlreadyIsSaid() throws Exception {
    project("still", 19);
    assertThat(status("project-move?project=still&home=19")).isEqualTo(409);
    assertThat(status("project-move?project=still&home=x")).isEqualTo(400);
    assertThat(status("project-move?project=still")).isEqualTo(400);
    assertThat(status("project-move?project=nobody&home=1")).isEqualTo(404);
  }

  /** Moves a project, where other nodes need no time to see that it is closed: there are none. */
  private JsonNode moveSoon(MemoryClient memory, String project, int home) throws Exception {
    CompletableFuture<JsonNode> move =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return GATEWAY.task("project-move?project=" + project + "&home=" + home);
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            });
    await().until(() -> memory.get("/threads?resourceId=r").status() == 503);
    sql("UPDATE id_moves SET closed_at = closed_at - INTERVAL 10 SECOND WHERE owner = 'project'");
    return move.get();
  }

  private static String project(String name, int home) throws Exception {
    GATEWAY.task("project-create?project=" + name + "&home=" + home);
    return GATEWAY.issueKey(name);
  }

  /** Has rows in every table that a project may have rows in. */
  private void fill(MemoryClient memory, String key) throws Exception {
    for (String thread : List.of("a", "b", "gone")) {
      memory.createThread(thread, "r");
      List<String> ids = memory.append(thread, "one", "zwei ü", "three");
      memory.delete("/threads/" + thread + "/messages/" + ids.get(1)).is(200);
    }
    keyed(memory).is(201);
    memory.delete("/threads/gone").is(200);
    GATEWAY.task("purge");
    // The node's own cleaner may just have been at it.
    long project = id("SELECT project_id FROM threads WHERE id = " + threadOf(key, "a"));
    await().until(() -> id(REMOVED + project) == 0);
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer =
          GATEWAY.send(
              HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"))
                  .header("Authorization", "Bearer " + key)
                  .header("Content-Type", "application/json")
                  .header("x-thread-id", "a")
                  .header("x-resource-id", "r")
                  .POST(
                      BodyPublishers.ofString(
                          "{\"model\":\"openai/m\",\"messages\":[{\"role\":\"user\",\"content\":\"more?"
                              + i
                              + "\"}]}")));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
    long a = threadOf(key, "a");
    long ofKey = id("SELECT id FROM api_keys WHERE prefix = '" + key.substring(0, 8) + "' LIMIT 1");
    String now = "UTC_TIMESTAMP(3)";
    for (String row :
        List.of(
            "observation_records (thread_id, generation, public_id, origin_type, observations,"
                + " observation_tokens, total_tokens_observed, config, created_at, updated_at)"
                + " VALUES ("
                + a
                + ", 0, UUID(), 'initial', 'log', 1, 2, '{}', "
                + now
                + ", "
                + now
                + ")",
            "observation_chunks (thread_id, last_seq, public_id, cycle_id, observations,"
                + " token_count, message_ids, message_tokens, last_observed_at, created_at) VALUES ("
                + a
                + ", 1, UUID(), 'c', 'log', 1, '[]', 2, "
                + now
                + ", "
                + now
                + ")",
            "observation_jobs (thread_id, due_at, owner, requested_at) VALUES ("
                + a
                + ", '2100-01-01', UUID(), "
                + now
                + ") ON DUPLICATE KEY UPDATE due_at = VALUES(due_at)",
            "resource_sources (thread_id, project_id, resource_id, generation, length, tokens,"
                + " since) VALUES ("
                + a
                + ", "
                + project
                + ", 'r', 0, 1, 1, 0)",
            "resource_records (project_id, resource_id, generation, public_id, observations,"
                + " observation_tokens, total_tokens_observed, sources, config, created_at) VALUES ("
                + project
                + ", 'r', 0, UUID(), 'known', 1, 2, 1, '{}', "
                + now
                + ")",
            "embedding_threads (project_id, resource_hash, thread_id, model_id, next_seq, revision)"
                + " VALUES ("
                + project
                + ", UNHEX(LEFT(SHA2('r', 256), 32)), "
                + a
                + ", 1, 2, 0)",
            "message_vectors (project_id, resource_hash, thread_id, seq, model_id, vector) VALUES ("
                + project
                + ", UNHEX(LEFT(SHA2('r', 256), 32)), "
                + a
                + ", 1, 1, UNHEX('00ff'))",
            "former_messages (thread_id, seq, until_version, type, content, incomplete, superseded,"
                + " bytes, project_id, needed_until) VALUES ("
                + a
                + ", 1, 7, 'text', '\"was\"', 0, 0, 5, "
                + project
                + ", '2100-01-01')",
            "rate_limit_refusals (minute, key_id, rule, scope, node, limited_to, window_seconds,"
                + " refused, last_at, last_request_id) VALUES ('2026-01-01', "
                + ofKey
                + ", 'global', 'llm_proxy', UUID(), 5, 60, 3, "
                + now
                + ", 'id'"
                + ")")) {
      sql("INSERT INTO " + row);
    }
  }

  private static MemoryClient.Reply keyed(MemoryClient memory) {
    return memory.send(
        "POST",
        "/threads/b/messages",
        MemoryClient.bytes("{\"messages\":[{\"role\":\"user\",\"content\":\"k\"}]}"),
        "Idempotency-Key",
        "once");
  }

  private long threadOf(String key, String thread) {
    return id(
        "SELECT t.id FROM threads t JOIN api_keys k ON k.project_id = t.project_id WHERE k.prefix ="
            + " '"
            + key.substring(0, 8)
            + "' AND t.public_id = '"
            + thread
            + "' LIMIT 1");
  }

  /** The node's own cleaner may just be at work on a thread, which the move leaves to it then. */
  private void awaitNothingLeft(int home) {
    await().untilAsserted(() -> assertThat(rows(home)).isEmpty());
  }

  /** How many rows of each table a home has, apart from what is not the project's. */
  private Map<String, Long> rows(int number) {
    Home home = new Home(number);
    Map<String, Long> rows = new TreeMap<>();
    ShardedTables.read()
        .columns()
        .forEach(
            (table, column) -> {
              String more =
                  switch (table) {
                    case "thread_counts" -> " AND threads < " + Long.MAX_VALUE;
                    case "removed_threads" -> " AND thread_id < 0";
                    // Not of the key that nodes probe with.
                    case "rate_limit_windows" -> " AND key_id <> " + home.first();
                    default -> "";
                  };
              long count =
                  id(
                      "SELECT COUNT(*) FROM "
                          + table
                          + " WHERE "
                          + column
                          + " BETWEEN "
                          + home.first()
                          + " AND "
                          + home.last()
                          + more);
              if (count > 0
                  && !List.of("id_blocks", "usage_traffic", "rate_limit_holders").contains(table)) {
                rows.put(table, count);
              }
            });
    return rows;
  }

  /** What a project and its thread {@code a} have used. */
  private static String usage(String project) throws Exception {
    String usage = "usage?by=key&project=" + project;
    return "" + GATEWAY.task(usage).path("rows") + GATEWAY.task(usage + "&thread=a").path("rows");
  }

  private static String budgets(String key) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/usage/limits"))
                .header("Authorization", "Bearer " + key));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new ObjectMapper().readTree(answer.body()).path("budgets").toString();
  }

  private static int status(String task) {
    try {
      return GATEWAY
          .send(
              HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + task))
                  .POST(BodyPublishers.noBody()))
          .statusCode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private int home(String sql) {
    return Home.of(id(sql)).number();
  }

  private long id(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }

  private void sql(String sql) {
    jdbi.useHandle(handle -> handle.execute(sql));
  }
}
