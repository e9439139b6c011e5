package io.memorygateway.database;

import io.dropwizard.db.DataSourceFactory;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The findings of the {@code check} command about the database.
 *
 * @param server name and version
 * @param tables whose grants were tried
 */
public record DatabaseInspection(String server, int tables) {
  /**
   * Inspects the database that is configured.
   *
   * @throws IllegalArgumentException with a line for the operator, if a server could not work there
   */
  public static DatabaseInspection of(DataSourceFactory configured) {
    DataSourceFactory factory = DatabaseModule.migrated(configured);
    try (Connection connection = Database.connect(factory)) {
      return new DatabaseInspection(DatabaseServer.require(connection), Grants.require(connection));
    } catch (SQLException e) {
      throw Database.unreachable(e);
    }
  }
}
