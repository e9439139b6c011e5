package io.memorygateway.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.apache.tomcat.jdbc.pool.PooledConnection;
import org.apache.tomcat.jdbc.pool.Validator;

/**
 * Finds out whether a connection of the pool still answers, and drops those that do not. A query
 * with a timeout would not do: the driver cancels it over another connection, and waits.
 */
public final class ConnectionCheck implements Validator {
  private static final int SECONDS = 1;

  private final boolean forWrites;

  /**
   * Makes the check.
   *
   * @param forWrites whether a server that takes no writes will not do: another one may
   */
  ConnectionCheck(boolean forWrites) {
    this.forWrites = forWrites;
  }

  @Override
  public boolean validate(Connection connection, int validateAction) {
    try {
      return connection.isValid(SECONDS) && (!forWrites || DatabaseHosts.takesWrites(connection));
    } catch (SQLException e) {
      return false;
    }
  }

  /** Has the pool close a connection, when it gets it back, instead of lending it again. */
  public static void discard(Connection connection) {
    try {
      if (connection.isWrapperFor(PooledConnection.class)) {
        connection.unwrap(PooledConnection.class).setDiscarded(true);
      }
    } catch (SQLException ignored) {
      // It has been given back already.
    }
  }
}
