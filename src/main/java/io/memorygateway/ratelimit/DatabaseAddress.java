package io.memorygateway.ratelimit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/**
 * Where the windows live, and how to connect for them: apart from the pool, since such a connection
 * takes several statements in one text and must not wait behind other work.
 *
 * @param url a MySQL JDBC URL; its own parameters give way to the ones set here
 */
public record DatabaseAddress(String url, String user, String password) {

  /**
   * A connection at READ COMMITTED, without auto-commit.
   *
   * @param timeout of an answer; past it the connection is broken
   */
  Connection connect(Duration connectTimeout, Duration timeout) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", String.valueOf(connectTimeout.toMillis()));
    properties.setProperty("socketTimeout", String.valueOf(timeout.toMillis()));
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("allowMultiQueries", "true");
    properties.setProperty("connectionTimeZone", "UTC");
    properties.setProperty("maintainTimeStats", "false");
    properties.setProperty("sessionVariables", "innodb_lock_wait_timeout=1");
    Connection connection = DriverManager.getConnection(url, properties);
    try {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      connection.abort(Runnable::run);
      throw e;
    }
  }

  @Override
  public String toString() {
    return "the database for rate limits";
  }
}
