package io.memorygateway.database;

import static java.util.Objects.requireNonNullElse;

import io.dropwizard.db.DataSourceFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/**
 * Where the database is, and how to connect apart from the pool: for work of one kind that never
 * waits behind other work, and takes several statements in one text.
 */
public final class DatabaseAddress {
  private final String url;
  private final String user;
  private final String password;
  private final Map<String, String> properties;
  private final DatabaseHosts hosts;

  /**
   * An address.
   *
   * @param url a MySQL JDBC URL, of one host or several
   * @param properties of the driver; they and the URL's give way to the ones set here
   */
  public DatabaseAddress(String url, String user, String password, Map<String, String> properties) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.properties = Map.copyOf(properties);
    this.hosts = new DatabaseHosts(url);
  }

  /** The database of the {@code database:} block. */
  public static DatabaseAddress of(DataSourceFactory database) {
    return new DatabaseAddress(
        requireNonNullElse(database.getUrl(), ""),
        requireNonNullElse(database.getUser(), ""),
        requireNonNullElse(database.getPassword(), ""),
        database.getProperties());
  }

  /**
   * A connection at READ COMMITTED, without auto-commit.
   *
   * @param timeout of an answer; past it the connection is broken
   */
  public Connection connect(Duration connectTimeout, Duration timeout) throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty("user", user);
    all.setProperty("password", password);
    all.setProperty("connectTimeout", String.valueOf(connectTimeout.toMillis()));
    all.setProperty("socketTimeout", String.valueOf(timeout.toMillis()));
    all.setProperty("tcpKeepAlive", "true");
    all.setProperty("allowMultiQueries", "true");
    // Else reading rows as they come takes two more round trips, to change net_write_timeout.
    all.setProperty("netTimeoutForStreamingResults", "0");
    all.setProperty("connectionTimeZone", "UTC");
    all.setProperty(
        SessionLimits.PROPERTY,
        SessionLimits.addedTo(url, properties.get(SessionLimits.PROPERTY), ""));
    all.putIfAbsent("socketFactory", GuardedSocketFactory.class.getName());
    Connection connection = hosts.connect(all);
    try {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      disconnect(connection, false);
      throw e;
    }
  }

  /**
   * Closes a connection. One that failed is dropped without a farewell, for which a server that
   * hangs would make us wait.
   */
  public static void disconnect(Connection connection, boolean works) {
    try {
      if (works) {
        connection.close();
      } else {
        connection.abort(Runnable::run);
      }
    } catch (SQLException ignored) {
      // It is gone either way.
    }
  }

  @Override
  public String toString() {
    return "the address of the database";
  }
}
