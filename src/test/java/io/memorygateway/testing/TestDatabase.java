package io.memorygateway.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DatabaseChangelogCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.ui.LoggerUIService;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A migrated schema of its own for a test class. All classes of a run share one server: an embedded
 * MariaDB, or the one that {@code DATABASE_URL}, {@code DATABASE_USER} and {@code
 * DATABASE_PASSWORD} name.
 *
 * <p>Register it in a static field: {@code @RegisterExtension static final TestDatabase DATABASE =
 * new TestDatabase();}
 */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback {
  private static final String OPTIONS =
      "?createDatabaseIfNotExist=true&connectionTimeZone=UTC&forceConnectionTimeZoneToSession=true"
          + "&useAffectedRows=true&sslMode=PREFERRED&allowPublicKeyRetrieval=true";

  private final String schema = "gateway_" + UUID.randomUUID().toString().replace("-", "");
  private Server server;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    server =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(TestDatabase.class))
            .getOrComputeIfAbsent(Server.class, key -> Server.open(), Server.class);
    try (Connection connection = connect()) {
      migrate(connection);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE " + schema);
    }
  }

  public String url() {
    return server.url() + schema + OPTIONS;
  }

  /** The same, through a relay on this machine. */
  public String url(DatabaseRelay relay) {
    return "jdbc:mysql://127.0.0.1:" + relay.port() + "/" + schema + OPTIONS;
  }

  /** Where a relay leads to. */
  public int port() {
    return URI.create(server.url().substring("jdbc:".length())).getPort();
  }

  public String user() {
    return server.user();
  }

  public String password() {
    return server.password();
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), user(), password());
  }

  /** Brings any schema up to date. */
  public static void migrate(Connection connection) throws Exception {
    Database database =
        DatabaseFactory.getInstance()
            .findCorrectDatabaseImplementation(new JdbcConnection(connection));
    // Otherwise Liquibase writes its progress on standard output.
    Scope.child(
        Scope.Attr.ui.name(),
        new LoggerUIService(),
        () ->
            new CommandScope(UpdateCommandStep.COMMAND_NAME)
                .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, database)
                .addArgumentValue(
                    DatabaseChangelogCommandStep.CHANGELOG_FILE_ARG, "migrations/changelog.yaml")
                .setOutput(java.io.OutputStream.nullOutputStream())
                .execute());
  }

  /** The server of the whole run; closed by JUnit when the run ends. */
  private record Server(String url, String user, String password, Closeable running)
      implements AutoCloseable {

    static Server open() {
      String url = System.getenv("DATABASE_URL");
      if (url != null && !url.isBlank()) {
        return new Server(
            url.replaceFirst("^(jdbc:[a-z]+://[^/]+/).*$", "$1"),
            System.getenv().getOrDefault("DATABASE_USER", "root"),
            System.getenv().getOrDefault("DATABASE_PASSWORD", ""),
            () -> {});
      }
      try {
        Path folder = Files.createTempDirectory("memory-gateway-mariadb");
        // The binaries are a third of a gigabyte: unpacked once for all runs, until mvn clean.
        EmbeddedMariaDb mariadb =
            EmbeddedMariaDb.start(
                Path.of("target", "mariadb"),
                folder,
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-log-file-size=32M");
        Thread onInterrupt = new Thread(() -> stop(mariadb, folder));
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        return new Server(
            "jdbc:mysql://127.0.0.1:" + mariadb.port() + "/",
            "root",
            "",
            () -> stop(mariadb, folder));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void stop(EmbeddedMariaDb mariadb, Path folder) {
      mariadb.close();
      try {
        MariaDbFiles.delete(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      running.close();
    }
  }
}
