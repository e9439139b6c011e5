package io.memorygateway.database;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What connections that write set for their sessions, so that a node that freezes in the middle of
 * a transaction (a paused machine, a half-open network) does not hold its locks for longer than the
 * server lets it, and others do not wait for them. All of it is the server's to enforce.
 */
public final class SessionLimits {
  /** Of a lock of a row. */
  static final int LOCK_WAIT_SECONDS = 1;

  /** Of a lock of a table's definition, which a migration holds. */
  static final int DEFINITION_WAIT_SECONDS = 5;

  /**
   * Without a statement, in a transaction or outside. Idle connections are checked more often than
   * that, which keeps them open.
   */
  public static final int IDLE_SECONDS = 15;

  /** Between two pieces of an answer that is not taken. */
  static final int WRITE_SECONDS = 20;

  private static final String VARIABLES =
      "innodb_lock_wait_timeout=%d,lock_wait_timeout=%d,wait_timeout=%d,net_read_timeout=%d,net_write_timeout=%d"
          .formatted(
              LOCK_WAIT_SECONDS,
              DEFINITION_WAIT_SECONDS,
              IDLE_SECONDS,
              IDLE_SECONDS,
              WRITE_SECONDS);

  /** The driver's property that variables are given in. */
  public static final String PROPERTY = "sessionVariables";

  private static final Pattern IN_URL = Pattern.compile("[?&]" + PROPERTY + "=([^&]*)");

  private SessionLimits() {}

  /**
   * The value of {@link #PROPERTY}: what the operator sets, and the limits, which count.
   *
   * @param url JDBC URL; the property would take the place of one in it
   * @param given the property as it is, if it is set
   * @param topology variables that a cluster asks for; what the operator sets counts
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
