package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Every table has a place in {@code ops/vitess}, and the rule on statements tells what breaks it.
 */
class ShardedTablesTest {
  private static final Path SCHEMA = Path.of("src/test/resources/schema.txt");

  private final ShardedTables tables = ShardedTables.read();

  @Test
  void everyTableHasOnePlace() throws Exception {
    Set<String> there =
        Files.readAllLines(SCHEMA).stream()
            .map(line -> line.substring(0, line.indexOf(' ')))
            .filter(table -> !table.startsWith("DATABASECHANGELOG"))
            .collect(Collectors.toCollection(TreeSet::new));
    List<String> placed = new ArrayList<>(tables.columns().keySet());
    placed.addAll(ShardedTables.global());
    assertThat(placed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(there);
  }

  @Test
  void theColumnThatTellsTheShardIsThereAndNeverNull() throws Exception {
    List<String> schema = Files.readAllLines(SCHEMA);
    tables
        .columns()
        .forEach(
            (table, column) ->
                assertThat(schema)
                    .as(table)
                    .anyMatch(
                        line -> line.startsWith(table + " " + column + " bigint null NOT NULL")));
  }

  @Test
  void aStatementNamesTheHomeOfItsRows() {
    assertThat(tables.violation("SELECT name FROM projects WHERE name = ''")).isNull();
    assertThat(tables.violation("SELECT seq FROM messages m WHERE m.thread_id = 5")).isNull();
    assertThat(tables.violation("DELETE FROM messages WHERE seq = 5")).isNotNull();
    assertThat(tables.violation("SELECT 1 FROM threads t WHERE t.id BETWEEN 0 AND 9")).isNull();
    assertThat(tables.violation("SELECT 1 FROM threads t WHERE t.id > 0 AND t.id <= 9"))
        .isNotNull();
    assertThat(
            tables.violation(
                "SELECT 1 FROM thread_heads h WHERE h.project_id = 7 AND h.public_id = ''"))
        .isNotNull();
    assertThat(
            tables.violation(
                "SELECT 1 FROM thread_heads h WHERE h.thread_id = 5 AND EXISTS (SELECT 1 FROM"
                    + " threads r WHERE r.id = h.thread_id) FOR UPDATE"))
        .isNotNull();
    String joined =
        "SELECT 1 FROM observation_jobs j STRAIGHT_JOIN threads t ON t.id = j.thread_id WHERE j.thread_id ";
    assertThat(tables.violation(joined + "IN (5,6) ORDER BY j.due_at LIMIT 1")).isNull();
    assertThat(tables.violation(joined + "BETWEEN 0 AND 9 ORDER BY j.due_at LIMIT 1")).isNotNull();
    assertThat(tables.violation("DELETE FROM messages WHERE thread_id IN (5,6) LIMIT 9")).isNull();
    assertThat(tables.violation("DELETE FROM request_log WHERE project_id = 5 LIMIT 9")).isNull();
    assertThat(tables.violation("DELETE FROM request_log WHERE project_id IN (5) LIMIT 9"))
        .isNotNull();
    assertThat(tables.violation("INSERT INTO usage_hours (started_at, project_id) VALUES ('', 7)"))
        .isNull();
    assertThat(tables.violation("INSERT INTO usage_hours (started_at, key_id) VALUES ('', 7)"))
        .isNotNull();
  }
}
