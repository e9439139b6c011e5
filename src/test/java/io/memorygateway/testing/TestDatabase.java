package io.memorygateway.testing;

import io.memorygateway.database.TestJdbi;
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
import java.util.ArrayList;
import java.util.List;
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
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A migrated schema of its own for a test class. All classes of a JVM share one server: an embedded
 * MariaDB, or the one that {@code DATABASE_URL}, {@code DATABASE_USER} and {@code
 * DATABASE_PASSWORD} name. The migrations run once; each schema is a copy of what they made. Where
 * there is one schema only, {@code DATABASE_SCHEMA}, classes have it one after the other; {@code
 * DATABASE_BENEATH} names the servers that store it, or its parts.
 *
 * <p>Register it in a static field: {@code @RegisterExtension static final TestDatabase DATABASE =
 * new TestDatabase();}
 */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback {
  private static final String OPTIONS =
      "?createDatabaseIfNotExist=true&connectionTimeZone=UTC&forceConnectionTimeZoneToSession=true"
          + "&useAffectedRows=true&sslMode=DISABLED&allowPublicKeyRetrieval=true"
          // As the gateway's: MariaDB 10 would get times without their milliseconds.
          + "&socketFactory=io.memorygateway.database.GuardedSocketFactory";

  private static final String ALL_PARTS = "&sessionVariables=transaction_mode='MULTI'";

  /** The name of the only schema there may be. */
  private static final String ONLY = System.getenv("DATABASE_SCHEMA");

  private final String schema =
      ONLY == null ? "gateway_" + UUID.randomUUID().toString().replace("-", "") : ONLY;
  private Server server;
  private @Nullable DataSource pool;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    // Of the session, for Surefire gives each class of a JVM a run of its own.
    server =
        context
            .getStore(
                ExtensionContext.StoreScope.LAUNCHER_SESSION,
                ExtensionContext.Namespace.create(TestDatabase.class))
            .getOrComputeIfAbsent(Server.class, key -> Server.open(), Server.class);
    for (SchemaTemplate template : server.templates()) {
      try (Connection connection = ONLY == null ? connect() : template.open("")) {
        template.copyTo(connection);
      }
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws SQLException {
    drop();
  }

  void drop() throws SQLException {
    if (pool != null) {
      pool.close(true);
      pool = null;
    }
    if (ONLY == null) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        statement.execute("DROP DATABASE " + schema);
      }
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

  /** A new connection, of {@link #ownUrl}. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(ownUrl(), user(), password());
  }

  /**
   * For statements of a test itself: where the schema is divided, they may change rows of all
   * parts. So may what a test does of the gateway on such a connection; a gateway, which has {@link
   * #url}, may not.
   */
  private String ownUrl() {
    return url() + (server.templates().size() == 1 ? "" : ALL_PARTS);
  }

  /**
   * Access by pooled connections: for tests of many statements, which take less than connecting.
   */
  public synchronized Jdbi jdbi() {
    if (pool == null) {
      PoolProperties properties = new PoolProperties();
      properties.setDriverClassName("com.mysql.cj.jdbc.Driver");
      properties.setUrl(ownUrl() + "&allowMultiQueries=true");
      properties.setUsername(user());
      properties.setPassword(password());
      properties.setInitialSize(0);
      properties.setMinIdle(0);
      // Else what one test sets for its session would hold in the next one's.
      properties.setJdbcInterceptors("ConnectionState");
      pool = new DataSource(properties);
    }
    return TestJdbi.of(pool::getConnection);
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

  /** The server of the JVM; closed by JUnit when its session ends. */
  private record Server(
      String url, String user, String password, List<SchemaTemplate> templates, Closeable running)
      implements AutoCloseable {

    private static Server of(String url, String user, String password, Closeable running) {
      try {
        return new Server(url, user, password, templates(url, user, password), running);
      } catch (Exception e) {
        throw new IllegalStateException("the migrations fail", e);
      }
    }

    private static List<SchemaTemplate> templates(String url, String user, String password)
        throws Exception {
      if (ONLY == null) {
        return List.of(SchemaTemplate.migrated(url, OPTIONS, user, password));
      }
      String[] beneath = System.getenv("DATABASE_BENEATH").split(" ", -1);
      if (beneath.length == 1) {
        return List.of(
            SchemaTemplate.ofOnly(url + ONLY + OPTIONS, user, password, beneath[0], ONLY));
      }
      List<SchemaTemplate> templates = new ArrayList<>();
      for (String each : beneath) {
        templates.add(SchemaTemplate.ofDivided(each));
      }
      return templates;
    }

    static Server open() {
      String url = System.getenv("DATABASE_URL");
      if (url != null && !url.isBlank()) {
        return of(
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
                // Nothing of it has to outlive a crash: what does is tested with servers of its
                // own.
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-doublewrite=OFF",
                "--sync-frm=OFF",
                // A schema for each class is dozens of tables: no file for each, which is synced.
                "--innodb-file-per-table=OFF",
                "--innodb-log-file-size=32M");
        Thread onInterrupt = new Thread(() -> stop(mariadb, folder));
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        return of(
            "jdbc:mysql://127.0.0.1:" + mariadb.port() + "/",
            mariadb.user(),
            mariadb.password(),
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
    public void close() throws IOException, SQLException {
      for (SchemaTemplate template : templates) {
        template.close();
      }
      running.close();
    }
  }
}
