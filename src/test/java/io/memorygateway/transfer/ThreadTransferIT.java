package io.memorygateway.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

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
  static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  @Order(5)
  @RegisterExtension
  static final TestGateway OTHER = new TestGateway(ELSEWHERE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();

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
  void exportedAgainItIsTheSameFile() throws Exception {
    makeThread("again");
    transfer("again");

    assertThat(export(ELSEWHERE, "again", "copy"))
        .hasSameTextualContentAs(export(DATABASE, "again", "original"));
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
    assertThat(importing(file, "fail").failure()).contains("Rows of a thread are missing");
    Files.write(file, List.of("{\"type\":\"thread\",\"format\":2}"));
    assertThat(importing(file, "fail").failure()).contains("newer version");
    assertThat(OTHER.get("/v1/memory/threads/half").statusCode()).isEqualTo(404);
  }

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
  void everyTableOfThreadsIsCarriedOrLeftOnPurpose() throws Exception {
    List<String> tables = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT table_name FROM information_schema.columns WHERE table_schema = DATABASE() AND column_name = 'thread_id'")) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    tables.removeAll(ThreadTables.NOT_EXPORTED);

    assertThat(ThreadTables.CHILDREN)
        .extracting(ThreadTables.ThreadTable::name)
        .containsExactlyInAnyOrderElementsOf(tables);
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
          "INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids, message_tokens, last_observed_at, created_at) VALUES ("
              + id
              + ", 1, UUID(), 'c', 'x', 1, '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))");
    }
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
