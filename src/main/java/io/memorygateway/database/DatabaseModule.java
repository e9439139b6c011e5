package io.memorygateway.database;

import static java.util.Objects.requireNonNullElse;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.health.HealthCheck;
import com.codahale.metrics.health.HealthCheckRegistry;
import com.google.common.base.Suppliers;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.jdbi3.JdbiFactory;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's connection to its database.
 *
 * @param dataSource the pool; closed with the server
 * @param jdbi on the pool
 * @param clock read with each health check
 * @param changeSets of the schema as it was found
 */
public record DatabaseModule(
    ManagedDataSource dataSource, Jdbi jdbi, DatabaseClock clock, List<String> changeSets) {
  private static final Logger LOGGER = LoggerFactory.getLogger(DatabaseModule.class);

  /** Limit of each check that queries the database: together they stay below two seconds. */
  private static final Duration HEALTH_CHECK_LIMIT = Duration.ofMillis(800);

  public DatabaseModule {
    changeSets = List.copyOf(changeSets);
  }

  /**
   * Opens the pool, and checks that the schema exists.
   *
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  public static DatabaseModule open(DataSourceFactory configured, Environment environment) {
    DataSourceFactory factory = migrated(configured);
    DatabaseInspection found = DatabaseInspection.of(factory);
    announce(found);
    limit(factory, found.topology());
    DatabaseModule pooled = pooled(factory, environment);
    lend(pooled.dataSource);
    pooled.jdbi.useHandle(pooled.clock::read);
    return new DatabaseModule(
        pooled.dataSource, pooled.jdbi, pooled.clock, changeSets(pooled.jdbi));
  }

  /**
   * Tries whether the pool makes a connection by all of its settings.
   *
   * @param factory complete
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  public static void tryPool(DataSourceFactory factory) throws Exception {
    ManagedDataSource pool = ConnectionPools.open(factory, new MetricRegistry(), "database");
    try {
      lend(pool);
    } finally {
      pool.stop();
    }
  }

  private static void lend(ManagedDataSource pool) {
    try {
      pool.getConnection().close();
    } catch (SQLException | RuntimeException e) {
      throw new IllegalArgumentException(
          "database: the pool makes no connection by its settings: " + Database.reason(e), e);
    }
  }

  /** Builds the module without connecting, for a check of all that a start builds. */
  public static DatabaseModule unconnected(DataSourceFactory configured, Environment environment) {
    return pooled(Database.complete(configured), environment);
  }

  private static DatabaseModule pooled(DataSourceFactory factory, Environment environment) {
    ManagedDataSource dataSource = ConnectionPools.open(factory, environment.metrics(), "database");
    Jdbi jdbi = new JdbiFactory().build(environment, factory, dataSource, "database");
    // Parameters of statements are data of clients, which must not be logged with a failure.
    jdbi.getConfig(StatementExceptions.class)
        .setMessageRendering(StatementExceptions.MessageRendering.NONE);
    SqlObjects.install(jdbi);
    DatabaseClock clock = new DatabaseClock();
    return new DatabaseModule(dataSource, jdbi, clock, List.of());
  }

  private static List<String> changeSets(Jdbi jdbi) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT DISTINCT ID FROM DATABASECHANGELOG")
                .mapTo(String.class)
                .list());
  }

  /**
   * Opens the database for a command: a connection for each piece of work, and no pool.
   *
   * @throws IllegalArgumentException with a line for the operator, if the schema does not exist
   */
  public static Jdbi forCommand(DataSourceFactory configured) {
    Supplier<DataSourceFactory> factory = Suppliers.memoize(() -> migrated(configured));
    return SqlObjects.install(Jdbi.create(() -> withoutGapLocks(Database.connect(factory.get()))));
  }

  /**
   * Sets session limits, so that a frozen node's transactions end by themselves, and READ
   * COMMITTED, so that they lock only rows of their thread: at a higher level, looking for a
   * missing row or removing a range locks the gap that the rows of all newer threads go into.
   */
  private static void limit(DataSourceFactory factory, DatabaseTopology topology) {
    String url = requireNonNullElse(factory.getUrl(), "");
    factory
        .getProperties()
        .compute(
            SessionLimits.PROPERTY,
            (name, given) -> SessionLimits.addedTo(url, given, topology.kind().session()));
    factory.setDefaultTransactionIsolation(DataSourceFactory.TransactionIsolation.READ_COMMITTED);
  }

  private static void announce(DatabaseInspection found) {
    LOGGER.info("Database: {}, {}", found.server(), found.topology().kind().title());
    found.topology().advice().forEach(line -> LOGGER.warn("Database: advised: {}", line));
  }

  private static Connection withoutGapLocks(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  /**
   * Completes the pool's settings, and checks that the schema exists in this version.
   *
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  public static DataSourceFactory migrated(DataSourceFactory configured) {
    DataSourceFactory factory = Database.reachable(configured);
    int missing;
    try (Connection connection = Database.connect(factory)) {
      ServerProbes.requireWithoutShards(connection);
      missing = missing(connection);
    } catch (SQLException e) {
      throw Database.unreachable(e);
    } catch (JdbiException e) {
      throw new IllegalArgumentException(
          "database: the schema cannot be read: " + Database.reason(e), e);
    }
    if (missing > 0) {
      throw new IllegalArgumentException(
          "database: "
              + missing
              + " migrations are missing; run 'java -jar memory-gateway.jar db migrate config.yml'"
              + " with the account for migrations, which may change the schema");
    }
    return factory;
  }

  public void watch(PrometheusRegistry registry, HealthCheckRegistry checks) {
    // Registered with the pool. Its time limit has no effect while a server accepts connections and
    // does not answer.
    checks.unregister("database");
    DatabasePool pool = new DatabasePool((DataSourceProxy) dataSource);
    var answers = new BoundedHealthCheck("database-check", this::probe, HEALTH_CHECK_LIMIT);
    checks.register("database", pool.check(answers));
    checks.register(
        "migrations",
        new BoundedHealthCheck("migrations-check", this::checkMigrations, HEALTH_CHECK_LIMIT));
    pool.register(registry);
  }

  private HealthCheck.Result probe() {
    try (Handle handle = jdbi.open()) {
      clock.read(handle);
      return ServerProbes.isReadOnly(handle.getConnection())
          ? HealthCheck.Result.unhealthy("the database takes no writes: it is read-only")
          : HealthCheck.Result.healthy("the database answers");
    } catch (SQLException e) {
      throw new ConnectionException(e);
    }
  }

  /**
   * Whether the schema still has every change that this version needs: a backup of an older one may
   * have been restored. Changes of a newer version are ignored, as its nodes run beside this one.
   */
  private HealthCheck.Result checkMigrations() {
    int missing = jdbi.withHandle(handle -> Migrations.missing(handle, changeSets));
    return missing == 0
        ? HealthCheck.Result.healthy("all " + changeSets.size() + " are there")
        : HealthCheck.Result.unhealthy(missing + " are missing");
  }

  /** Returns how many changes of this version the schema lacks, and changes nothing itself. */
  private static int missing(Connection connection) {
    List<String> wanted = Migrations.changeSets();
    return Jdbi.create(connection)
        .withHandle(
            handle -> {
              boolean empty =
                  handle
                          .createQuery(
                              "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema ="
                                  + " DATABASE() AND LOWER(table_name) = 'databasechangelog'")
                          .mapTo(Integer.class)
                          .one()
                      == 0;
              return empty ? wanted.size() : Migrations.missing(handle, wanted);
            });
  }

  /** Use of the pool: connections in use, idle, and waited for. */
  private record DatabasePool(DataSourceProxy pool) {
    /**
     * Health check of the database that reports the pool's figures, too.
     *
     * @param answers queries the database, with a time limit
     */
    HealthCheck check(HealthCheck answers) {
      return new HealthCheck() {
        @Override
        protected Result check() {
          Result answer = answers.execute();
          ResultBuilder result =
              Result.builder()
                  .withDetail("active", pool.getActive())
                  .withDetail("idle", pool.getIdle())
                  .withDetail("waiting", pool.getWaitCount())
                  .withDetail("max", pool.getMaxActive());
          result = answer.isHealthy() ? result.healthy() : result.unhealthy();
          return result
              .withMessage(
                  answer.getError() == null ? answer.getMessage() : "the database does not answer")
              .build();
        }
      };
    }

    void register(PrometheusRegistry registry) {
      GaugeWithCallback.builder()
          .name("memory_gateway_database_connections")
          .help("Connections of the pool by state: active, idle; and the most there may be.")
          .labelNames("state")
          .callback(
              gauge -> {
                gauge.call(pool.getActive(), "active");
                gauge.call(pool.getIdle(), "idle");
                gauge.call(pool.getMaxActive(), "max");
              })
          .register(registry);
      GaugeWithCallback.builder()
          .name("memory_gateway_database_waiting")
          .help("Requests that wait for a connection of the pool.")
          .callback(gauge -> gauge.call(pool.getWaitCount()))
          .register(registry);
    }
  }
}
