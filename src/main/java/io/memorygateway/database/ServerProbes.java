package io.memorygateway.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/**
 * Probes of whether a server does as it is told. They lock the last row of {@code rate_limit_slots}
 * for a moment, and change nothing.
 */
final class ServerProbes {
  private static final String LOCK = "SELECT 1 FROM rate_limit_slots WHERE slot = 23 FOR UPDATE";

  private static final String WRITE =
      "UPDATE rate_limit_slots SET seen_at = seen_at WHERE slot = 23";

  private static final String SCHEMA =
      "SELECT schema_name FROM information_schema.schemata WHERE schema_name = DATABASE()";

  /** Error of both servers: the statement cannot be written to the binary log. */
  private static final int NOT_FOR_BINARY_LOG = 1665;

  /** Only until the other one may have it; nobody else waits for a row of this name. */
  private static final String TAKE =
      "INSERT INTO leases (name, owner, expires_at) VALUES ('%s', '', UTC_TIMESTAMP(3))";

  /** Changes nothing, and locks nothing. */
  private static final String WRITE_NOTHING = "DELETE FROM leases WHERE name = ''";

  /** Longest wait for a transaction's end, which the server looks for from time to time. */
  private static final int END_SECONDS = 10;

  private ServerProbes() {}

  /**
   * Probe of whether a schema has the name by which it is asked for, as migrations look for their
   * tables by it.
   *
   * @throws IllegalArgumentException with a line for the operator, if it has another one
   */
  static void requireSameSchema(Connection connection) throws SQLException {
    String asked = connection.getCatalog();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SCHEMA)) {
      if (row.next() && asked != null && !row.getString(1).equalsIgnoreCase(asked)) {
        throw new IllegalArgumentException(
            "database: the schema of the keyspace %s is %s, where migrations do not find their tables; set"
                    .formatted(asked, row.getString(1))
                + " init-db-name-override of its vttablets to "
                + asked);
      }
    }
  }

  /**
   * Probe of whether a schema is a keyspace of Vitess that has shards, where neither migrations nor
   * tables that are not divided belong.
   *
   * @throws IllegalArgumentException with a line for the operator, if it is one
   */
  static void requireWithoutShards(Connection connection) throws SQLException {
    String asked = connection.getCatalog();
    try (Statement statement = connection.createStatement();
        ResultSet keyspaces = statement.executeQuery("SHOW VSCHEMA KEYSPACES")) {
      while (keyspaces.next()) {
        if (keyspaces.getString(1).equals(asked) && Boolean.parseBoolean(keyspaces.getString(2))) {
          throw new IllegalArgumentException(
              "database.url: the keyspace %s has shards; name the one without, where projects are"
                  .formatted(asked));
        }
      }
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.OTHER) {
        throw e;
      }
      // Other servers have no keyspaces, and say so.
    }
  }

  /**
   * Probe of whether the server skips locked rows, by which work is distributed: some databases
   * that speak MySQL's protocol accept the words and ignore them.
   *
   * @param holder locks the row meanwhile
   * @param other has to skip it
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  static void requireSkipLocked(Connection holder, Connection other) throws SQLException {
    holder.setAutoCommit(false);
    other.setAutoCommit(false);
    try {
      limitWaits(holder);
      limitWaits(other);
      boolean skips = locks(holder, LOCK) && !locks(other, LOCK + " SKIP LOCKED");
      if (!skips) {
        throw new IllegalArgumentException(
            "database: the server does not pass over locked rows where it is told to (FOR UPDATE SKIP"
                + " LOCKED), so what the gateway promises cannot be kept on it");
      }
    } finally {
      other.rollback();
      holder.rollback();
    }
  }

  /**
   * Probe of whether the server ends a transaction that has reached its {@code
   * transaction_timeout}, which may take it some seconds. Leaves variables of both sessions behind.
   *
   * @param holder begins one, and does not go on
   * @param other waits for a lock of it
   * @throws IllegalArgumentException with a line for the operator, if it does not
   */
  static void requireTransactionsEnd(Connection holder, Connection other) throws SQLException {
    String take = TAKE.formatted(UUID.randomUUID());
    holder.setAutoCommit(false);
    other.setAutoCommit(false);
    try (Statement first = holder.createStatement();
        Statement second = other.createStatement()) {
      first.execute("SET SESSION transaction_timeout = 100");
      second.execute("SET SESSION innodb_lock_wait_timeout = " + END_SECONDS);
      first.executeUpdate(take);
      second.executeUpdate(take);
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.LOCK_WAIT_TIMEOUT) {
        throw e;
      }
      throw new IllegalArgumentException(
          "database: the server does not end transactions that take too long; set"
              + " queryserver-config-transaction-timeout of its vttablets to 30s",
          e);
    } finally {
      other.rollback();
      try {
        holder.rollback();
      } catch (SQLException ended) {
        // As it has to be.
      }
    }
  }

  /**
   * Probe of whether the server writes at the gateway's isolation: one that logs statements instead
   * of rows starts, answers and refuses every write.
   *
   * @param connection without auto-commit
   * @throws IllegalArgumentException with a line for the operator, if the server refuses the write
   *     for its binary log; other refusals are told where they concern a request
   */
  static void requireWrites(Connection connection) throws SQLException {
    connection.rollback();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(WRITE);
    } catch (SQLException e) {
      if (e.getErrorCode() == NOT_FOR_BINARY_LOG) {
        throw new IllegalArgumentException(
            "database: the server refuses writes at READ COMMITTED, because its binary log takes"
                + " statements; set binlog_format = ROW there",
            e);
      }
    } finally {
      connection.rollback();
    }
  }

  /**
   * Probe of whether a server refuses writes because it is read-only. It is told to write only if
   * its variables say so, for that may wait, and some accounts may write all the same. One that
   * does not know what it is asked, as a proxy of many servers, answers at least.
   */
  static boolean isReadOnly(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!DatabaseHosts.takesWrites(connection)) {
        statement.executeUpdate(WRITE_NOTHING);
      }
      return false;
    } catch (SQLException e) {
      DatabaseFailure failure = DatabaseFailure.of(e);
      if (failure != DatabaseFailure.NOT_WRITABLE && failure != DatabaseFailure.OTHER) {
        throw e;
      }
      return failure == DatabaseFailure.NOT_WRITABLE;
    }
  }

  private static void limitWaits(Connection connection) throws SQLException {
    try (Statement settings = connection.createStatement()) {
      settings.execute("SET SESSION innodb_lock_wait_timeout = " + SessionLimits.LOCK_WAIT_SECONDS);
    }
  }

  /** Whether a statement locks the row, or waits for it in vain; false if it skips the row. */
  private static boolean locks(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next();
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) == DatabaseFailure.LOCK_WAIT_TIMEOUT) {
        return true;
      }
      throw e;
    }
  }
}
