package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code check} and {@code purge}. */
class OperatorCommandsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  @Test
  void checkLooksAtTheDatabaseToo() throws Exception {
    CommandLine.Outcome good = new CommandLine().with(DATABASE).run("check", "config.yml");
    assertThat(good.status()).as(good.err()).isZero();
    assertThat(good.out()).contains("configuration: good", "every migration", "grants: enough");

    String nowhere = "jdbc:mysql://127.0.0.1:" + FakeUpstream.closedPort() + "/x";
    CommandLine gone = new CommandLine().with(DATABASE).with("DATABASE_URL", nowhere);
    assertThat(gone.run("check", "config.yml").failure()).contains("database.url", "refused");
    assertThat(gone.run("check", "--database", "no", "config.yml").status()).isZero();
    assertThat(gone.run("check", "--help").out()).contains("--database");
  }

  @ParameterizedTest
  @CsvSource({
    "initializationQuery, SELECT zebra",
    "jdbcInterceptors, Zebra",
    "defaultCatalog, zebra",
  })
  void checkTriesThePool(String key, String value, @TempDir Path folder) throws Exception {
    CommandLine gateway = new CommandLine().with(DATABASE);
    String file =
        CommandLine.config(folder, config -> config.withObject("/database").put(key, value));

    assertThat(gateway.run("check", file).failure())
        .contains("database: the pool makes no connection");
  }

  /** What a start cannot write, or read of a logger, is told by check as well. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/logging/appenders/0|{\"type\":\"file\",\"currentLogFilename\":\"FILE/x.log\",\"archive\":false}|logging.appenders: the file",
        "/logging/appenders/0|{\"type\":\"file\",\"currentLogFilename\":\"FOLDER\",\"archive\":false}|logging.appenders: the file",
        "/logging/appenders/0|{\"type\":\"file\",\"currentLogFilename\":\"FOLDER/x.log\",\"archivedLogFilenamePattern\":\"FILE/x-%d.log\"}|logging.appenders: the file",
        "/logging/loggers/io.memorygateway.access/appenders/0|{\"type\":\"file\",\"currentLogFilename\":\"FILE/x.log\",\"archive\":false}|logging.loggers.io.memorygateway.access.appenders: the file",
        "/logging/loggers/io.memorygateway.access/appenders/0|{\"type\":\"zebra\"}|logging.loggers.io.memorygateway.access.appenders.[0]: must be of one of the types",
        "/logging/loggers/io.memorygateway.access/appenders/0|{\"type\":\"console\",\"queue\":1}|logging.loggers.io.memorygateway.access: queue is unrecognized",
        "/server/requestLog|{\"appenders\":[{\"type\":\"file\",\"currentLogFilename\":\"FILE/x.log\",\"archive\":false}]}|server.requestLog.appenders: the file",
      })
  void checkSeesWhereTheLogGoes(String at, String value, String told, @TempDir Path folder)
      throws Exception {
    String name = Files.createFile(folder.resolve("a-file")).toString();
    JsonNode odd =
        new ObjectMapper().readTree(value.replace("FILE", name).replace("FOLDER", folder + "/"));
    JsonPointer pointer = JsonPointer.compile(at);
    String file =
        CommandLine.config(
            folder,
            config -> {
              JsonNode parent = config.at(pointer.head());
              if (parent instanceof ArrayNode list) {
                list.set(0, odd);
              } else {
                ((ObjectNode) parent).set(pointer.last().getMatchingProperty(), odd);
              }
            });

    CommandLine gateway = new CommandLine().with(DATABASE);
    assertThat(gateway.run("check", "--database", "no", file).failure()).contains(told);
    assertThat(folder.resolve("x.log")).doesNotExist();
  }

  @Test
  void theTasksAreListedWithTheirParameters() throws Exception {
    JsonNode tasks =
        new ObjectMapper()
            .readTree(
                GATEWAY
                    .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks")))
                    .body())
            .path("tasks");
    assertThat(tasks.findValuesAsText("name"))
        .contains("drain", "key-issue", "purge", "storage", "usage", "gc", "log-level", "circuit");
    assertThat(tasks.toString()).contains("age from which rows of the request log go");
  }

  @Test
  void checkTriesThePorts() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CommandLine gateway =
          new CommandLine()
              .with(DATABASE)
              .with("GATEWAY_ADMIN_PORT", Integer.toString(taken.getLocalPort()));
      CommandLine.Outcome beside = gateway.run("check", "config.yml");
      assertThat(beside.status()).as(beside.err()).isZero();
      assertThat(beside.out()).contains("server: 127.0.0.1:" + taken.getLocalPort() + " is in use");
    }
    assertThat(
            new CommandLine()
                .with(DATABASE)
                .with("GATEWAY_ADMIN_HOST", "192.0.2.1")
                .with("GATEWAY_ADMIN_AUTH", "token")
                .run("check", "config.yml")
                .failure())
        .startsWith("server: 192.0.2.1:");
  }

  @Test
  void checkCountsThreadsOfWhichRowsAreLeft() throws Exception {
    CommandLine gateway = new CommandLine().with(DATABASE);
    assertThat(gateway.run("check", "config.yml").out()).doesNotContain("threads:");
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO observation_states (thread_id) VALUES (987654321)");
      assertThat(gateway.run("check", "config.yml").out()).contains("threads: rows of 1 are left");
      assertThat(GATEWAY.task("purge").path("orphanedThreads").asInt()).isEqualTo(1);
    }
    assertThat(gateway.run("check", "config.yml").out()).doesNotContain("threads:");
  }

  @Test
  void checkTellsThatTheSchemaIsOfANewerVersion() throws Exception {
    CommandLine gateway = new CommandLine().with(DATABASE);
    assertThat(gateway.run("check", "config.yml").out()).doesNotContain("newer version");
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO DATABASECHANGELOG (ID, AUTHOR, FILENAME, DATEEXECUTED, ORDEREXECUTED, EXECTYPE)"
              + " VALUES ('zebra', 'zebra', 'zebra.sql', NOW(), 9999, 'EXECUTED')");
      assertThat(gateway.run("check", "config.yml").out())
          .contains("warning: the schema has 1 migrations of a newer version");
      statement.execute("DELETE FROM DATABASECHANGELOG WHERE ID = 'zebra'");
    }
  }

  /** Neither with an empty schema nor with a whole one. */
  @Test
  void checkChangesNothing() throws Exception {
    String schema = DATABASE.url().replaceFirst("^.*/(gateway_[0-9a-f]+).*$", "$1");
    String empty = schema.replace("gateway_", "empty_");
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + empty);
      try {
        assertThat(
                new CommandLine()
                    .with(DATABASE)
                    .with("DATABASE_URL", DATABASE.url().replace(schema, empty))
                    .run("check", "config.yml")
                    .failure())
            .containsPattern("[1-9][0-9]* migrations are missing")
            .contains("db migrate", "account for migrations");
        try (ResultSet tables =
            statement.executeQuery(
                "SELECT 1 FROM information_schema.tables WHERE table_schema = '" + empty + "'")) {
          assertThat(tables.next()).isFalse();
        }
      } finally {
        statement.execute("DROP DATABASE " + empty);
      }
      statement.execute("DELETE FROM leases");
      assertThat(new CommandLine().with(DATABASE).run("check", "config.yml").status()).isZero();
      try (ResultSet leases =
          statement.executeQuery("SELECT 1 FROM leases WHERE name LIKE '%probe%'")) {
        assertThat(leases.next()).isFalse();
      }
    }
  }

  @Test
  void purgeRemovesWhatIsOldAndSaysHowMuch() throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO request_log (started_at, id, project_id, key_id, request_id, endpoint, provider, model, status, stream, duration_ms,
            attempt, outcome, attempt_status, attempt_ms)
          VALUES (UTC_TIMESTAMP(3) - INTERVAL 10 DAY, 1, 1, 1, 'a', 'chat', 'p', 'm', 200, 0, 1, 1, 'answered', 200, 1),
                 (UTC_TIMESTAMP(3) - INTERVAL 100 DAY, 2, 1, 1, 'b', 'chat', 'p', 'm', 200, 0, 1, 1, 'answered', 200, 1)
          """);
      statement.execute(
          """
          INSERT INTO idempotency_keys (project_id, key_hash, request_hash, status, created_at)
          VALUES (1, UNHEX(REPEAT('a1', 32)), UNHEX(REPEAT('a2', 32)), 200, UTC_TIMESTAMP(3) - INTERVAL 2 DAY)
          """);
      statement.execute("INSERT INTO rate_limit_windows (key_id, touched_at) VALUES (99999, 1)");
    }

    JsonNode removed = GATEWAY.task("purge");
    assertThat(removed.path("requestLog").asInt()).isEqualTo(1);
    assertThat(removed.path("idempotencyKeys").asInt()).isEqualTo(1);
    assertThat(removed.path("formerMessages").isInt()).isTrue();
    assertThat(removed.path("rateLimitWindows").asInt()).isEqualTo(1);

    CommandLine gateway = new CommandLine().with(DATABASE);
    CommandLine.Outcome outcome = gateway.run("purge", "--requestLog", "5d", "config.yml");
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(new ObjectMapper().readTree(outcome.out()).path("requestLog").asInt()).isEqualTo(1);
    assertThat(gateway.run("purge", "--requestLog", "soon", "config.yml").failure())
        .contains("requestLog", "duration");
    assertThat(gateway.run("purge", "--help").out()).contains("--requestLog");
  }
}
