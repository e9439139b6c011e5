package io.memorygateway.database;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.util.Duration;
import java.util.HashMap;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.StatementExceptions;

/**
 * Small pool of connections for reports, apart from the one of requests. The server ends each of
 * their statements after two seconds, so that no report slows calls down for long.
 */
public final class ReportConnections {
  /** Of which callers of the admin port who are no owners have all but one. */
  private static final int CONNECTIONS = 4;

  private static final int STATEMENT_MILLIS = 2_000;

  /**
   * Time limit of statements. The variable has another name, and unit, on MariaDB: the first
   * comment is a statement there only, and the second, by its number, on MySQL only.
   */
  private static final String LIMIT_STATEMENTS =
      "SET SESSION sql_big_selects = 1 /*M!100100 , max_statement_time = 2 */"
          + " /*!50799 , max_execution_time = "
          + STATEMENT_MILLIS
          + " */";

  private ReportConnections() {}

  /**
   * Opens the pool; its first connection is opened when it is needed.
   *
   * @param configured the settings of the pool of requests, complete
   */
  public static Jdbi open(DataSourceFactory configured, Environment environment) {
    DataSourceFactory factory = new DataSourceFactory();
    factory.setDriverClass(configured.getDriverClass());
    factory.setUrl(configured.getUrl());
    factory.setUser(configured.getUser());
    factory.setPassword(configured.getPassword());
    factory.setProperties(new HashMap<>(configured.getProperties()));
    factory
        .getProperties()
        .computeIfPresent(
            SessionLimits.PROPERTY,
            (name, given) -> SessionLimits.withStatements(given, STATEMENT_MILLIS));
    factory.setInitialSize(0);
    factory.setMinSize(0);
    factory.setMaxSize(CONNECTIONS);
    factory.setMaxWaitForConnection(Duration.seconds(2));
    // Reports are few: each connection is looked at before it is lent.
    factory.setCheckConnectionOnBorrow(true);
    factory.setValidationInterval(Duration.milliseconds(0));
    factory.setInitializationQuery(LIMIT_STATEMENTS);
    factory.setDefaultTransactionIsolation(DataSourceFactory.TransactionIsolation.READ_COMMITTED);
    ManagedDataSource pool = ConnectionPools.open(factory, environment.metrics(), "reports");
    environment.lifecycle().manage(pool);
    Jdbi jdbi = SqlObjects.install(Jdbi.create(pool));
    jdbi.getConfig(StatementExceptions.class)
        .setMessageRendering(StatementExceptions.MessageRendering.NONE);
    return jdbi;
  }
}
