package io.memorygateway.database;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The tables that are divided where homes are divided among shards, each with the column that tells
 * the home, as {@code ops/vitess} tells it to the engine.
 */
final class DividedTables {
  /** The columns by the names of their tables. */
  static final ImmutableMap<String, String> COLUMNS = columns("/vitess/gateway.vschema.json");

  private DividedTables() {}

  private static ImmutableMap<String, String> columns(String file) {
    ImmutableMap.Builder<String, String> columns = ImmutableMap.builder();
    try (InputStream vschema =
        Objects.requireNonNull(DividedTables.class.getResourceAsStream(file), file)) {
      for (Map.Entry<String, JsonNode> table :
          new ObjectMapper().readTree(vschema).path("tables").properties()) {
        columns.put(table.getKey(), table.getValue().at("/column_vindexes/0/column").asText());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return columns.buildOrThrow();
  }

  /** A condition on rows of a home that leads to the shard of one id, and is true of no row. */
  static String none(String column, long id) {
    return " WHERE " + column + " = " + id + " LIMIT 0";
  }

  /**
   * Probe of whether all rows of a home are in one shard, as a transaction writes in one only.
   *
   * @param connection to Vitess, whose session lets no transaction write in two shards afterwards
   * @throws IllegalArgumentException with a line for the operator, if they are not
   */
  static void requireTogether(Connection connection, List<Home> homes) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET transaction_mode = 'SINGLE'");
      for (Home home : homes) {
        for (Map.Entry<String, String> each : COLUMNS.entrySet()) {
          for (long id : new long[] {home.first(), home.last()}) {
            write(statement, home, each.getKey(), none(each.getValue(), id));
          }
        }
        connection.rollback();
      }
    } finally {
      connection.rollback();
    }
  }

  private static void write(Statement statement, Home home, String table, String rows)
      throws SQLException {
    try {
      statement.executeUpdate("DELETE FROM " + table + rows);
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.OTHER) {
        throw e;
      }
      throw new IllegalArgumentException(
          "database: rows of home %d are not all in one shard: %s is not where the tables before it are; run"
                  .formatted(home.number(), table)
              + " ops/vitess/divide, which moves tables and sets the vschema ("
              + Database.reason(e)
              + ")",
          e);
    }
  }
}
