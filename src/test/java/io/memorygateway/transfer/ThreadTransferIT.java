package io.memorygateway.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.CommandLine;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.ThreadTable;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.sqlobject.SqlObjectPlugin;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is exported from one database and imported into another is the same thread. */
class ThreadTransferIT {
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
  static final TestGateway GATEWAY = withoutObservers(DATABASE);

  @Order(5)
  @RegisterExtension
  static final TestGateway OTHER = withoutObservers(ELSEWHERE);

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
              "call_state"),
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

  @TempDir Path folder;

  @Test
  void everythingThatClientsSeeIsTheSameAfterwards() throws Exception {
    makeThread("trip/ä%😀");

    JsonNode report = transfer("trip/ä%😀");

    assertThat(report.path("threads").asInt()).isEqualTo(1);
    assertThat(report.path("messages").asInt()).isEqualTo(302);
    String thread = "/v1/memory/threads/trip%2F%C3%A4%25%F0%9F%98%80";
    for (String path :
        List.of(
            "/messages?limit=200",
            "/messages?limit=200&offset=200",
            "/messages/first",
            "/observations",
            "/observations/record",
            "/observations/history")) {
      assertThat(OTHER.get(thread + path).body())
          .as(path)
          .isEqualTo(GATEWAY.get(thread + path).body())
          .doesNotContain("\"error\"");
    }
    JsonNode here = JSON.readTree(GATEWAY.get(thread).body()).path("thread");
    JsonNode there = JSON.readTree(OTHER.get(thread).body()).path("thread");
    for (String member :
        List.of("id", "resourceId", "title", "metadata", "createdAt", "updatedAt")) {
      assertThat(there.path(member)).isEqualTo(here.path(member));
    }
    JsonNode list = JSON.readTree(OTHER.get("/v1/memory/threads?resourceId=r%20%2F").body());
    assertThat(list.path("threads").findValuesAsText("id")).contains("trip/ä%😀");
    assertThat(list.path("total").asInt()).isEqualTo(list.path("threads").size());
    // It goes on there: the next message stands at its end.
    OTHER.post(thread + "/messages", "{\"messages\":[{\"role\":\"user\",\"content\":\"next\"}]}");
    assertThat(OTHER.get(thread + "/messages?limit=1&order=desc").body()).contains("next");
  }

  @Test
  void noConnectionIsHeldWhileAThreadIsWritten() throws Exception {
    makeThread("slow");
    makeThread("slower");
    AtomicInteger open = new AtomicInteger();
    List<Integer> openWhileWriting = new ArrayList<>();
    Jdbi counted =
        Jdbi.create(
                new ConnectionFactory() {
                  @Override
                  public Connection openConnection() throws SQLException {
                    open.incrementAndGet();
                    return DATABASE.connect();
                  }

                  @Override
                  public void closeConnection(Connection connection) throws SQLException {
                    open.decrementAndGet();
                    connection.close();
                  }
                })
            .installPlugin(new SqlObjectPlugin());
    long project =
        counted.withHandle(
            handle ->
                handle
                    .createQuery("SELECT id FROM projects WHERE name = 'test'")
                    .mapTo(Long.class)
                    .one());
    OutputStream reader =
        new OutputStream() {
          @Override
          public void write(int one) {
            openWhileWriting.add(open.get());
          }
        };

    assertThat(new ThreadExport(counted).write(project, null, null, reader))
        .isGreaterThanOrEqualTo(2);
    assertThat(openWhileWriting).isNotEmpty().containsOnly(0);
  }

  @Test
  void exportedAgainItIsTheSameFile() throws Exception {
    makeThread("again");
    transfer("again");

    assertThat(export(ELSEWHERE, "again", "copy"))
        .hasSameTextualContentAs(export(DATABASE, "again", "original"));
  }

  @Test
  void everyTimeThatTheApiTakesIsImported() throws Exception {
    List<String> times =
        List.of(
            "1969-12-31T23:59:59.999Z",
            "1583-01-01T00:00:00.000Z",
            "1900-02-28T23:59:59.000Z",
            "9999-12-31T23:59:59.999Z");
    GATEWAY.post("/v1/memory/threads", "{\"id\":\"times\",\"resourceId\":\"r\"}");
    for (String time : times) {
      assertThat(storedAt(time)).isEqualTo(201);
    }
    assertThat(storedAt("1582-12-31T23:59:59.999Z")).isEqualTo(400);

    transfer("times");

    for (TestGateway gateway : List.of(GATEWAY, OTHER)) {
      JsonNode list =
          JSON.readTree(gateway.get("/v1/memory/threads/times/messages").body()).path("messages");
      assertThat(list.findValuesAsText("createdAt")).isEqualTo(times);
    }
    // As earlier versions took them.
    DATABASE
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "UPDATE messages SET created_at = '1582-10-10 12:00:00' WHERE created_at <"
                        + " '1600-01-01'"));
    assertThat(export(DATABASE, "times", "early")).content().contains("1582-10-10T12:00:00Z");
  }

  private static int storedAt(String time) throws Exception {
    String message = "{\"role\":\"user\",\"content\":\"x\",\"createdAt\":\"" + time + "\"}";
    return GATEWAY
        .post("/v1/memory/threads/times/messages", "{\"messages\":[" + message + "]}")
        .statusCode();
  }

  @Test
  void aThreadOfMoreRowsThanAStatementReadsIsExportedWhole() throws Exception {
    makeThread("long");
    String many =
        IntStream.range(0, 700)
            .mapToObj(i -> "{\"role\":\"user\",\"content\":\"more " + i + "\"}")
            .collect(Collectors.joining(",", "{\"messages\":[", "]}"));
    GATEWAY.post("/v1/memory/threads/long/messages", many);

    assertThat(transfer("long").path("messages").asInt()).isEqualTo(1_002);
    Path original = export(DATABASE, "long", "original");
    assertThat(Files.readAllLines(original))
        .filteredOn(line -> line.contains("more "))
        .hasSize(700);
    assertThat(export(ELSEWHERE, "long", "copy")).hasSameTextualContentAs(original);
  }

  @Test
  void aThreadIsImportedAsAWholeOrNotAtAll() throws Exception {
    makeThread("half");
    Path file = export(DATABASE, "half", "half");
    List<String> lines = Files.readAllLines(file);
    Files.write(file, lines.subList(0, lines.size() - 5));

    assertThat(importing(file, "fail").failure()).contains("ends in the middle");

    assertThat(OTHER.get("/v1/memory/threads/half").statusCode()).isEqualTo(404);
    List<String> without = new ArrayList<>(lines);
    without.remove(10);
    Files.write(file, without);
    assertThat(importing(file, "fail").failure()).contains("Line 305: message_gaps.deleted");
    Files.write(file, List.of("{\"type\":\"thread\",\"format\":2}"));
    assertThat(importing(file, "fail").failure()).contains("newer version");
    assertThat(OTHER.get("/v1/memory/threads/half").statusCode()).isEqualTo(404);
  }

  @Tag("heavy")
  @Test
  void aThreadThatIsThereAlreadyIsAnErrorOrPassedOver() throws Exception {
    makeThread("twice");
    transfer("twice");
    Path file = export(DATABASE, "twice", "twice");

    assertThat(importing(file, "fail").failure()).contains("twice").contains("there already");
    JsonNode report = JSON.readTree(importing(file, "skip").out());
    assertThat(report.path("skipped").asInt()).isEqualTo(1);
    assertThat(report.path("threads").asInt()).isZero();
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
    makeThread("columns");
    Path file = export(DATABASE, "columns", "columns");
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
    makeThread("earlier");
    Path file = export(DATABASE, "earlier", "earlier");
    List<String> lines = Files.readAllLines(file);
    for (String added : ThreadExport.ADDED) {
      assertThat(lines).noneMatch(line -> line.contains(added));
    }
    assertThat(refused(file, lines, "observation_states", row -> row.remove("observed_seq")))
        .contains("and nothing else");
    assertThat(refused(file, lines, "threads", row -> row.remove("metadata")))
        .contains("and nothing else");
    Files.write(file, lines);
    assertThat(importing(file, "fail").err()).isEmpty();
    assertThat(export(ELSEWHERE, "earlier", "copy")).hasContent(String.join("\n", lines));

    makeThread("scoped");
    DATABASE
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "UPDATE observation_states SET recall_scope = 'thread' WHERE thread_id ="
                        + " (SELECT id FROM threads WHERE public_id = 'scoped')"));
    transfer("scoped");
    assertThat(export(ELSEWHERE, "scoped", "copy"))
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
      makeThread("values");
    }
    Path file = export(DATABASE, "values", "values");
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

  @Test
  void rowsThatStandThereTwiceOrInAnotherOrderAreRefused() throws Exception {
    makeThread("rows");
    Path file = export(DATABASE, "rows", "rows");
    List<String> lines = Files.readAllLines(file);
    String before = threadsElsewhere();
    for (String table :
        List.of("threads", "thread_heads", "messages", "message_gaps", "observation_records")) {
      List<String> twice = new ArrayList<>(lines);
      int row = indexOf(lines, table);
      twice.add(row, lines.get(row));
      Files.write(file, twice);
      assertThat(importing(file, "fail").failure()).as(table).startsWith("Line ");
    }
    List<String> early = new ArrayList<>(lines);
    early.add(1, early.remove(indexOf(lines, "observation_records")));
    Files.write(file, early);
    assertThat(importing(file, "fail").failure()).contains("order of the export");
    List<String> without = new ArrayList<>(lines);
    without.remove(indexOf(lines, "observation_states"));
    Files.write(file, without);
    assertThat(importing(file, "fail").failure()).contains("lacks its row of observation_states");
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

  @Test
  void wrongWordsAreSaidInOneLine() {
    CommandLine gateway = new CommandLine().with(DATABASE);
    assertThat(gateway.run("thread", "export", "--project", "nobody", "config.yml").failure())
        .contains("no such project");
    assertThat(
            gateway
                .run("thread", "export", "--project", "test", "--thread", "none", "config.yml")
                .failure())
        .contains("no such thread");
    assertThat(
            gateway
                .run("thread", "import", "--project", "test", "--from", "/none", "config.yml")
                .failure())
        .contains("no file");
    assertThat(gateway.run("thread", "export", "--help").status()).isZero();
  }

  private static void makeThread(String id) throws Exception {
    GATEWAY.post(
        "/v1/memory/threads",
        "{\"id\":\"%s\",\"resourceId\":\"r /\",\"title\":\"T\\n\",\"metadata\":{\"b\":1.10,\"a\":[ 1e5 ]}}"
            .formatted(id));
    String path =
        "/v1/memory/threads/"
            + java.net.URLEncoder.encode(id, java.nio.charset.StandardCharsets.UTF_8)
            + "/messages";
    GATEWAY.post(
        path,
        "{\"messages\":[{\"id\":\"first\",\"role\":\"user\",\"content\":[ {\"type\":\"text\",\n\"text\":\"a\\u00e4 \\\"q\\\"\",\"n\":1.500}],\"createdAt\":\"2025-01-01T00:00:00.120Z\"}]}");
    StringBuilder many =
        new StringBuilder("{\"messages\":[{\"id\":\"gone\",\"role\":\"user\",\"content\":\"x\"}");
    for (int i = 0; i < 301; i++) {
      many.append(",{\"role\":\"assistant\",\"content\":\"message ").append(i).append("\"}");
    }
    GATEWAY.post(path, many + "]}");
    GATEWAY.send(GATEWAY.request(path + "/gone").DELETE());
    observe(id);
  }

  private static void observe(String thread) throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      String id = "(SELECT id FROM threads WHERE public_id = '" + thread + "')";
      statement.execute(
          "INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens, total_tokens_observed, config, created_at, updated_at) VALUES ("
              + id
              + ", 0, UUID(), 'observation', 'first\n\"line\"', 1, 1, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))");
      statement.execute(
          "REPLACE INTO observation_states (thread_id, message_tokens, observed_seq, time_marks, time_zone) VALUES ("
              + id
              + ", 5, 1, 1, 'Europe/Berlin')");
      statement.execute(
          "INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids, message_tokens, last_observed_at, created_at) VALUES ("
              + id
              + ", 1, UUID(), 'c', 'x', 1, '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))");
    }
  }

  /** A gateway that changes no thread by itself. */
  private static TestGateway withoutObservers(TestDatabase database) {
    return new TestGateway(database, UPSTREAM)
        .configured(config -> config.withObject("/observation").put("workers", 0));
  }

  private JsonNode transfer(String id) throws Exception {
    CommandLine.Outcome outcome = importing(export(DATABASE, id, "file"), "fail");
    assertThat(outcome.err()).isEmpty();
    return JSON.readTree(outcome.out());
  }

  private Path export(TestDatabase database, String id, String name) {
    Path file = folder.resolve(name);
    CommandLine.Outcome outcome =
        new CommandLine()
            .with(database)
            .run(
                "thread",
                "export",
                "--project",
                "test",
                "--thread",
                id,
                "--to",
                file.toString(),
                "config.yml");
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).isEmpty();
    return file;
  }

  private CommandLine.Outcome importing(Path file, String existing) {
    return new CommandLine()
        .with(ELSEWHERE)
        .run(
            "thread",
            "import",
            "--project",
            "test",
            "--existing",
            existing,
            "--from",
            file.toString(),
            "config.yml");
  }
}
