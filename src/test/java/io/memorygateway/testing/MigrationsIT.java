package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MigrationsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  /**
   * The tests' schemas are copies: what they show holds for migrated ones only if both are alike.
   */
  @Test
  void makeInAnEmptySchemaWhatTheTestsHave() throws Exception {
    String url = DATABASE.url().replaceFirst("/gateway_", "/migrated_");
    try (Connection copied = DATABASE.connect();
        Connection migrated =
            DriverManager.getConnection(url, DATABASE.user(), DATABASE.password())) {
      try {
        assertThat(tables(migrated)).isEmpty();
        TestDatabase.migrate(migrated);

        Map<String, List<String>> tables = tables(migrated);
        assertThat(tables).containsKeys("api_keys", "messages", "DATABASECHANGELOG");
        assertThat(tables(copied)).isEqualTo(tables);
        assertThat(parts(migrated))
            .as("a copy has no more than tables")
            .containsExactly("BASE TABLE");
      } finally {
        migrated.createStatement().execute("DROP DATABASE " + migrated.getCatalog());
      }
    }
  }

  /** What is made is in {@code target/schema.txt}, for whoever has changed it on purpose. */
  @Test
  void makeTheSameSchemaOnEveryServer() throws Exception {
    String made;
    try (Connection connection = DATABASE.connect()) {
      made = String.join("\n", schema(connection)) + "\n";
    }
    Files.writeString(Path.of("target/schema.txt"), made);

    assertThat(made).isEqualTo(Files.readString(Path.of("src/test/resources/schema.txt")));
  }

  /**
   * Columns, keys and references, in words of both servers; not the columns of Liquibase's tables.
   */
  private static List<String> schema(Connection connection) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT table_name, column_name, column_type, collation_name, is_nullable, column_default, extra, column_comment
                FROM information_schema.columns
                WHERE table_schema = DATABASE() AND table_name NOT LIKE 'DATABASECHANGELOG%'
                ORDER BY BINARY table_name, BINARY column_name
                """)) {
      while (row.next()) {
        // MariaDB has no type JSON, shows the width of numbers, and quotes defaults.
        boolean json = row.getString(3).equals("json");
        String type =
            json ? "longtext" : row.getString(3).replaceFirst("^(\\w*int)\\(\\d+\\)", "$1");
        String byDefault = row.getString(6);
        lines.add(
            "%s %s %s %s %s %s %s -- %s"
                .formatted(
                    row.getString(1),
                    row.getString(2),
                    type,
                    json ? "utf8mb4_bin" : row.getString(4),
                    row.getString(5).equals("YES") ? "NULL" : "NOT NULL",
                    byDefault == null ? "NULL" : byDefault.replace("'", ""),
                    row.getString(7).toLowerCase(Locale.ROOT),
                    row.getString(8)));
      }
    }
    for (String query :
        List.of(
            """
            SELECT CONCAT_WS(' ', table_name, IF(non_unique, 'KEY', 'UNIQUE'), index_name,
              GROUP_CONCAT(CONCAT(column_name, IF(collation = 'D', ' DESC', '')) ORDER BY seq_in_index))
            FROM information_schema.statistics WHERE table_schema = DATABASE()
            GROUP BY table_name, index_name, non_unique ORDER BY BINARY table_name, BINARY index_name
            """,
            """
            SELECT CONCAT_WS(' ', table_name, 'REFERENCES', referenced_table_name, constraint_name)
            FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE()
            ORDER BY BINARY table_name, BINARY constraint_name
            """)) {
      lines.addAll(column(connection, query, 1));
    }
    return lines;
  }

  /** How each table is made, and its rows. */
  private static Map<String, List<String>> tables(Connection connection) throws SQLException {
    Map<String, List<String>> tables = new TreeMap<>();
    for (String table : column(connection, "SHOW TABLES", 1)) {
      List<String> all = new ArrayList<>();
      for (String made : column(connection, "SHOW CREATE TABLE " + table, 2)) {
        // MySQL names the character set of a column where the statement that made it did.
        all.add(made.replace(" CHARACTER SET utf8mb4 COLLATE ", " COLLATE "));
      }
      // When a migration ran differs.
      String columns =
          table.equals("DATABASECHANGELOG") ? "id, author, filename, md5sum, exectype" : "*";
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT " + columns + " FROM " + table)) {
        while (row.next()) {
          List<String> values = new ArrayList<>();
          for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
            values.add(row.getString(i));
          }
          all.add(values.toString());
        }
      }
      tables.put(table, all);
    }
    return tables;
  }

  /** What else a schema may have; a copy takes tables only. */
  private static List<String> parts(Connection connection) throws SQLException {
    List<String> parts =
        column(
            connection,
            "SELECT DISTINCT table_type FROM information_schema.tables WHERE table_schema = DATABASE()",
            1);
    parts.addAll(column(connection, "SHOW TRIGGERS", 1));
    parts.addAll(column(connection, "SHOW EVENTS", 2));
    parts.addAll(
        column(
            connection,
            "SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE()",
            1));
    return parts;
  }

  private static List<String> column(Connection connection, String query, int column)
      throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        values.add(rows.getString(column));
      }
    }
    return values;
  }
}
