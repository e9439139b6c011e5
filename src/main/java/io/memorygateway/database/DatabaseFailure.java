package io.memorygateway.database;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.tomcat.jdbc.pool.PoolExhaustedException;
import org.jdbi.v3.core.ConnectionException;
import org.jspecify.annotations.Nullable;

/**
 * Classification of database failures: whether the transaction is retried, unknown, or refused.
 * Only this class knows the error numbers of MySQL, MariaDB and Vitess (contract §13).
 */
public enum DatabaseFailure {
  /** Rolled back for certain, as the victim of a deadlock or of a cluster's certification. */
  ROLLED_BACK,

  /** Another transaction's lock was not released in time; the statement changed nothing. */
  LOCK_WAIT_TIMEOUT,

  /**
   * This server takes no writes now, as in a failover: another connection may reach one that does.
   */
  NOT_WRITABLE,

  /** The connection broke or timed out. What was sent last may have been carried out. */
  CONNECTION_LOST,

  /** No connection could be opened, so nothing was sent. */
  NOT_CONNECTED,

  /**
   * All connections of the pool stayed in use for as long as one is waited for; nothing was sent.
   */
  POOL_EXHAUSTED,

  /** The server is up but does not serve: it is full, shutting down, or ended the statement. */
  UNAVAILABLE,

  /** The statement is larger than the server accepts. */
  TOO_LARGE,

  /** A row with the same unique key exists. */
  DUPLICATE_KEY,

  /** Anything else, presumably a defect. */
  OTHER;

  private static final int ERROR_DURING_COMMIT = 1180;

  /** In the text of {@link #ERROR_DURING_COMMIT}: the storage engine's own "deadlock". */
  private static final Pattern DEADLOCK_DURING_COMMIT = Pattern.compile("\\b149\\b");

  /**
   * Deadlock; in Group Replication, a rollback at commit, or a hook that refused before the commit.
   */
  private static final Set<Integer> ROLLED_BACK_CODES = Set.of(1213, 3101, 3100);

  private static final int LOCK_WAIT = 1205;

  /** Read-only, read-only storage (twice), and a node that is not part of its Galera cluster. */
  private static final Set<Integer> READ_ONLY = Set.of(1290, 1836, 1036, 1047);

  /**
   * Killed, ended while it was idle, aborted; what clients of MySQL call a lost connection, as a
   * proxy passes it on.
   */
  private static final Set<Integer> ENDED = Set.of(1927, 3169, 4031, 1152, 2002, 2003, 2006, 2013);

  /**
   * Too many connections, out of resources, shutting down, interrupted, disk or table full, too
   * many of one user, statement timeouts.
   */
  private static final Set<Integer> NOT_SERVING =
      Set.of(1040, 1041, 1053, 1317, 1021, 1114, 1203, 1226, 3024, 1969);

  /** Numbers under which Vitess tells most of its own failures: interrupted, unknown. */
  private static final Set<Integer> TOLD_BY_TEXT = Set.of(1317, 1105);

  /** In such a text: the server behind it is away, or has lost the transaction. */
  private static final Pattern GONE =
      Pattern.compile(
          "code = Unavailable|no healthy tablet|operation not allowed in state|is not serving"
              + "|VT15001|VT09032|transaction \\d+: (?:not found|ended)");

  /** In such a text: it would refuse the statement every time. */
  private static final Pattern REFUSED =
      Pattern.compile("row count exceeded|multi-db transaction attempted");

  private static final int PACKET_TOO_LARGE = 1153;
  private static final int DUPLICATE = 1062;

  /** SQLState class 08: connection exception. */
  private static final String CONNECTION_STATE = "08";

  /** Classifies a failure, by its causes as well. */
  public static DatabaseFailure of(Throwable failure) {
    SQLException found = null;
    boolean connectionBroke = false;
    boolean notConnected = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PoolExhaustedException) {
        return POOL_EXHAUSTED;
      }
      notConnected |= cause instanceof ConnectionException;
      if (cause instanceof SQLException exception && (found == null || found.getErrorCode() == 0)) {
        found = exception;
      }
      connectionBroke |= cause instanceof IOException || saysSo(cause);
    }
    if (notConnected) {
      return NOT_CONNECTED;
    }
    if (found == null) {
      return OTHER; // an IOException may be anybody's
    }
    DatabaseFailure known = byNumber(found);
    if (known != null) {
      return known;
    }
    return connectionBroke ? CONNECTION_LOST : OTHER;
  }

  private static boolean saysSo(Throwable cause) {
    return cause instanceof SQLTransientException
        || cause instanceof SQLRecoverableException
        || cause instanceof SQLNonTransientConnectionException
        || (cause instanceof SQLException exception
            && exception.getSQLState() != null
            && exception.getSQLState().startsWith(CONNECTION_STATE));
  }

  private static @Nullable DatabaseFailure byNumber(SQLException failure) {
    int number = failure.getErrorCode();
    if (ROLLED_BACK_CODES.contains(number)) {
      return ROLLED_BACK;
    }
    if (number == ERROR_DURING_COMMIT) {
      String message = String.valueOf(failure.getMessage());
      return DEADLOCK_DURING_COMMIT.matcher(message).find() ? ROLLED_BACK : UNAVAILABLE;
    }
    if (number == LOCK_WAIT) {
      return LOCK_WAIT_TIMEOUT;
    }
    if (TOLD_BY_TEXT.contains(number)) {
      String message = String.valueOf(failure.getMessage());
      if (GONE.matcher(message).find()) {
        return CONNECTION_LOST;
      }
      if (REFUSED.matcher(message).find()) {
        return OTHER;
      }
    }
    if (READ_ONLY.contains(number)) {
      return NOT_WRITABLE;
    }
    if (ENDED.contains(number)) {
      return CONNECTION_LOST;
    }
    if (NOT_SERVING.contains(number)) {
      return UNAVAILABLE;
    }
    if (number == DUPLICATE) {
      return DUPLICATE_KEY;
    }
    // The driver throws the latter itself, without a number.
    return number == PACKET_TOO_LARGE
            || failure.getClass().getSimpleName().equals("PacketTooBigException")
        ? TOO_LARGE
        : null;
  }

  /** Whether the connection was open, and no answer arrived in time. */
  public static boolean isTimeout(Throwable failure) {
    return Throwables.getCausalChain(failure).stream()
        .anyMatch(SocketTimeoutException.class::isInstance);
  }

  /** Whether the transaction may succeed if it is begun again; nothing of it was stored. */
  public boolean isRetryable() {
    return this == ROLLED_BACK || this == LOCK_WAIT_TIMEOUT || this == NOT_WRITABLE;
  }

  /** Whether callers should try again later, as opposed to a defect. */
  public boolean isOutage() {
    return switch (this) {
      case ROLLED_BACK,
          LOCK_WAIT_TIMEOUT,
          NOT_WRITABLE,
          CONNECTION_LOST,
          NOT_CONNECTED,
          POOL_EXHAUSTED,
          UNAVAILABLE ->
          true;
      case TOO_LARGE, DUPLICATE_KEY, OTHER -> false;
    };
  }

  /** Whether the connection cannot be used any more. */
  public boolean endsConnection() {
    return this == CONNECTION_LOST || this == NOT_WRITABLE;
  }
}
