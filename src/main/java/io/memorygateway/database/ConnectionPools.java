package io.memorygateway.database;

import com.codahale.metrics.MetricRegistry;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.ManagedDataSource;
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
}
