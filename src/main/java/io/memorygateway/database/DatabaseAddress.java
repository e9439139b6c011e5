package io.memorygateway.database;

import static java.util.Objects.requireNonNullElse;

import io.dropwizard.db.DataSourceFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/**
 * Address of the database, and connections apart from the pool: for work of one kind that never
 * waits behind other work, and sends several statements in one text.
 */
public final class DatabaseAddress {
  private final String url;
  private final String user;
  private final String password;
  private final Map<String, String> properties;
  private final DatabaseHosts hosts;

  /**
   * Creates an address.
   *
   * @param url a MySQL JDBC URL, of one host or several
   * @param properties of the driver; the ones set here override them and the URL's
   */
  public DatabaseAddress(String url, String user, String password, Map<String, String> properties) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.properties = Map.copyOf(properties);
    this.hosts = new DatabaseHosts(url);
  }

  public static DatabaseAddress of(DataSourceFactory database) {
    return new DatabaseAddress(
        requireNonNullElse(database.getUrl(), ""),
        requireNonNullElse(database.getUser(), ""),
        requireNonNullElse(database.getPassword(), ""),
        database.getProperties());
  }

  /**
   * Opens a connection at READ COMMITTED, without auto-commit.
   *
   * @param timeout of an answer; after it the connection is broken
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
    // Otherwise streaming rows takes two more round trips, to change net_write_timeout.
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
   * Closes a connection. One that failed is aborted: a regular close would wait for a server that
   * hangs.
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
