package io.memorygateway.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
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
  static final TestGateway GATEWAY = TransferredThreads.gateway(DATABASE, UPSTREAM);

  @Order(5)
  @RegisterExtension
  static final TestGateway OTHER = TransferredThreads.gateway(ELSEWHERE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();

  private TransferredThreads threads;

  @BeforeEach
  void useAFolder(@TempDir Path folder) {
    threads = new TransferredThreads(GATEWAY, DATABASE, ELSEWHERE, folder);
  }

  @Test
  void everythingThatClientsSeeIsTheSameAfterwards() throws Exception {
    threads.make("trip/ä%😀");

    JsonNode report = threads.transfer("trip/ä%😀");

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
    threads.make("slow");
    threads.make("slower");
    AtomicInteger open = new AtomicInteger();
    List<Integer> openWhileWriting = new ArrayList<>();
    Jdbi counted =
        SqlObjects.install(
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
                }));
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
    threads.make("again");
    threads.transfer("again");

    assertThat(threads.export(ELSEWHERE, "again", "copy"))
        .hasSameTextualContentAs(threads.export(DATABASE, "again", "original"));
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

    threads.transfer("times");

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
    assertThat(threads.export(DATABASE, "times", "early"))
        .content()
        .contains("1582-10-10T12:00:00Z");
  }

  private static int storedAt(String time) throws Exception {
    String message = "{\"role\":\"user\",\"content\":\"x\",\"createdAt\":\"" + time + "\"}";
    return GATEWAY
        .post("/v1/memory/threads/times/messages", "{\"messages\":[" + message + "]}")
        .statusCode();
  }

  @Tag("heavy")
  @Test
  void aThreadOfMoreRowsThanAStatementReadsIsExportedWhole() throws Exception {
    threads.make("long");
    String many =
        IntStream.range(0, 700)
            .mapToObj(i -> "{\"role\":\"user\",\"content\":\"more " + i + "\"}")
            .collect(Collectors.joining(",", "{\"messages\":[", "]}"));
    GATEWAY.post("/v1/memory/threads/long/messages", many);

    assertThat(threads.transfer("long").path("messages").asInt()).isEqualTo(1_002);
    Path original = threads.export(DATABASE, "long", "original");
    assertThat(Files.readAllLines(original))
        .filteredOn(line -> line.contains("more "))
        .hasSize(700);
    assertThat(threads.export(ELSEWHERE, "long", "copy")).hasSameTextualContentAs(original);
  }

  @Tag("heavy")
  @Test
  void aThreadThatIsThereAlreadyIsAnErrorOrPassedOver() throws Exception {
    threads.make("twice");
    threads.transfer("twice");
    Path file = threads.export(DATABASE, "twice", "twice");

    assertThat(threads.importing(file, "fail").failure())
        .contains("twice")
        .contains("there already");
    JsonNode report = JSON.readTree(threads.importing(file, "skip").out());
    assertThat(report.path("skipped").asInt()).isEqualTo(1);
    assertThat(report.path("threads").asInt()).isZero();
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
}
