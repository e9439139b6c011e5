package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.ShardedTables;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: deletes leave nothing behind. */
class LeftBehindIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  @Test
  void ofADeletedThreadNoTableHasARow() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("stays", "r");
    client.append("stays", "a");
    Map<String, Long> before = rows();

    client.createThread("goes", "r2");
    List<String> ids = client.append("goes", "a", "b", "c");
    client.delete("/threads/goes/messages/" + ids.get(1)).is(200);
    client.patch("/threads/goes/observations/config", "{\"messageTokens\":100}").is(200);
    client.post("/threads/goes/clone", "{\"newThreadId\":\"copy\"}").is(201);
    observe("goes");
    assertThat(rows()).isNotEqualTo(before);
    client.delete("/threads/goes").is(200);
    client.delete("/threads/copy").is(200);

    // The node's own removal, in the background, may just be at it.
    await()
        .untilAsserted(
            () -> {
              GATEWAY.task("purge");
              assertThat(rows()).isEqualTo(before);
            });
  }

  @Test
  void ofContentsNoCopyIsKeptForIdempotencyKeys() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    String secret = "secret-of-this-test";
    send(
        client,
        "POST",
        "/threads",
        "{\"id\":\"t\",\"resourceId\":\"r\",\"title\":\"" + secret + "\"}");
    send(client, "PATCH", "/threads/t", "{\"metadata\":{\"x\":\"" + secret + "\"}}");
    String message =
        "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"" + secret + "\"}]}";
    send(client, "POST", "/threads/t/messages", message);
    send(client, "PATCH", "/threads/t/messages/m", "{\"content\":\"" + secret + " again\"}");
    assertThat(tablesWith(secret)).contains("messages", "threads");
    send(client, "DELETE", "/threads/t/messages/m", "");
    assertThat(tablesWith(secret)).doesNotContain("messages");
    send(client, "DELETE", "/threads/t", "");

    await()
        .untilAsserted(
            () -> {
              GATEWAY.task("purge");
              assertThat(tablesWith(secret)).isEmpty();
            });
  }

  private static void send(MemoryClient client, String method, String path, String body) {
    assertThat(client.send(method, path, bytes(body), "Idempotency-Key", method + path).status())
        .isBetween(200, 201);
  }

  /** As the observer will leave a thread. */
  private static void observe(String thread) throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      String from = " FROM threads WHERE public_id = '" + thread + "'";
      statement.execute(
          "INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens, total_tokens_observed, config, created_at, updated_at)"
              + " SELECT id, 0, UUID(), 'observation', 'x', 1, 1, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)"
              + from);
      statement.execute(
          "INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids, message_tokens, last_observed_at, created_at)"
              + " SELECT id, 1, UUID(), 'c', 'x', 1, '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)"
              + from);
    }
  }

  private static List<String> tables() {
    List<String> tables = new ArrayList<>(ShardedTables.read().columns().keySet());
    tables.addAll(ShardedTables.global());
    return tables;
  }

  private static Map<String, Long> rows() throws Exception {
    Map<String, Long> counts = new TreeMap<>();
    try (Connection connection = DATABASE.connect()) {
      List<String> tables = tables();
      tables.remove("audit_log"); // The purge is recorded there.
      for (String table : tables) {
        try (ResultSet count =
            connection.createStatement().executeQuery("SELECT COUNT(*) FROM " + table)) {
          count.next();
          counts.put(table, count.getLong(1));
        }
      }
    }
    return counts;
  }

  /** Every table with a value that has the text in it, whatever the column. */
  private static List<String> tablesWith(String text) throws Exception {
    List<String> found = new ArrayList<>();
    try (Connection connection = DATABASE.connect()) {
      for (String table : tables()) {
        try (ResultSet rows = connection.createStatement().executeQuery("SELECT * FROM " + table)) {
          while (rows.next()) {
            for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
              byte[] value = rows.getBytes(column);
              if (value != null
                  && new String(value, java.nio.charset.StandardCharsets.UTF_8).contains(text)) {
                found.add(table);
              }
            }
          }
        }
      }
    }
    return found;
  }
}
