package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.memory.rows.ThreadTable;
import io.memorygateway.memory.write.OrphanedRows;
import io.memorygateway.testing.ManyRows;
import io.memorygateway.testing.SharedGateway;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: a thread is deleted at once, whatever its size; its rows follow. */
class ThreadRemovalIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void makeAThread() throws Exception {
    client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
    client.append("t", "1", "2", "3");
  }

  @Test
  void noRowOfAMessageIsTouchedUntilItIsGone() throws Exception {
    long id = threadId();
    try (Connection other = GATEWAY.database().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.executeQuery("SELECT 1 FROM messages WHERE thread_id = " + id + " FOR UPDATE");

      client.delete("/threads/t").is(200);

      client.get("/threads/t").isError(404, "not_found");
      client.get("/threads/t/messages").isError(404, "not_found");
      assertThat(client.get("/threads").json().get("total").asInt()).isZero();
      assertThat(count("messages", id)).isEqualTo(3);
      other.rollback();
    }
    purgeUntilItIsGone(id);
    assertThat(count("messages", id)).isZero();
    assertThat(number("SELECT COUNT(*) FROM threads WHERE id = " + id)).isZero();
  }

  @Test
  void itsIdIsFreeAtOnceForAThreadThatIsEmpty() throws Exception {
    client.delete("/threads/t").is(200);
    client.createThread("t", "other");
    assertThat(client.contents("/threads/t/messages")).isEmpty();
    client.append("t", "new");
    GATEWAY.task("purge");
    assertThat(client.contents("/threads/t/messages")).containsExactly("new");
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(1);
    client.delete("/threads/t").is(200);
    client.delete("/threads/t").isError(404, "not_found");
  }

  /** Else it would wait to be observed until its rows are gone, or be observed all the same. */
  @Test
  void theWorkOnItThatObserversWaitForOrDoIsWithdrawnAtOnce() throws Exception {
    long id = threadId();
    execute(
        "INSERT INTO observation_jobs (thread_id, due_at, owner, requested_at) VALUES ("
            + id
            + ", UTC_TIMESTAMP(3) + INTERVAL 1 HOUR, UUID(), UTC_TIMESTAMP(3))"
            + " ON DUPLICATE KEY UPDATE owner = VALUES(owner), due_at = VALUES(due_at)");

    client.delete("/threads/t").is(200);

    assertThat(count("observation_jobs", id)).isZero();
  }

  @Test
  void whatWasAnsweredOfItIsNotSaidAgain() throws Exception {
    String body = "{\"messages\":[{\"role\":\"user\",\"content\":\"4\"}]}";
    append(body).is(201);
    client.delete("/threads/t").is(200);
    append(body).isError(404, "not_found");
    client.createThread("t", "r");
    append(body).isError(404, "not_found");
    GATEWAY.task("purge");
    append(body).isError(404, "not_found");
  }

  @Test
  void aLongOneGoesInBatchesAndAnInterruptedRemovalGoesOn() throws Exception {
    long id = threadId();
    GATEWAY
        .database()
        .jdbi()
        .useHandle(
            handle ->
                ManyRows.insert(
                    handle,
                    "messages (thread_id, seq, public_id, role, type, content, created_at, content_bytes)",
                    id + ", 10 + n, UUID(), 'user', 'text', '\"x\"', UTC_TIMESTAMP(3), 3",
                    3_500));
    execute(
        "UPDATE thread_heads SET next_seq = 9999, stored_bytes = 99999 WHERE thread_id = " + id);
    client.delete("/threads/t").is(200);
    // As a node leaves it that died after some batches.
    execute("UPDATE removed_threads SET removing = 1 WHERE thread_id = " + id);
    execute("DELETE FROM messages WHERE thread_id = " + id + " AND seq < 1500");
    purgeUntilItIsGone(id);
    assertThat(count("messages", id)).isZero();
    assertThat(number("SELECT COUNT(*) FROM threads WHERE id = " + id)).isZero();
  }

  @Test
  void rowsWithoutTheirThreadAreFoundAndRemoved() throws Exception {
    append("{\"messages\":[{\"role\":\"user\",\"content\":\"4\"}]}").is(201);
    long id = threadId();
    for (String row :
        List.of(
            "message_gaps (thread_id, block, deleted) VALUES (%d, 0, 1)",
            "former_messages (thread_id, seq, until_version, type, content, incomplete, superseded, needed_until,"
                + " project_id, bytes) VALUES (%d, 0, 1, 'text', '1', 0, 0, NOW() + INTERVAL 1 DAY, 1, 1)",
            "observation_states (thread_id) VALUES (%d)",
            "observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens,"
                + " total_tokens_observed, config, created_at, updated_at)"
                + " VALUES (%d, 0, UUID(), 'initial', '', 0, 0, '{}', NOW(), NOW())",
            "observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids,"
                + " message_tokens, last_observed_at, created_at) VALUES (%d, 0, UUID(), 'c', '', 0, '[]', 0, NOW(), NOW())",
            "observation_jobs (thread_id, due_at, requested_at) VALUES (%d, NOW() + INTERVAL 1 DAY, NOW())",
            "resource_sources (thread_id, project_id, resource_id, since, generation, length, tokens)"
                + " VALUES (%d, 1, 'r', 0, 0, 0, 0)",
            "embedding_threads (project_id, resource_hash, thread_id, model_id, next_seq, revision)"
                + " VALUES (1, REPEAT('a', 16), %d, 1, 0, 0)")) {
      execute("INSERT IGNORE INTO " + row.formatted(id));
    }
    for (ThreadTable table : OrphanedRows.TABLES) {
      assertThat(count(table.tableName(), id)).as(table.name()).isPositive();
    }
    int before = OrphanedRows.count(GATEWAY.database().jdbi());
    execute("DELETE FROM threads WHERE id = " + id);
    assertThat(OrphanedRows.count(GATEWAY.database().jdbi())).isEqualTo(before + 1);
    // Whichever is left last finds the others' place.
    execute("DELETE FROM thread_heads WHERE thread_id = " + id);
    assertThat(OrphanedRows.count(GATEWAY.database().jdbi())).isEqualTo(before + 1);

    purgeUntilItIsGone(id);

    for (ThreadTable table : EnumSet.complementOf(EnumSet.of(ThreadTable.THREADS))) {
      assertThat(count(table.tableName(), id)).as(table.name()).isZero();
    }
    assertThat(OrphanedRows.count(GATEWAY.database().jdbi())).isZero();
  }

  @Test
  void oneNodeLooksForRowsWithoutTheirThread() throws Exception {
    Jdbi jdbi = GATEWAY.database().jdbi();
    LongSupplier one = OrphanedRows.work(jdbi, Duration.ofDays(1));
    LongSupplier other = OrphanedRows.work(jdbi, Duration.ofDays(1));
    assertThat(one.getAsLong()).isZero();
    execute("DELETE FROM threads WHERE id = " + threadId());
    assertThat(other.getAsLong()).isZero();
    assertThat(one.getAsLong()).isOne();
    // The node has died.
    execute("UPDATE leases SET expires_at = UTC_TIMESTAMP(3) WHERE name = 'orphaned-rows'");
    assertThat(other.getAsLong()).isZero();
    client.createThread("another", "r");
    execute("DELETE FROM threads WHERE public_id = 'another'");
    assertThat(one.getAsLong()).isZero();
    assertThat(other.getAsLong()).isOne();
  }

  @Test
  void aThreadThatIsBeingMadeStaysUntilItsTimeIsOver() throws Exception {
    long id = threadId();
    execute(
        "INSERT INTO removed_threads (thread_id, project_id, due_at) VALUES ("
            + id
            + ", 1, UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)");
    GATEWAY.task("purge");
    assertThat(count("messages", id)).isEqualTo(3);
    execute("DELETE FROM removed_threads WHERE thread_id = " + id);
  }

  /** The node's own removal, in the background, may just be at it. */
  private static void purgeUntilItIsGone(long id) {
    await()
        .until(
            () -> {
              GATEWAY.task("purge");
              return count("removed_threads", id) == 0;
            });
  }

  private MemoryClient.Reply append(String body) {
    return client.send(
        "POST", "/threads/t/messages", bytes(body), "Idempotency-Key", "of this test");
  }

  private static long threadId() throws SQLException {
    return number("SELECT id FROM threads WHERE public_id = 't' ORDER BY created_at DESC LIMIT 1");
  }

  private static long count(String table, long id) throws SQLException {
    return number("SELECT COUNT(*) FROM " + table + " WHERE thread_id = " + id);
  }

  private static long number(String sql) throws SQLException {
    try (Connection connection = GATEWAY.database().connect();
        ResultSet row = connection.createStatement().executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = GATEWAY.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
