package io.memorygateway.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.database.Transactions;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: every act of an operator is in the audit log, and nobody changes it unnoticed. */
class AuditIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final CommandLine command = new CommandLine().with(DATABASE);

  @AfterEach
  void theLogIsWholeAgain() throws Exception {
    assertThat(verify().status()).isZero();
  }

  @Test
  void anActOnAKeyIsRecordedWithWhoWhatBeforeAndAfter() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=audited&name=backend");
    String id = issued.path("id").asText();
    GATEWAY.task("key-limits?id=" + id + "&rule=memory_read&limit=7");
    CommandLine.Outcome rotated = command.run("key", "rotate", "--id", id, "config.yml");
    assertThat(rotated.status()).as(rotated.err()).isZero();
    GATEWAY.task("key-revoke?id=" + id);

    List<JsonNode> rows = about(id);
    assertThat(rows)
        .extracting(row -> row.path("action").asText())
        .containsExactly("key-issue", "key-limits", "key-rotate", "key-revoke");
    JsonNode issue = rows.get(0);
    assertThat(issue.path("before").isNull()).isTrue();
    assertThat(issue.path("after").path("project").asText()).isEqualTo("audited");
    assertThat(issue.path("source").asText()).isEqualTo("127.0.0.1");
    assertThat(issue.path("requestId").asText()).isNotEmpty();
    assertThat(issue.path("outcome").asText()).isEqualTo("done");
    JsonNode limits = rows.get(1);
    assertThat(limits.path("before").path("limits")).isEmpty();
    assertThat(limits.path("after").path("limits").path("memory_read").asInt()).isEqualTo(7);
    JsonNode rotate = rows.get(2);
    assertThat(rotate.path("actor").asText()).isEqualTo(System.getProperty("user.name"));
    assertThat(rotate.path("source").asText()).startsWith("command on ");
    assertThat(rotate.path("before").path("prefix"))
        .isNotEqualTo(rotate.path("after").path("prefix"));
    assertThat(rows.get(3).path("before").path("revokedAt").isNull()).isTrue();
    assertThat(rows.get(3).path("after").path("revokedAt").asText()).isNotEmpty();

    assertThat(export())
        .doesNotContain(issued.path("key").asText())
        .doesNotContain(JSON.readTree(rotated.out()).path("key").asText());
  }

  /** All that somebody may insert who cannot compute the chain anew, head included. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -7, 0, 1_000_000, Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void aRowThatWasInsertedIsFoundAndShownEverywhere(long seq) throws Exception {
    GATEWAY.task("key-issue?project=forged&name=backend");
    sql(
        "INSERT INTO audit_log SELECT "
            + seq
            + ", at, 'mallory', role, source, request_id, action, subject, outcome, before_state, after_state,"
            + " previous_hash, hash, NULL FROM audit_log ORDER BY seq DESC LIMIT 1");
    try {
      assertThat(verify().failure()).contains(seq < 1 ? "row " + seq : "row");
      assertThat(admin("/admin/api/audit/verify")).contains("\"ok\":false");
      assertThat(export()).contains("mallory");
      for (String path :
          List.of(
              "/admin/api/audit?actor=mallory",
              "/admin/api/audit?format=csv",
              "/admin/api/audit/export")) {
        assertThat(admin(path)).as(path).contains("mallory");
      }
    } finally {
      sql("DELETE FROM audit_log WHERE actor = 'mallory'");
    }
  }

  @Test
  void whatIsOnlyLookedAtOrRefusedIsNot() throws Exception {
    int before = rows().size();
    GATEWAY.task("key-list");
    GATEWAY.task("usage");
    GATEWAY.task("storage");
    GATEWAY.task("drain?state=show");
    GATEWAY.task("circuit");
    assertThat(command.run("key", "list", "config.yml").status()).isZero();
    assertThat(command.run("key", "revoke", "--id", "nobody", "config.yml").status()).isOne();
    assertThat(rows()).hasSize(before);
  }

  @Test
  void whatIsNotInTheDatabaseIsRecordedTooAndWhatWasAsked() throws Exception {
    GATEWAY.task("log-level?logger=io.memorygateway.zebra&level=DEBUG");
    GATEWAY.task("log-level?logger=io.memorygateway.zebra");
    GATEWAY.task("purge?requestLog=40d");
    List<JsonNode> rows = rows();
    JsonNode level = rows.get(rows.size() - 3);
    assertThat(level.path("action").asText()).isEqualTo("log-level");
    assertThat(level.path("subject").asText()).isEqualTo("io.memorygateway.zebra");
    assertThat(level.path("before").path("level").asText()).isEqualTo("INFO");
    assertThat(level.path("after").path("words").path("level").asText()).isEqualTo("DEBUG");
    JsonNode purge = rows.get(rows.size() - 1);
    assertThat(purge.path("after").path("words").path("requestLog").asText()).isEqualTo("40d");
    assertThat(purge.path("after").path("answer").path("requestLog").isInt()).isTrue();
  }

  @Test
  void exportsAndImportsOfThreadsAreRecorded() throws Exception {
    assertThat(
            command.run("thread", "export", "--project", "test", "--thread", "none", "config.yml"))
        .extracting(CommandLine.Outcome::status)
        .isEqualTo(1);
    assertThat(command.run("thread", "export", "--project", "test", "config.yml").status())
        .isZero();
    List<JsonNode> rows = rows();
    JsonNode failed = rows.get(rows.size() - 2);
    assertThat(failed.path("outcome").asText()).isEqualTo("failed");
    assertThat(failed.path("after").path("thread").asText()).isEqualTo("none");
    JsonNode done = rows.get(rows.size() - 1);
    assertThat(done.path("action").asText()).isEqualTo("thread-export");
    assertThat(done.path("subject").asText()).isEqualTo("test");
  }

  @Test
  void aChangeThatCannotBeRecordedIsNotMade() throws Exception {
    String id = GATEWAY.task("key-issue?project=together&name=a").path("id").asText();
    sql("UPDATE audit_head SET id = 2");
    try {
      assertThat(
              GATEWAY
                  .send(
                      HttpRequest.newBuilder(
                              URI.create(GATEWAY.adminUrl() + "/tasks/key-revoke?id=" + id))
                          .POST(HttpRequest.BodyPublishers.noBody()))
                  .statusCode())
          .isEqualTo(500);
      // What does not depend on the database is done, and says what is missing.
      GATEWAY.task("log-level?logger=io.memorygateway.zebra");
      assertThat(GATEWAY.log()).contains("log-level is over, but the audit log");
      assertThat(verify().failure()).contains("audit_head is missing");
    } finally {
      sql("UPDATE audit_head SET id = 1");
    }
    JsonNode listed = GATEWAY.task("key-list?project=together");
    assertThat(listed.get(0).path("revokedAt").isNull()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE audit_log SET actor = 'eve' WHERE seq = 2 | row 2 was changed",
        "UPDATE audit_log SET at = at + INTERVAL 1 SECOND WHERE seq = 2 | row 2 was changed",
        "UPDATE audit_log SET after_state = NULL WHERE seq = 2 | row 2 was changed",
        "DELETE FROM audit_log WHERE seq = 2 | row 2 is missing",
        "DELETE FROM audit_log ORDER BY seq DESC LIMIT 1 | is missing at the end",
        "DELETE FROM audit_log | are missing at the end",
        "UPDATE audit_log SET seq = CASE seq WHEN 2 THEN 1000003 WHEN 3 THEN 1000002 END WHERE seq IN (2, 3);"
            + " UPDATE audit_log SET seq = seq - 1000000 WHERE seq > 1000000 | row 3 was changed",
        "UPDATE audit_head SET seq = seq - 1 | there are rows behind row",
      })
  void aRowThatIsChangedRemovedOrMovedIsFound(String tampering, String found) throws Exception {
    for (int i = 0; i < 3; i++) {
      GATEWAY.task("key-issue?project=tampered&name=a");
    }
    sql("CREATE TABLE saved_log AS SELECT * FROM audit_log");
    sql("CREATE TABLE saved_head AS SELECT * FROM audit_head");
    try {
      for (String statement : tampering.split(";", -1)) {
        sql(statement);
      }
      assertThat(verify().failure()).contains(found);
    } finally {
      sql("DELETE FROM audit_log");
      sql("INSERT INTO audit_log SELECT * FROM saved_log");
      sql("DELETE FROM audit_head");
      sql("INSERT INTO audit_head SELECT * FROM saved_head");
      sql("DROP TABLE saved_log");
      sql("DROP TABLE saved_head");
    }
  }

  @Test
  void aLogThatWasCutWithItsHeadIsFoundByWhatWasNotedElsewhere() throws Exception {
    GATEWAY.task("key-issue?project=tampered&name=a");
    JsonNode noted = JSON.readTree(verify().out());
    String[] words = {
      "audit",
      "verify",
      "--seq",
      noted.path("lastSeq").asText(),
      "--hash",
      noted.path("lastHash").asText(),
      "config.yml"
    };
    assertThat(command.run(words).status()).isZero();
    // Each node notes it in its log.
    assertThat(GATEWAY.log())
        .contains("audit row " + words[3] + " " + noted.path("lastHash").asText());
    sql("CREATE TABLE saved_log AS SELECT * FROM audit_log");
    sql("CREATE TABLE saved_head AS SELECT * FROM audit_head");
    try {
      sql("DELETE FROM audit_log ORDER BY seq DESC LIMIT 1");
      sql(
          "UPDATE audit_head SET seq = seq - 1,"
              + " hash = (SELECT hash FROM audit_log ORDER BY seq DESC LIMIT 1)");
      assertThat(verify().status()).isZero();
      assertThat(command.run(words).failure()).contains("missing at the end");
    } finally {
      sql("INSERT IGNORE INTO audit_log SELECT * FROM saved_log");
      sql("DELETE FROM audit_head");
      sql("INSERT INTO audit_head SELECT * FROM saved_head");
      sql("DROP TABLE saved_log");
      sql("DROP TABLE saved_head");
    }
    assertThat(command.run("audit", "verify", "--seq", "1", "config.yml").failure())
        .contains("seq and hash go together");
  }

  @Test
  void nodesAtTheSameTimeAddToOneChain() throws Exception {
    int nodes = 8;
    int each = 25;
    int before = rows().size();
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    try {
      List<Future<Void>> running = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        String name = "node-" + node;
        Callable<Void> work =
            () -> {
              AuditLog log = new AuditLog(Transactions.ofOperators(jdbi()));
              for (int i = 0; i < each; i++) {
                log.append(
                    new AuditEntry(
                        new Actor(name, "owner", "here", null), "a", "", Outcome.DONE, null, i));
              }
              return null;
            };
        running.add(threads.submit(work));
      }
      for (Future<Void> node : running) {
        node.get();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(rows()).hasSize(before + nodes * each);
  }

  @Tag("heavy")
  @Test
  void aNodeThatStandsStillInItsActHoldsOthersUpForABoundedTime() throws Exception {
    String id = GATEWAY.task("key-issue?project=held&name=a").path("id").asText();
    try (Connection frozen = DATABASE.connect();
        Statement statement = frozen.createStatement()) {
      frozen.setAutoCommit(false);
      statement.execute("SELECT * FROM audit_head WHERE id = 1 FOR UPDATE");
      assertThat(
              GATEWAY
                  .send(
                      HttpRequest.newBuilder(
                              URI.create(GATEWAY.adminUrl() + "/tasks/key-revoke?id=" + id))
                          .POST(HttpRequest.BodyPublishers.noBody()))
                  .statusCode())
          .isEqualTo(503);
      frozen.rollback();
    }
    GATEWAY.task("key-revoke?id=" + id);
  }

  private static Jdbi jdbi() {
    return DATABASE.jdbi();
  }

  private static String admin(String path) throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path))).body();
  }

  private CommandLine.Outcome verify() {
    return command.run("audit", "verify", "config.yml");
  }

  private String export() {
    CommandLine.Outcome outcome = command.run("audit", "export", "config.yml");
    assertThat(outcome.status()).as(outcome.err()).isZero();
    return outcome.out();
  }

  private List<JsonNode> rows() throws Exception {
    List<JsonNode> rows = new ArrayList<>();
    for (String line : export().lines().toList()) {
      rows.add(JSON.readTree(line));
    }
    return rows;
  }

  private List<JsonNode> about(String subject) throws Exception {
    return rows().stream().filter(row -> row.path("subject").asText().equals(subject)).toList();
  }

  private static void sql(String statement) throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement sql = connection.createStatement()) {
      sql.execute(statement);
    }
  }
}
