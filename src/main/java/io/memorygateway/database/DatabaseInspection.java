package io.memorygateway.database;

import io.dropwizard.db.DataSourceFactory;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The findings about a database, at the start and by the {@code check} command.
 *
 * @param server name and version
 * @param topology the cluster that it is part of, if any
 */
public record DatabaseInspection(String server, DatabaseTopology topology) {
  /**
   * Inspects a database whose schema is there.
   *
   * @throws IllegalArgumentException with a line for the operator, if the gateway's promises could
   *     not be kept there
   */
  public static DatabaseInspection of(DataSourceFactory migrated) {
    try (Connection connection = Database.connect(migrated);
        Connection other = Database.connect(migrated)) {
      String server = DatabaseServer.require(connection);
      DatabaseTopology topology = DatabaseTopology.of(connection);
      SkipLockedProbe.require(connection, other);
      return new DatabaseInspection(server, topology);
    } catch (SQLException e) {
      throw Database.unreachable(e);
    }
  }

  /**
   * Tries what the account may do.
   *
   * @return the number of tables that it was tried on
   * @throws IllegalArgumentException with a line for the operator, if something is not allowed
   */
  public static int grants(DataSourceFactory migrated) {
    try (Connection connection = Database.connect(migrated)) {
      return Grants.require(connection);
    } catch (SQLException e) {
      throw Database.unreachable(e);
    }
  }
}
