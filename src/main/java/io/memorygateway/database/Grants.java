package io.memorygateway.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

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
    Set<String> tables = tables(connection);
    for (String table : tables) {
      if (table.equalsIgnoreCase(CHANGES_LOCK)) {
        continue;
      }
      String home = DividedTables.COLUMNS.getOrDefault(table, "");
      String none = home.isEmpty() ? " WHERE 1 = 0" : DividedTables.none(home, Home.FIRST.last());
      List<String> columns = attempt(connection, "SELECT", table, "SELECT * FROM " + table + none);
      if (!table.equalsIgnoreCase(CHANGES)) {
        attempt(
            connection, "INSERT", table, "INSERT INTO " + table + " SELECT * FROM " + table + none);
      }
      if (!table.equalsIgnoreCase(CHANGES) && !table.equalsIgnoreCase(AUDIT_LOG)) {
        // No row may be moved to another home, not even to its own.
        String column = columns.get(columns.get(0).equals(home) ? 1 : 0);
        attempt(
            connection,
            "UPDATE",
            table,
            "UPDATE " + table + " SET " + column + " = " + column + none);
        attempt(connection, "DELETE", table, "DELETE FROM " + table + none);
      }
    }
    return tables.size();
  }

  /** Runs a statement; returns its columns, if it is a query. */
  private static List<String> attempt(
      Connection connection, String what, String table, String sql) {
    List<String> columns = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        ResultSetMetaData found = statement.getResultSet().getMetaData();
        for (int i = 1; i <= found.getColumnCount(); i++) {
          columns.add(found.getColumnName(i));
        }
      }
      return columns;
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "database.user: may not " + what + " on the table " + table + ": " + Database.reason(e),
          e);
    }
  }

  /** Those of the schema, and those that are led to another one. */
  private static Set<String> tables(Connection connection) throws SQLException {
    Set<String> tables = new TreeSet<>(DividedTables.COLUMNS.keySet());
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW TABLES")) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    return tables;
  }
}
