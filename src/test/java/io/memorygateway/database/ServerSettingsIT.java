package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.memorygateway.CommandLine;
import io.memorygateway.testing.EmbeddedMariaDb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract §13: servers whose settings are not the usual ones. */
class ServerSettingsIT {
  private static final Path BINARIES = Path.of("target", "mariadb").toAbsolutePath();

  @TempDir private Path folder;

  @Tag("heavy")
  @Test
  void theSchemaIsMadeWhateverTheServersDefaultsAreAndALogOfStatementsIsRefusedByName()
      throws Exception {
    assumeThat(BINARIES.resolve("bin/mariadbd")).exists();
    try (EmbeddedMariaDb server =
        EmbeddedMariaDb.start(
            BINARIES,
            folder,
            "--log-bin=" + folder.resolve("binlog"),
            "--binlog-format=STATEMENT",
            "--default-storage-engine=MyISAM",
            "--innodb-default-row-format=compact")) {
      String url = server.jdbcUrl("gateway");
      CommandLine gateway =
          new CommandLine()
              .with("DATABASE_URL", url)
              .with("DATABASE_USER", server.user())
              .with("DATABASE_PASSWORD", server.password())
              .with("GATEWAY_PORT", "0")
              .with("GATEWAY_ADMIN_PORT", "0");

      CommandLine.Outcome migrated = gateway.run("db", "migrate", "config.yml");

      assertThat(migrated.status()).as(migrated.err()).isZero();
      assertThat(gateway.run("check", "config.yml").failure())
          .contains("database: ", "set binlog_format = ROW there");
      assertThat(gateway.run("server", "config.yml").failure())
          .contains("database: ", "set binlog_format = ROW there");

      try (Connection connection =
              DriverManager.getConnection(url, server.user(), server.password());
          Statement statement = connection.createStatement()) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
                    + " AND table_name <> 'DATABASECHANGELOGLOCK'"
                    + " AND (engine <> 'InnoDB' OR row_format <> 'Dynamic')")) {
          row.next();
          assertThat(row.getInt(1)).isZero();
        }
        statement.execute("SET GLOBAL binlog_format = ROW");
      }
      CommandLine.Outcome checked = gateway.run("check", "config.yml");
      assertThat(checked.status()).as(checked.err()).isZero();
    }
  }

  /** MariaDB 10 greets as MySQL 5.5.5, which knows no parts of seconds. */
  @Tag("heavy")
  @Test
  void timesKeepTheirMillisecondsOnMariaDb10() throws Exception {
    assumeThat(BINARIES.resolve("bin/mariadbd")).exists();
    try (EmbeddedMariaDb server =
        EmbeddedMariaDb.start(BINARIES, folder, "--version=5.5.5-10.11.6-MariaDB")) {
      CommandLine gateway =
          new CommandLine()
              .with("DATABASE_URL", server.jdbcUrl("gateway"))
              .with("DATABASE_USER", server.user())
              .with("DATABASE_PASSWORD", server.password());
      CommandLine.Outcome migrated = gateway.run("db", "migrate", "config.yml");
      assertThat(migrated.status()).as(migrated.err()).isZero();
      gateway.run("project", "create", "--project", "shop", "config.yml");
      gateway.run("project", "create", "--project", "mill", "config.yml");

      // The hash of a row has the milliseconds of its time.
      CommandLine.Outcome verified = gateway.run("audit", "verify", "config.yml");

      assertThat(verified.status()).as(verified.err()).isZero();
      assertThat(gateway.run("check", "config.yml").out()).contains("MariaDB 10.11.6");
    }
  }
}
