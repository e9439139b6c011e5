package io.memorygateway.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Check of the database user's rights, by statements that affect no rows: rights can be granted in
 * many ways.
 */
final class Grants {
  /** Written by the migrations; the server only reads it. */
  private static final String CHANGES = "DATABASECHANGELOG";

  /** Rows are only added to it, so an account need not be able to change it. */
  private static final String AUDIT_LOG = "audit_log";

  private static final String CHANGES_LOCK = "DATABASECHANGELOGLOCK";

  private Grants() {}

  /**
   * Checks the rights.
   *
   * @return the number of tables
   * @throws IllegalArgumentException with a line for the operator, if a right is missing
   */
  static int require(Connection connection) throws SQLException {
    List<String> tables = tables(connection);
    for (String table : tables) {
      if (table.equalsIgnoreCase(CHANGES_LOCK)) {
        continue;
      }
      String column =
          attempt(connection, "SELECT", table, "SELECT * FROM " + table + " WHERE 1 = 0");
      if (!table.equalsIgnoreCase(CHANGES)) {
        attempt(
            connection,
            "INSERT",
            table,
            "INSERT INTO " + table + " SELECT * FROM " + table + " WHERE 1 = 0");
      }
      if (!table.equalsIgnoreCase(CHANGES) && !table.equalsIgnoreCase(AUDIT_LOG)) {
        attempt(
            connection,
            "UPDATE",
            table,
            "UPDATE " + table + " SET " + column + " = " + column + " WHERE 1 = 0");
        attempt(connection, "DELETE", table, "DELETE FROM " + table + " WHERE 1 = 0");
      }
    }
    return tables.size();
  }

  /** Runs a statement; returns the first column if it is a query. */
  private static String attempt(Connection connection, String what, String table, String sql) {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      try (ResultSet rows = statement.getResultSet()) {
        return rows.getMetaData().getColumnName(1);
      }
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "database.user: may not " + what + " on the table " + table + ": " + Database.reason(e),
          e);
    }
  }

  private static List<String> tables(Connection connection) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW TABLES")) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    return tables;
  }
}
