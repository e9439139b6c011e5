package io.memorygateway.database;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Time limits that writing connections set for their sessions, so that a node that freezes in the
 * middle of a transaction (a paused machine, a half-open network) does not hold its locks for
 * longer than the server allows, and others do not wait for them. The server enforces all of them.
 */
public final class SessionLimits {
  /** Wait for a lock of a row. */
  static final int LOCK_WAIT_SECONDS = 1;

  /** Wait for a lock of a table's definition, which a migration holds. */
  static final int DEFINITION_WAIT_SECONDS = 5;

  /**
   * Time without a statement, in a transaction or outside. Idle connections are checked more often
   * than that, which keeps them open.
   */
  public static final int IDLE_SECONDS = 15;

  /** Time between two pieces of an answer that is not read. */
  static final int WRITE_SECONDS = 20;

  private static final String VARIABLES =
      "innodb_lock_wait_timeout=%d,lock_wait_timeout=%d,wait_timeout=%d,net_read_timeout=%d,net_write_timeout=%d"
          .formatted(
              LOCK_WAIT_SECONDS,
              DEFINITION_WAIT_SECONDS,
              IDLE_SECONDS,
              IDLE_SECONDS,
              WRITE_SECONDS);

  /**
   * The same for servers that do not see how long a session is idle, in milliseconds: time of a
   * transaction, and of a statement.
   */
  static final String OF_TRANSACTIONS =
      "transaction_timeout=%1$d,query_timeout=%1$d".formatted(IDLE_SECONDS * 1000);

  private static final String OF_STATEMENTS = "query_timeout=";

  /** The driver's property for session variables. */
  public static final String PROPERTY = "sessionVariables";

  /** A limit that no server has by itself. */
  private static final int UNUSUAL = 17;

  private static final Pattern IN_URL = Pattern.compile("[?&]" + PROPERTY + "=([^&]*)");

  private SessionLimits() {}

  /**
   * Probe of what limits the time for which a frozen node holds its locks. Leaves variables of the
   * session behind.
   *
   * @return whether {@link #OF_TRANSACTIONS} do, as the server ignores the limits of sessions
   * @throws IllegalArgumentException with a line for the operator, if nothing does
   */
  static boolean areOfTransactions(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION wait_timeout = " + UNUSUAL);
      if (reads(statement, "@@SESSION.wait_timeout", UNUSUAL)) {
        return false;
      }
      statement.execute("SET SESSION " + OF_TRANSACTIONS);
      if (reads(statement, "@@transaction_timeout", IDLE_SECONDS * 1000)) {
        return true;
      }
    } catch (SQLException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.OTHER) {
        throw e;
      }
    }
    throw new IllegalArgumentException(
        "database: the server does not heed the limits of sessions (wait_timeout), so the locks of a"
            + " node that freezes would stay");
  }

  private static boolean reads(Statement statement, String variable, int expected)
      throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT " + variable)) {
      return row.next() && row.getInt(1) == expected;
    }
  }

  /**
   * Returns variables with another time of a statement, where the server limits it by one of them.
   */
  static String withStatements(String variables, int millis) {
    return variables.replaceFirst(OF_STATEMENTS + "\\d+", OF_STATEMENTS + millis);
  }

  /**
   * Returns the value of {@link #PROPERTY}: the operator's variables, and the limits, which
   * override them.
   *
   * @param url JDBC URL; the property would replace one in it
   * @param given the property as it is, if it is set
   * @param topology variables that a cluster needs; the operator's override them
   */
  public static String addedTo(String url, @Nullable String given, String topology) {
    Matcher inUrl = IN_URL.matcher(url);
    String ofUrl = inUrl.find() ? URLDecoder.decode(inUrl.group(1), StandardCharsets.UTF_8) : null;
    return Stream.of(topology, given == null ? ofUrl : given, VARIABLES)
        .filter(variables -> variables != null && !variables.isBlank())
        .distinct()
        .collect(Collectors.joining(","));
  }
}
