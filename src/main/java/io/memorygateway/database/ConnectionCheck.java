package io.memorygateway.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.tomcat.jdbc.pool.PooledConnection;
import org.apache.tomcat.jdbc.pool.Validator;
import org.jspecify.annotations.Nullable;

/**
 * Validator of the pool's connections: drops those that do not answer. A query with a timeout would
 * not do: the driver cancels it over another connection, and waits.
 *
 * @param forWrites whether a server that takes no writes fails the check, since another one may
 *     take them
 * @param first statement for each new connection, which the pool leaves to its validator; null if
 *     there is none
 */
public record ConnectionCheck(boolean forWrites, @Nullable String first) implements Validator {
  private static final int SECONDS = 1;

  @Override
  public boolean validate(Connection connection, int validateAction) {
    try {
      if (first != null && validateAction == PooledConnection.VALIDATE_INIT) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(first);
        }
      }
      return connection.isValid(SECONDS) && (!forWrites || DatabaseHosts.takesWrites(connection));
    } catch (SQLException e) {
      return false;
    }
  }

  /** Tries a connection of a pool, however lately that was done; others pass. */
  static boolean passes(Connection connection) {
    try {
      PooledConnection pooled = connection.unwrap(PooledConnection.class);
      pooled.setLastValidated(0);
      return pooled.validate(PooledConnection.VALIDATE_BORROW);
    } catch (SQLException e) {
      return true;
    }
  }

  /**
   * Marks a connection, so that the pool closes it when it is returned instead of lending it again.
   */
  public static void discard(Connection connection) {
    try {
      // The pool's wrapper does not say that it is one for this.
      connection.unwrap(PooledConnection.class).setDiscarded(true);
    } catch (SQLException ignored) {
      // It has been returned already, or is of no pool.
    }
  }
}
