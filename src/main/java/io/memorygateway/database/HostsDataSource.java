package io.memorygateway.database;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Data source of the pool: connects to whichever of several hosts takes writes. */
record HostsDataSource(DatabaseHosts hosts, Properties properties) implements DataSource {
  @Override
  public Connection getConnection() throws SQLException {
    return hosts.connect(properties);
  }

  /** Ignores the arguments: the pool passes the user that is among the properties. */
  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw new SQLFeatureNotSupportedException("There is no log writer.");
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("There is no log writer.");
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    throw new SQLFeatureNotSupportedException("The driver's connectTimeout counts.");
  }

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("There is no such logger.");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("This wraps nothing.");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
