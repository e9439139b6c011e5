package io.memorygateway.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The schema that the migrations make, and copies of it: making tables as they are in the end takes
 * a fraction of the time that all the migrations take.
 */
final class SchemaTemplate {
  private final String schema;
  private final Opener opener;
  private final List<String> statements;

  private interface Opener {
    Connection open(String schema) throws SQLException;
  }

  private SchemaTemplate(String schema, Opener opener, List<String> statements) {
    this.schema = schema;
    this.opener = opener;
    this.statements = statements;
  }

  /**
   * Runs the migrations in a schema of its own.
   *
   * @param server JDBC URL up to the name of a schema
   * @param options the rest of it
   */
  static SchemaTemplate migrated(String server, String options, String user, String password)
      throws Exception {
    String schema = "gateway_template_" + UUID.randomUUID().toString().replace("-", "");
    Opener opener = name -> DriverManager.getConnection(server + name + options, user, password);
    try (Connection connection = opener.open(schema)) {
      TestDatabase.migrate(connection);
    }
    // The migrations leave the connection as they need it.
    try (Connection connection = opener.open(schema)) {
      return new SchemaTemplate(schema, opener, statements(connection, schema));
    }
  }

  /**
   * The only schema of a server that stands before the one that stores it, as Vitess does: it is
   * emptied there for each use.
   *
   * @param url of the schema
   * @param beneath JDBC URL of the server that stores it, up to the name of a schema
   * @param name of the schema on both
   */
  static SchemaTemplate ofOnly(
      String url, String user, String password, String beneath, String name) throws Exception {
    String copy = "gateway_template_" + UUID.randomUUID().toString().replace("-", "");
    Opener opener = other -> DriverManager.getConnection(beneath + other + "?user=root");
    List<String> statements = new ArrayList<>(List.of("USE " + name));
    try (Connection connection = opener.open(name);
        Statement statement = connection.createStatement()) {
      statement.execute("SET foreign_key_checks = 0");
      for (String table : column(statement, "SHOW TABLES", 1)) {
        statement.execute("DROP TABLE `" + table + "`");
      }
      try (Connection migrated = DriverManager.getConnection(url, user, password)) {
        TestDatabase.migrate(migrated);
      }
      statement.execute("CREATE DATABASE " + copy);
      for (String table : column(statement, "SHOW TABLES", 1)) {
        statement.execute("CREATE TABLE `%s`.`%s` SELECT * FROM `%2$s`".formatted(copy, table));
        statements.add("TRUNCATE TABLE `" + table + "`");
        statements.add("INSERT INTO `%1$s` SELECT * FROM `%2$s`.`%1$s`".formatted(table, copy));
      }
    }
    return new SchemaTemplate(copy, opener, statements);
  }

  /**
   * A schema beneath that is migrated already, and divided with others: emptied for each use of
   * what was written since the first.
   *
   * @param beneath JDBC URL with the name of the schema
   */
  static SchemaTemplate ofDivided(String beneath) throws SQLException {
    int end = beneath.lastIndexOf('/') + 1;
    String name = beneath.substring(end);
    Opener opener =
        other -> DriverManager.getConnection(beneath.substring(0, end) + name + "?user=root");
    String copy = "template";
    List<String> statements = new ArrayList<>();
    try (Connection connection = opener.open("");
        Statement statement = connection.createStatement()) {
      boolean isNew = column(statement, "SHOW DATABASES LIKE '" + copy + "'", 1).isEmpty();
      statement.execute("CREATE DATABASE IF NOT EXISTS " + copy);
      for (String table : column(statement, "SHOW TABLES", 1)) {
        if (isNew) {
          statement.execute("CREATE TABLE `%s`.`%s` SELECT * FROM `%2$s`".formatted(copy, table));
        }
        statements.add("TRUNCATE TABLE `" + table + "`");
        statements.add("INSERT INTO `%1$s` SELECT * FROM `%2$s`.`%1$s`".formatted(table, copy));
      }
    }
    return new SchemaTemplate("", opener, statements);
  }

  /** A connection to where a schema is made: with the template, if not elsewhere. */
  Connection open(String schema) throws SQLException {
    return opener.open(schema);
  }

  /** What makes every table and its rows, in any order: foreign keys are not checked. */
  private static List<String> statements(Connection connection, String schema) throws SQLException {
    List<String> statements = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      for (String table : column(statement, "SHOW TABLES", 1)) {
        statements.addAll(column(statement, "SHOW CREATE TABLE `" + table + "`", 2));
        if (!column(statement, "SELECT 1 FROM `" + table + "` LIMIT 1", 1).isEmpty()) {
          statements.add("INSERT INTO `%1$s` SELECT * FROM `%2$s`.`%1$s`".formatted(table, schema));
        }
      }
    }
    return statements;
  }

  private static List<String> column(Statement statement, String query, int column)
      throws SQLException {
    List<String> values = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        values.add(rows.getString(column));
      }
    }
    return values;
  }

  /** Makes all of it in the schema of a connection, which is empty. */
  void copyTo(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET foreign_key_checks = 0");
      for (String each : statements) {
        statement.execute(each);
      }
      statement.execute("SET foreign_key_checks = 1");
    }
  }

  /** Drops the schema. */
  void close() throws SQLException {
    if (schema.isEmpty()) {
      return;
    }
    try (Connection connection = opener.open(schema);
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE " + schema);
    }
  }
}
