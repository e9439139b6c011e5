package io.memorygateway.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import io.memorygateway.CommandLine;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.ThreadTable;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file may hold that is imported: what the export writes, whole and in its order. */
class ThreadFilesIT {
  @Order(1)
  @RegisterExtension
  static final TestDatabase DATABASE = new TestDatabase();

  @Order(2)
  @RegisterExtension
  static final TestDatabase ELSEWHERE = new TestDatabase();

  @Order(3)
  @RegisterExtension
  static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @Order(4)
  @RegisterExtension
  static final TestGateway GATEWAY = TransferredThreads.gateway(DATABASE, UPSTREAM);

  @Order(5)
  @RegisterExtension
  static final TestGateway OTHER = TransferredThreads.gateway(ELSEWHERE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Columns that are not exported: keys of this database, leases of its nodes, copies of what
   * stands elsewhere in the file, and what is counted anew.
   */
  private static final Map<ThreadTable, Set<String>> LEFT_OUT =
      Map.of(
          ThreadTable.THREADS,
          Set.of("id", "project_id"),
          ThreadTable.THREAD_HEADS,
          Set.of(
              "thread_id",
              "project_id",
              "public_id",
              "resource_id",
              "message_count",
              "stored_bytes",
              "removed_bytes",
              "described_bytes",
              "observe_at",
              "version",
              "changed_version",
              "call_hash",
              "call_again",
              "call_answer",
              "call_end",
              "call_state",
              "call_told"),
          ThreadTable.MESSAGES,
          Set.of("thread_id", "content_bytes", "tokens"),
          ThreadTable.MESSAGE_GAPS,
          Set.of("thread_id"),
          ThreadTable.OBSERVATION_STATES,
          Set.of(
              "thread_id",
              "observing_until",
              "reflecting_until",
              "buffering_until",
              "buffering_reflection_until"),
          ThreadTable.OBSERVATION_RECORDS,
          Set.of("thread_id"),
          ThreadTable.OBSERVATION_CHUNKS,
          Set.of("thread_id"));

  private TransferredThreads threads;

  @BeforeEach
  void useAFolder(@TempDir Path folder) {
    threads = new TransferredThreads(GATEWAY, DATABASE, ELSEWHERE, folder);
  }

  @Test
  void aThreadIsImportedAsAWholeOrNotAtAll() throws Exception {
    threads.make("half");
    Path file = threads.export(DATABASE, "half", "half");
    List<String> lines = Files.readAllLines(file);
    Files.write(file, lines.subList(0, lines.size() - 5));

    assertThat(threads.importing(file, "fail").failure()).contains("ends in the middle");

    assertThat(OTHER.get("/v1/memory/threads/half").statusCode()).isEqualTo(404);
    List<String> without = new ArrayList<>(lines);
    without.remove(10);
    Files.write(file, without);
    assertThat(threads.importing(file, "fail").failure())
        .contains("Line 305: message_gaps.deleted");
    Files.write(file, List.of("{\"type\":\"thread\",\"format\":2}"));
    assertThat(threads.importing(file, "fail").failure()).contains("newer version");
    assertThat(OTHER.get("/v1/memory/threads/half").statusCode()).isEqualTo(404);
  }

  @Test
  void anExportOfNothingLeavesTheFileThatWasThere(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("kept"), "before");
    assertThat(
            new CommandLine()
                .with(DATABASE)
                .run(
                    "thread",
                    "export",
                    "--project",
                    "test",
                    "--thread",
                    "nobody",
                    "--to",
                    file.toString(),
                    "config.yml")
                .failure())
        .contains("no such thread");
    assertThat(file).hasContent("before");
  }

  @Test
  void everyColumnIsCarriedOrLeftOutOnPurpose() {
    for (ThreadTable table : ThreadTable.exported()) {
      List<String> columns = columns(table.tableName());
      assertThat(columns).as(table.name()).containsAll(LEFT_OUT.get(table));
      columns.removeAll(LEFT_OUT.get(table));
      assertThat(table.columns()).as(table.name()).containsExactlyInAnyOrderElementsOf(columns);
    }
  }

  @Test
  void aFileTakesNoColumnThatTheExportDoesNotWriteAndLeavesNothing() throws Exception {
    threads.make("columns");
    Path file = threads.export(DATABASE, "columns", "columns");
    List<String> lines = Files.readAllLines(file);
    String before = threadsElsewhere();
    for (var table : LEFT_OUT.entrySet()) {
      for (String column : table.getValue()) {
        assertThat(refused(file, lines, table.getKey().tableName(), row -> row.put(column, 7)))
            .as(column)
            .contains("and nothing else");
      }
    }
    assertThat(threadsElsewhere()).isEqualTo(before);
  }

