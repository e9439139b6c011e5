package io.memorygateway.database;

import com.codahale.metrics.MetricRegistry;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.ManagedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;

/** Opens every pool of connections, so that what one is tuned with holds for all. */
final class ConnectionPools {
  private ConnectionPools() {}

  /**
   * Opens a pool.
   *
   * @param completed its settings, by {@link Database#complete}
   */
  static ManagedDataSource open(DataSourceFactory completed, MetricRegistry metrics, String name) {
    ManagedDataSource dataSource = completed.build(metrics, name);
    if (dataSource instanceof DataSourceProxy pool) {
      // It would pass every value of every row through reflection, only to compare closed
      // statements.
      pool.setUseStatementFacade(false);
      DatabaseHosts hosts = new DatabaseHosts(completed.getUrl());
      pool.setValidator(new ConnectionCheck(hosts.several(), completed.getInitializationQuery()));
      if (hosts.several()) {
        pool.setDataSource(new HostsDataSource(hosts, Database.driverProperties(completed)));
      }
    }
    return dataSource;
  }

  /** Data source of the pool: connects to whichever of several hosts takes writes. */
  private static final class HostsDataSource extends MysqlDataSource {
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
}
