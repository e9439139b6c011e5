package io.memorygateway.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the product and version of the server behind a connection. */
final class DatabaseServer {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+");

  /**
   * Products that speak MySQL's protocol but do not number rows as it does: each node takes ids
   * from a block of its own, which no probe of one connection can show.
   */
  private static final List<String> UNSUPPORTED = List.of("TiDB", "OceanBase");

  private DatabaseServer() {}

  /**
   * Returns name and version.
   *
   * @throws IllegalArgumentException with a line for the operator, if the gateway cannot use it
   */
  static String require(Connection connection) throws SQLException {
    try (ResultSet row = connection.createStatement().executeQuery("SELECT VERSION()")) {
      row.next();
      return require(row.getString(1));
    }
  }

  static String require(String version) {
    for (String unsuited : UNSUPPORTED) {
      if (version.contains(unsuited)) {
        throw new IllegalArgumentException(
            "database: "
                + unsuited
                + " cannot keep what the gateway promises; MySQL or MariaDB is needed, the server is "
                + version);
      }
    }
    boolean mariaDb = version.contains("MariaDB");
    // Some MariaDB servers put the version of a MySQL before their own.
    Matcher found = VERSION.matcher(mariaDb ? version.replaceFirst("^5\\.5\\.5-", "") : version);
    String name = mariaDb ? "MariaDB" : "MySQL";
    if (found.find()) {
      int major = Integer.parseInt(found.group(1));
      int minor = Integer.parseInt(found.group(2));
      boolean enough = mariaDb ? major > 10 || (major == 10 && minor >= 11) : major >= 8;
      if (enough) {
        return name + " " + found.group();
      }
    }
    throw new IllegalArgumentException(
        "database: MySQL 8.0 or MariaDB 10.11 is needed, or newer; the server is "
            + name
            + " "
            + version);
  }
}
