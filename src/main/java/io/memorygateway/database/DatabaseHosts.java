package io.memorygateway.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * The servers that a database URL names; connects to one that takes writes. With several ({@code
 * jdbc:mysql://a,b,c/schema}) a new connection goes to the host that the last one went to, and to
 * the next where that cannot be reached or has become read-only: the first connection after a
 * failover finds the new primary (contract §13).
 */
final class DatabaseHosts {
  private static final String READ_ONLY = "SELECT @@global.read_only, @@global.innodb_read_only";
  private static final String GROUP = "SHOW GLOBAL VARIABLES LIKE 'group_replication_group_name'";
  private static final String MEMBER_STATE =
      "SELECT member_state FROM performance_schema.replication_group_members"
          + " WHERE member_id = @@server_uuid";

  /** MySQL's error of an account that may not read a table. */
  private static final int TABLE_ACCESS_DENIED = 1142;

  interface Driver {
    Connection connect(String url, Properties properties) throws SQLException;
  }

  private final Driver driver;
  private final List<String> urls;
  private volatile int current;

  /**
   * Parses the hosts of a URL.
   *
   * @param url a MySQL JDBC URL
   */
  DatabaseHosts(String url) {
    this(url, DriverManager::getConnection);
  }

  DatabaseHosts(String url, Driver driver) {
    this.urls = split(url);
    this.driver = driver;
  }

  List<String> urls() {
    return urls;
  }

  boolean several() {
    return urls.size() > 1;
  }

  /** The URL of the host that was connected to last, without the others. */
  String currentUrl() {
    return urls.get(current);
  }

  /**
   * Connects to a server that takes writes. A single host is not asked whether it does.
   *
   * @throws SQLException the failure of the last host
   */
  Connection connect(Properties properties) throws SQLException {
    if (!several()) {
      return driver.connect(urls.get(0), properties);
    }
    SQLException failure = null;
    int first = current;
    for (int i = 0; i < urls.size(); i++) {
      int host = (first + i) % urls.size();
      try {
        Connection connection = connect(urls.get(host), properties);
        current = host;
        return connection;
      } catch (SQLException e) {
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
      }
    }
    throw failure == null ? new SQLException("no host") : failure;
  }

  private Connection connect(String url, Properties properties) throws SQLException {
    Connection connection = driver.connect(url, properties);
    try {
      if (takesWrites(connection)) {
        return connection;
      }
    } catch (SQLException e) {
      DatabaseAddress.disconnect(connection, false);
      throw e;
    }
    DatabaseAddress.disconnect(connection, true);
    throw new SQLNonTransientConnectionException(
        "None of the database's hosts takes writes at the moment.", "08001");
  }

  /**
   * Whether the server behind a connection takes writes that last, as a primary does, and not a
   * member of a group that has started again and has not joined the others yet.
   */
  static boolean takesWrites(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery(READ_ONLY)) {
        if (!row.next() || !isOff(row.getString(1)) || !isOff(row.getString(2))) {
          return false;
        }
      }
      return !belongsToGroup(statement) || hasJoined(statement);
    }
  }

  private static boolean belongsToGroup(Statement statement) throws SQLException {
    try (ResultSet group = statement.executeQuery(GROUP)) {
      return group.next() && !group.getString(2).isEmpty();
    }
  }

  /** Whether a member of a group is online in it; true if the account may not ask. */
  private static boolean hasJoined(Statement statement) throws SQLException {
    try (ResultSet member = statement.executeQuery(MEMBER_STATE)) {
      return member.next() && member.getString(1).equals("ONLINE");
    } catch (SQLException e) {
      if (e.getErrorCode() == TABLE_ACCESS_DENIED) {
        return true;
      }
      throw e;
    }
  }

  private static boolean isOff(String value) {
    return value.equals("0") || value.equalsIgnoreCase("OFF");
  }

  /** Splits a URL into one for each host; addresses in the driver's longer forms stay whole. */
  private static List<String> split(String url) {
    int start = url.indexOf("//") + 2;
    int end = start;
    while (end < url.length() && "/?".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    String authority = url.substring(start, end);
    if (start < 2 || authority.indexOf('(') >= 0 || authority.indexOf(',') < 0) {
      return List.of(url);
    }
    int user = authority.lastIndexOf('@') + 1;
    List<String> urls = new ArrayList<>();
    for (String host : authority.substring(user).split(",", -1)) {
      urls.add(url.substring(0, start) + authority.substring(0, user) + host + url.substring(end));
    }
    return List.copyOf(urls);
  }
}
