package io.memorygateway.database;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Data source of the pool: connects to whichever of several hosts takes writes. */
final class HostsDataSource extends MysqlDataSource {
  private final transient DatabaseHosts hosts;
  private final Properties properties;

  HostsDataSource(DatabaseHosts hosts, Properties properties) {
    this.hosts = hosts;
    this.properties = properties;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return hosts.connect(properties);
  }

  /** Ignores the arguments: the pool passes the user that is among the properties. */
  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }
}
