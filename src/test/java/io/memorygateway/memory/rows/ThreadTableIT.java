package io.memorygateway.memory.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.MemoryClient;
import io.memorygateway.memory.write.OrphanedRows;
import io.memorygateway.testing.SharedGateway;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The registry of the tables with rows of threads agrees with the schema. */
class ThreadTableIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  /** A new table with rows of threads is exported, cloned and removed, or is not, on purpose. */
  @Test
  void everyTableOfThreadsIsRegistered() {
    assertThat(EnumSet.complementOf(EnumSet.of(ThreadTable.THREADS)))
        .extracting(ThreadTable::tableName)
        .containsExactlyInAnyOrderElementsOf(tables("columns WHERE column_name = 'thread_id'"));
  }

  @Test
  void everyTableWithAnIndexByThreadIsSearchedForRowsWithoutTheirThread() {
    Set<String> indexed = tables("statistics WHERE column_name = 'thread_id' AND seq_in_index = 1");
    indexed.remove("removed_threads");
    assertThat(OrphanedRows.TABLES)
        .extracting(ThreadTable::tableName)
        .containsExactlyInAnyOrderElementsOf(indexed);
  }

  @Test
  void aCloneHasAllThatIsExportedExceptChunks() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    client
        .post("/threads", MemoryClient.json("id", "t", "resourceId", "r", "title", "of a trip"))
        .is(201);
    String second = client.append("t", "1", "2", "3").get(1);
    client.delete("/threads/t/messages/" + second).is(200);
    long source = id("t");
    execute("UPDATE messages SET incomplete = 1, superseded = 1 WHERE thread_id = " + source);
    execute("DELETE FROM observation_states WHERE thread_id = " + source);
    fill(ThreadTable.OBSERVATION_STATES, source);
    fill(ThreadTable.OBSERVATION_RECORDS, source);

    client.post("/threads/t/clone", MemoryClient.json("newThreadId", "c")).is(201);

    Set<ThreadTable> cloned = EnumSet.copyOf(ThreadTable.exported());
    cloned.remove(ThreadTable.OBSERVATION_CHUNKS);
    for (ThreadTable table : cloned) {
      assertThat(rows(table, id("c"))).as(table.name()).isNotEmpty().isEqualTo(rows(table, source));
    }
  }

  /** Adds a row in which every exported column has a value of its own. */
  private static void fill(ThreadTable table, long thread) {
    List<String> values = new ArrayList<>();
    for (String column : table.columns()) {
      values.add(
          switch (type(table, column)) {
            case "datetime" -> "TIMESTAMP '2025-01-01 00:00:%02d'".formatted(values.size());
            case "tinyint" -> "1";
            case "int", "bigint" -> "10" + values.size();
            case "char" -> "UUID()";
            default -> "'text " + values.size() + "'";
          });
    }
    execute(
        "INSERT INTO %s (thread_id, %s) VALUES (%d, %s)"
            .formatted(table.tableName(), table.columnList(), thread, String.join(", ", values)));
  }

  /** Exported columns of a thread, but ids and times that a clone has of its own. */
  private static List<Map<String, Object>> rows(ThreadTable table, long thread) {
    List<String> columns = new ArrayList<>(table.columns());
    columns.remove("public_id");
    if (table == ThreadTable.THREADS || table == ThreadTable.THREAD_HEADS) {
      columns.removeAll(List.of("created_at", "updated_at", "resource_id"));
    }
    return GATEWAY
        .database()
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT %s FROM %s WHERE %s = :thread ORDER BY %s"
                            .formatted(
                                String.join(", ", columns),
                                table.tableName(),
                                table == ThreadTable.THREADS ? "id" : "thread_id",
                                table.key()))
                    .bind("thread", thread)
                    .mapToMap()
                    .list());
  }

  private static String type(ThreadTable table, String column) {
    return texts(
            "SELECT data_type FROM information_schema.columns WHERE table_schema = DATABASE()"
                + " AND table_name = '%s' AND column_name = '%s'"
                    .formatted(table.tableName(), column))
        .get(0);
  }

  private static Set<String> tables(String from) {
    return new TreeSet<>(
        texts(
            "SELECT LOWER(table_name) FROM information_schema."
                + from
                + " AND table_schema = DATABASE()"));
  }

  private static long id(String thread) {
    return Long.parseLong(
        texts(
                "SELECT id FROM threads WHERE public_id = '%s' ORDER BY created_at DESC LIMIT 1"
                    .formatted(thread))
            .get(0));
  }

  private static List<String> texts(String query) {
    return GATEWAY
        .database()
        .jdbi()
        .withHandle(handle -> handle.createQuery(query).mapTo(String.class).list());
  }

  private static void execute(String sql) {
    GATEWAY.database().jdbi().useHandle(handle -> handle.execute(sql));
  }
}
