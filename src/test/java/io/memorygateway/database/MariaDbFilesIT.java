package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.memorygateway.CommandLine;
import io.memorygateway.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is shipped under {@code ops/mysql} does on MariaDB what it does on MySQL. */
class MariaDbFilesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Path BINARIES = Path.of("target", "mariadb").toAbsolutePath();

  @Tag("heavy")
  @Test
  void theAccountsMayDoWhatTheyAreFor() throws Exception {
    String schema = "grants_" + UUID.randomUUID().toString().substring(0, 8);
    Map<String, String> passwords = new HashMap<>();
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      assumeThat(connection.getMetaData().getDatabaseProductVersion()).contains("MariaDB");
      String script =
          Files.readString(Path.of("ops", "mysql", "grants-mariadb.sql"))
              .replace("memory_gateway", schema)
              // The embedded server has no certificate.
              .replace(" REQUIRE SSL", "")
              .replaceAll("(?m)^--.*$", "");
      for (int run = 0; run < 2; run++) {
        for (String sql : script.split(";\\s*\n", -1)) {
          if (!sql.isBlank() && statement.execute(sql)) {
            try (ResultSet made = statement.getResultSet()) {
              while (made.next()) {
                passwords.put(made.getString(1), made.getString(3));
              }
            }
          }
        }
        // An account that exists keeps its password, and none is printed.
        assertThat(passwords).hasSize(3);
      }
      try {
        CommandLine gateway = as(schema, schema, passwords);
        assertThat(gateway.run("db", "migrate", "config.yml").failure())
            .contains("command denied", "account for migrations");
        assertThat(gateway.run("check", "config.yml").failure())
            .contains(Migrations.changeSets().size() + " migrations are missing")
            .doesNotContain("denied");
        CommandLine.Outcome migrated =
            as(schema, schema + "_migrations", passwords).run("db", "migrate", "config.yml");
        assertThat(migrated.status()).as(migrated.err()).isZero();
        CommandLine.Outcome checked = gateway.run("check", "config.yml");
        assertThat(checked.status()).as(checked.err()).isZero();
        assertThat(checked.out()).contains("every migration", "grants: enough");
        assertThat(as(schema, schema + "_backup", passwords).run("check", "config.yml").failure())
            .contains("may not INSERT");
      } finally {
        statement.execute("DROP DATABASE " + schema);
        for (String account : passwords.keySet()) {
          statement.execute("DROP USER '" + account + "'@'%'");
        }
      }
    }
  }

  @Test
  void theSettingsAreTaken() throws Exception {
    assumeThat(BINARIES.resolve("bin/mariadbd")).exists();
    Path err = Files.createTempFile("mariadbd", "err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(
              BINARIES.resolve("bin/mariadbd").toString(),
              "--defaults-file=" + Path.of("ops", "mysql", "memory-gateway.cnf").toAbsolutePath(),
              "--basedir=" + BINARIES,
              "--user=" + System.getProperty("user.name"),
              "--help",
              "--verbose");
      builder.environment().put("LD_LIBRARY_PATH", BINARIES.resolve("libs").toString());
      Process process = builder.redirectError(err.toFile()).start();
      String settings = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(Files.readString(err)).isZero();
      assertThat(settings)
          .containsPattern("(?m)^binlog-format +ROW$")
          .containsPattern("(?m)^log-bin +memory-gateway-bin$")
          .containsPattern("(?m)^innodb-buffer-pool-size +4294967296$")
          .containsPattern("(?m)^require-secure-transport +TRUE$");
    } finally {
      Files.delete(err);
    }
  }

  private static CommandLine as(String schema, String account, Map<String, String> passwords) {
    return new CommandLine()
        .with(DATABASE)
        .with(
            "DATABASE_URL",
            DATABASE
                .url()
                .replaceFirst(
                    "/gateway_[0-9a-f]+\\?createDatabaseIfNotExist=true&", "/" + schema + "?"))
        .with("DATABASE_USER", account)
        .with("DATABASE_PASSWORD", passwords.get(account));
  }
}
