package io.memorygateway.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.CommandLine;
import io.memorygateway.audit.Act;
import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.database.Transactions;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §12: commands work on a gateway elsewhere, with neither its configuration nor database.
 */
class RemoteCommandsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withoutKey()
          .configured(
              config -> ((ObjectNode) config.get("admin")).putObject("auth").put("mode", "token"));

  private static final ObjectMapper JSON = new ObjectMapper();

  private static String owner;
  private static String viewer;
  private static String operator;

  @TempDir private Path folder;

  /** Has no database. */
  private final CommandLine command = new CommandLine();

  @BeforeAll
  static void tokens() throws Exception {
    owner = token("owner");
    viewer = token("viewer");
    operator = token("operator");
  }

  @Test
  void keysAreIssuedAndListedThere() throws Exception {
    CommandLine.Outcome issued =
        run(owner, "key", "issue", "--project", "far & away", "--name", "ü");
    assertThat(issued.status()).as(issued.err()).isZero();
    JsonNode key = JSON.readTree(issued.out());
    assertThat(key.path("key").asText()).startsWith("msk_");
    assertThat(key.path("project").asText()).isEqualTo("far & away");
    assertThat(run(viewer, "key", "list", "--project", "far & away").out())
        .contains(key.path("id").asText())
        .doesNotContain(key.path("key").asText());
    assertThat(run(viewer, "usage", "--by", "model", "--format", "csv").out())
        .startsWith("model,calls,");
  }

  @Test
  void whatIsRefusedThereIsSaidInOneLine() throws Exception {
    assertThat(run(viewer, "key", "issue", "--project", "p", "--name", "n").failure())
        .contains("403", "This needs the role owner.");
    assertThat(run("msa_" + "0".repeat(32), "key", "list").failure()).contains("401");
    assertThat(run(owner, "key", "revoke", "--id", "nobody").failure()).contains("404");
    assertThat(run(owner, "usage", "--by", "zebra").failure()).contains("400", "by must be");
    assertThat(run(owner, "usage", "--by", "model", "--by", "key").failure())
        .contains("by is given more than once.");
  }

  /** Somebody may take a file of a full disk for a whole export, and a key is shown once. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--version",
        "key list config.yml",
        "key issue --project server --name server config.yml",
        "audit export config.yml"
      })
  void whatCannotBeWrittenIsAFailure(String arguments) {
    assertThat(new CommandLine().with(DATABASE).runUnread(arguments.split(" ")).failure())
        .isEqualTo("Standard output cannot be written: it is full, or nobody reads it.");
  }

  @Test
  void theAuditLogIsExportedAndVerifiedThere() throws Exception {
    run(owner, "key", "issue", "--project", "audited", "--name", "a");
    CommandLine local = new CommandLine().with(DATABASE);
    String all = run(viewer, "audit", "export").out();
    assertThat(all).isEqualTo(local.run("audit", "export", "config.yml").out());
    List<String> lines = all.lines().toList();
    JsonNode last = JSON.readTree(lines.get(lines.size() - 1));
    assertThat(last.path("action").asText()).isEqualTo("key-issue");
    String before = Long.toString(last.path("seq").asLong() - 1);
    Path file = folder.resolve("audit.ndjson");
    assertThat(run(viewer, "audit", "export", "--after", before, "--to", file.toString()).out())
        .isEmpty();
    assertThat(file).hasContent(lines.get(lines.size() - 1));

    String hash = last.path("hash").asText();
    String seq = last.path("seq").asText();
    JsonNode report = JSON.readTree(run(viewer, "audit", "verify").out());
    assertThat(report)
        .isEqualTo(JSON.readTree(local.run("audit", "verify", "config.yml").out()))
        .isEqualTo(
            JSON.readTree(run(viewer, "audit", "verify", "--seq", seq, "--hash", hash).out()));
    assertThat(report.path("lastHash").asText()).isEqualTo(hash);
    assertThat(run(viewer, "audit", "verify", "--seq", before, "--hash", hash).failure())
        .contains("row " + before + " is not the row whose hash was noted");
    assertThat(run(viewer, "audit", "verify", "--seq", "99999", "--hash", hash).failure())
        .contains("row 99999, whose hash was noted, is missing");
    assertThat(run(viewer, "audit", "verify", "--seq", "1").failure())
        .contains("seq and hash go together");
  }

  @Tag("heavy")
  @Test
  void anAuditLogOfManyPagesIsExportedWhole() throws Exception {
    AuditLog log =
        new AuditLog(Transactions.ofOperators(SqlObjects.install(Jdbi.create(DATABASE::connect))));
    Actor actor = new Actor("it", "owner", "a test", null);
    for (int i = 0; i < 230; i++) {
      new Act(log, actor, "page").record("s" + i, Outcome.DONE, null, Map.of("n", 1.50));
    }
    assertThat(run(viewer, "audit", "export").out())
        .isEqualTo(new CommandLine().with(DATABASE).run("audit", "export", "config.yml").out());
    assertThat(JSON.readTree(run(viewer, "audit", "verify").out()).path("rows").asLong())
        .isGreaterThanOrEqualTo(230);
  }

  @Test
  void threadsAreExportedThere() throws Exception {
    String project = "pro/ject & co";
    JsonNode key =
        JSON.readTree(run(owner, "key", "issue", "--project", project, "--name", "k").out());
    for (String thread : List.of("th/1", "th2")) {
      GATEWAY.send(
          HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/memory/threads"))
              .header("Authorization", "Bearer " + key.path("key").asText())
              .header("Content-Type", "application/json")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "{\"id\":\"%s\",\"resourceId\":\"of %s\"}".formatted(thread, thread))));
    }
    String all = run(operator, "thread", "export", "--project", project).out();
    assertThat(all).contains("th/1", "th2");
    assertThat(all.strip())
        .isEqualTo(
            new CommandLine()
                .with(DATABASE)
                .run("thread", "export", "--project", project, "config.yml")
                .out()
                .strip());
    assertThat(run(operator, "thread", "export", "--project", project, "--thread", "th/1").out())
        .contains("th/1")
        .doesNotContain("th2");
    Path file = folder.resolve("threads.ndjson");
    assertThat(
            run(
                    operator,
                    "thread",
                    "export",
                    "--project",
                    project,
                    "--resource",
                    "of th2",
                    "--to",
                    file.toString())
                .status())
        .isZero();
    assertThat(file).content().contains("th2").doesNotContain("th/1");
    assertThat(run(viewer, "thread", "export", "--project", project).failure())
        .contains("403", "This needs the role operator.");
    Path none = folder.resolve("none.ndjson");
    assertThat(
            run(
                    operator,
                    "thread",
                    "export",
                    "--project",
                    project,
                    "--thread",
                    "nobody",
                    "--to",
                    none.toString())
                .failure())
        .contains("404");
    assertThat(none).doesNotExist();
  }

  @Test
  void whatCannotBeDoneElsewhereIsSaid() throws Exception {
    assertThat(run(owner, "thread", "import", "--project", "p").failure())
        .contains("thread import", "without --url");
    assertThat(
            run(owner, "thread", "export", "--project", "p", "--thread", "a", "--resource", "b")
                .failure())
        .contains("not both");
    for (String local : List.of("check", "server")) {
      CommandLine.Outcome outcome = run(owner, local);
      assertThat(outcome.status()).isNotZero();
      assertThat(outcome.err()).contains("unrecognized arguments: '--url'");
    }
  }

  @Test
  void anExportThatBreaksOffIsAFailure() throws Exception {
    for (Answer broken : List.of(Answer.closeInChunk(), Answer.resetInBody())) {
      UPSTREAM.enqueue(broken);
      assertThat(
              command.run("audit", "export", "--url", UPSTREAM.url(), "--token", owner).failure())
          .contains("broke off")
          .doesNotContain("Exception");
    }
    Path kept = Files.writeString(folder.resolve("kept"), "before");
    UPSTREAM.enqueue(Answer.closeInChunk());
    assertThat(
            command
                .run("audit", "export", "--url", UPSTREAM.url(), "--to", kept.toString())
                .failure())
        .contains("broke off");
    assertThat(kept).hasContent("before");
    UPSTREAM.enqueue(Answer.html(200));
    assertThat(command.run("audit", "verify", "--url", UPSTREAM.url()).failure())
        .contains("none of this gateway");
    UPSTREAM.enqueue(Answer.json("{\"lastSeq\":0}"));
    assertThat(command.run("audit", "verify", "--url", UPSTREAM.url()).failure())
        .contains("does not go on");
    assertThat(run(viewer, "audit", "export", "--to", folder.toString()).failure())
        .contains("could not be read or written");
  }

  @Test
  void anAddressWhereNobodyIsIsSaid() throws Exception {
    int port = FakeUpstream.closedPort();
    assertThat(command.run("key", "list", "--url", "http://127.0.0.1:" + port).failure())
        .contains("cannot be reached")
        .doesNotContain("Exception");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "zebra", "ftp://127.0.0.1", "http://", "http://a b"})
  void aWrongAddressIsSaid(String url) throws Exception {
    assertThat(command.run("key", "list", "--url", url).failure()).contains("url must be");
  }

  private CommandLine.Outcome run(String token, String... words) throws Exception {
    String[] all = new String[words.length + 4];
    System.arraycopy(words, 0, all, 0, words.length);
    all[words.length] = "--url";
    all[words.length + 1] = GATEWAY.adminUrl();
    all[words.length + 2] = "--token";
    all[words.length + 3] = token;
    return command.run(all);
  }

  private static String token(String role) throws Exception {
    CommandLine.Outcome outcome =
        new CommandLine()
            .with(DATABASE)
            .run("admin-token", "issue", "--name", role, "--role", role, "config.yml");
    return JSON.readTree(outcome.out()).path("token").asText();
  }
}
