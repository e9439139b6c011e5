package io.memorygateway.database;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
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

  /** The driver's property for session variables. */
  public static final String PROPERTY = "sessionVariables";

  private static final Pattern IN_URL = Pattern.compile("[?&]" + PROPERTY + "=([^&]*)");

  private SessionLimits() {}

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