  /** And what this one exports by the version before, whose rows have no recall_scope. */
  @Test
  void whatTheVersionBeforeHasExportedIsImported() throws Exception {
    threads.make("earlier");
    Path file = threads.export(DATABASE, "earlier", "earlier");
    List<String> lines = Files.readAllLines(file);
    for (String added : ThreadExport.ADDED) {
      assertThat(lines).noneMatch(line -> line.contains(added));
    }
    assertThat(refused(file, lines, "observation_states", row -> row.remove("observed_seq")))
        .contains("and nothing else");
    assertThat(refused(file, lines, "threads", row -> row.remove("metadata")))
        .contains("and nothing else");
    Files.write(file, lines);
    assertThat(threads.importing(file, "fail").err()).isEmpty();
    assertThat(threads.export(ELSEWHERE, "earlier", "copy")).hasContent(String.join("\n", lines));

    threads.make("scoped");
    DATABASE
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "UPDATE observation_states SET recall_scope = 'thread' WHERE thread_id ="
                        + " (SELECT id FROM threads WHERE public_id = 'scoped')"));
    threads.transfer("scoped");
    assertThat(threads.export(ELSEWHERE, "scoped", "copy"))
        .content()
        .contains("\"recall_scope\":\"thread\"");
  }

  @Tag("heavy")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "threads | public_id | \"\" | an id",
        "threads | public_id | \"a\\u0000\" | an id",
        "threads | public_id | 7 | an id",
        "threads | metadata | \"{{{\" | right kind",
        "threads | metadata | \"[1]\" | right kind",
        "threads | created_at | \"yesterday\" | a time",
        "threads | created_at | \"-0900-01-01T00:00:00Z\" | a time",
        "threads | created_at | \"1969-12-31T23:59:59Z\" | a time",
        "threads | title | 5 | a text",
        "thread_heads | base_seq | -1 | from 0",
        "thread_heads | base_seq | 400 | base_seq",
        "thread_heads | next_seq | 9223372036854775807 | from 0",
        "thread_heads | next_seq | 99999999999999999999 | from 0",
        "thread_heads | next_seq | 100000 | lacks",
        "thread_heads | next_seq | 5 | seq",
        "messages | role | \"root\" | one of",
        "messages | type | \"x\" | one of",
        "messages | content | \"{{{\" | right kind",
        "messages | content | \"7\" | right kind",
        "messages | content | \"\\ufeff\\\"a\\\"\" | right kind",
        "threads | metadata | \"\\ufeff{}\" | right kind",
        "messages | content | \"\\\"a\\\" 1\" | right kind",
        "messages | content | null | right kind",
        "messages | created_at | \"1582-12-31T23:59:59Z\" | a time",
        "messages | created_at | \"+10000-01-01T00:00:00Z\" | a time",
        "messages | seq | -5 | from 0",
        "messages | seq | 100 | seq",
        "messages | seq | 1.5 | whole number",
        "messages | incomplete | 2 | from 0 to 1",
        "message_gaps | deleted | 2 | lacks",
        "message_gaps | block | 9 | lacks",
        "observation_states | time_zone | \"Europe/Berln\" | time zone",
        "observation_states | observed_seq | 99999 | observed_seq",
        "observation_states | message_tokens | 0 | from 1",
        "observation_records | origin_type | \"x\" | one of",
        "observation_records | config | \"[\" | right kind",
        "observation_records | observation_tokens | -1 | from 0",
        "observation_records | public_id | \"x\" | a UUID",
        "observation_records | generation | -1 | from 0",
        "observation_chunks | message_ids | \"[1]\" | array of strings",
        "observation_chunks | last_seq | 99999 | last_seq",
        "observation_chunks | cycle_id | \"\" | ASCII",
      })
  void aFileHoldsWhatTheApiCouldStore(String table, String column, String value, String fault)
      throws Exception {
    if (GATEWAY.get("/v1/memory/threads/values").statusCode() == 404) {
      threads.make("values");
    }
    Path file = threads.export(DATABASE, "values", "values");
    List<String> lines = Files.readAllLines(file);
    String before = threadsElsewhere();
    assertThat(
            refused(
                file,
                lines,
                table,
                row -> {
                  try {
                    row.set(column, JSON.readTree(value));
                  } catch (JsonProcessingException e) {
                    throw new UncheckedIOException(e);
                  }
                }))
        .startsWith("Line ")
        .contains(fault);
    assertThat(threadsElsewhere()).isEqualTo(before);
  }

  /** Two exports in one file, of which one is known: nothing of it is imported, or what is new. */
  @Test
  void aFileWithAThreadThatIsThereIsRefusedAsAWholeOrContinued() throws Exception {
    threads.make("new");
    threads.make("known");
    Path file = threads.export(DATABASE, "new", "new");
    List<String> fresh = Files.readAllLines(file);
    List<String> known = Files.readAllLines(threads.export(DATABASE, "known", "known"));
    Files.write(file, Lists.newArrayList(Iterables.concat(fresh, fresh)));
    String before = threadsElsewhere();

    assertThat(threads.importing(file, "fail").failure()).contains("new stands there twice");
    assertThat(threadsElsewhere()).isEqualTo(before);

    threads.transfer("known");
    before = threadsElsewhere();
    Files.write(file, Lists.newArrayList(Iterables.concat(fresh, known)));
    assertThat(threads.importing(file, "fail").failure()).contains("known is there already");
    assertThat(threadsElsewhere()).isEqualTo(before);

    Files.write(file, Lists.newArrayList(Iterables.concat(fresh, known, fresh)));
    JsonNode report = JSON.readTree(threads.importing(file, "skip").out());
    assertThat(report.path("threads").asInt()).isEqualTo(1);
    assertThat(report.path("skipped").asInt()).isEqualTo(2);
  }

  @Test
  void rowsThatStandThereTwiceOrInAnotherOrderAreRefused() throws Exception {
    threads.make("rows");
    Path file = threads.export(DATABASE, "rows", "rows");
    List<String> lines = Files.readAllLines(file);
    String before = threadsElsewhere();
    for (String table :
        List.of("threads", "thread_heads", "messages", "message_gaps", "observation_records")) {
      List<String> twice = new ArrayList<>(lines);
      int row = indexOf(lines, table);
      twice.add(row, lines.get(row));
      Files.write(file, twice);
      assertThat(threads.importing(file, "fail").failure()).as(table).startsWith("Line ");
    }
    List<String> early = new ArrayList<>(lines);
    early.add(1, early.remove(indexOf(lines, "observation_records")));
    Files.write(file, early);
    assertThat(threads.importing(file, "fail").failure()).contains("order of the export");
    List<String> without = new ArrayList<>(lines);
    without.remove(indexOf(lines, "observation_states"));
    Files.write(file, without);
    assertThat(threads.importing(file, "fail").failure())
        .contains("lacks its row of observation_states");
    assertThat(refused(file, lines, "messages", row -> row.put("public_id", "first")))
        .contains("'first' stands there twice");
    assertThat(threadsElsewhere()).isEqualTo(before);
  }

  /** Changes the last row of a table in a file, and returns why the import refuses it. */
  private String refused(Path file, List<String> lines, String table, Consumer<ObjectNode> change)
      throws IOException {
    List<String> changed = new ArrayList<>(lines);
    int last = indexOf(lines, table);
    while (changed.get(last + 1).contains("\"table\":\"" + table + "\"")) {
      last++;
    }
    ObjectNode line = (ObjectNode) JSON.readTree(changed.get(last));
    change.accept((ObjectNode) line.get("values"));
    changed.set(last, JSON.writeValueAsString(line));
    Files.write(file, changed);
    ThreadImport elsewhere = new ThreadImport(ELSEWHERE.jdbi(), false);
    return assertThrows(ApiException.class, () -> elsewhere.read(1, file)).error().message();
  }

  private static int indexOf(List<String> lines, String table) {
    int at = 0;
    while (!lines.get(at).contains("\"table\":\"" + table + "\"")) {
      at++;
    }
    return at;
  }

  private static List<String> columns(String table) {
    return DATABASE
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT column_name FROM information_schema.columns WHERE table_schema ="
                            + " DATABASE() AND table_name = :table")
                    .bind("table", table)
                    .mapTo(String.class)
                    .list());
  }

  /** The number of threads, and of ids that were taken for them. */
  private static String threadsElsewhere() throws Exception {
    try (Connection connection = ELSEWHERE.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT CONCAT((SELECT COUNT(*) FROM threads), '/', (SELECT SUM(next_id) FROM"
                    + " id_blocks))")) {
      row.next();
      return row.getString(1);
    }
  }
}
