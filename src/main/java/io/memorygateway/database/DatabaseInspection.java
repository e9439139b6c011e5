package io.memorygateway.database;

import io.dropwizard.db.DataSourceFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Result of inspecting a database, at the start and by the {@code check} command.
 *
 * @param server name and version
 * @param topology the cluster that it is part of, if any
 */
public record DatabaseInspection(String server, DatabaseTopology topology) {
  /**
   * Inspects a database that has its schema.
   *
   * @throws IllegalArgumentException with a line for the operator, if the gateway's guarantees
   *     could not hold there
   */
  public static DatabaseInspection of(DataSourceFactory migrated) {
    try (Connection connection = Database.connect(migrated);
        Connection other = Database.connect(migrated)) {
      String server = DatabaseServer.require(connection);
      DatabaseTopology topology = DatabaseTopology.of(connection);
      ServerProbes.requireSameSchema(connection);
      ServerProbes.requireSkipLocked(connection, other);
      ServerProbes.requireWrites(connection);
      if (topology.kind() == DatabaseTopology.Kind.VITESS) {
        DividedTables.requireTogether(
            connection,
            migrated instanceof DatabaseSettings settings ? settings.homes() : List.of(Home.FIRST));
        ServerProbes.requireTransactionsEnd(connection, other);
      }
      return new DatabaseInspection(server, topology);
    } catch (SQLException e) {
      throw Database.unreachable(e);
    }
  }

  /**
   * Checks the rights of the account on every table.
   *
   * @return the number of tables
   * @throws IllegalArgumentException with a line for the operator, if a right is missing
   */
  public static int grants(DataSourceFactory migrated) {
    try (Connection connection = Database.connect(migrated)) {
      return Grants.require(connection);
    } catch (SQLException e) {
      throw Database.unreachable(e);
    }
  }
}
