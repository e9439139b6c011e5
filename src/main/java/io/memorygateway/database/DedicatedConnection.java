package io.memorygateway.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A dedicated connection, apart from the pool, for a sequence of transactions. Auto-commit is off,
 * so that no transaction needs a statement to begin it, and one text may hold several statements.
 * For one thread at a time. While it cannot be opened, the caller does without it.
 */
public final class DedicatedConnection {
  private static final Logger LOGGER = LoggerFactory.getLogger(DedicatedConnection.class);

  /** An idle connection is checked after this time: it may have been dropped silently. */
  private static final long CHECK_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int CHECK_SECONDS = 1;
  private static final long REOPEN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Part of the callers' time reserved to reconnect and find out whether a commit succeeded. */
  private static final Duration RESERVED_TIME = Duration.ofSeconds(3);

  private static final int ANSWER_MILLIS = (int) Transactions.ANSWER_TIMEOUT.toMillis();
  private static final int MIN_ATTEMPT_MILLIS = 500;

  private final ConnectionSource source;
  private volatile @Nullable Connection connection;
  private long usedAt;
  private long failedAt = System.nanoTime() - REOPEN_AFTER_NANOS;
  private volatile boolean closed;

  /** Creates a connection that is opened when it is needed. */
  public DedicatedConnection(ConnectionSource source) {
    this.source = source;
  }

  /**
   * Returns the connection, outside a transaction; null if there is none at the moment.
   *
   * @param deadline of the work on it; up to half of the time left is reserved for doing the work
   *     elsewhere
   */
  public @Nullable Connection connection(Deadline deadline) {
    long now = System.nanoTime();
    try {
      Connection open = connection;
      if (open != null && now - usedAt > CHECK_AFTER_NANOS && !open.isValid(CHECK_SECONDS)) {
        discard();
      }
      if (connection == null && now - failedAt >= REOPEN_AFTER_NANOS) {
        connection = source.open();
      }
      if (connection != null) {
        limit(connection, deadline);
      }
    } catch (SQLException e) {
      LOGGER.debug("No dedicated connection", e);
      discard();
      failedAt = System.nanoTime();
    }
    usedAt = now;
    if (closed) {
      discard();
    }
    return connection;
  }

  /** Bounds the driver's wait for an answer, so that it ends shortly before the deadline. */
  private void limit(Connection open, Deadline deadline) throws SQLException {
    long left = deadline.leaving(RESERVED_TIME).millisLeft();
    int millis = (int) Math.max(MIN_ATTEMPT_MILLIS, Math.min(left, ANSWER_MILLIS));
    // Most deadlines have just begun, and the timeout that is set already fits them.
    if (Math.abs(open.getNetworkTimeout() - millis) > MIN_ATTEMPT_MILLIS) {
      open.setNetworkTimeout(Runnable::run, millis);
    }
  }

  /**
   * Discards the connection and opens no other for a while: the database does not respond, and the
   * waiting callers need not each find that out.
   */
  public void pause() {
    discard();
    failedAt = System.nanoTime();
  }

  /** Rolls back the open transaction, if there is one. */
  public void rollBack() {
    Connection open = connection;
    try {
      if (open != null) {
        open.rollback();
      }
    } catch (SQLException e) {
      discard();
    }
  }

  private void discard() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      DatabaseAddress.disconnect(open, false);
    }
  }

  public void close() {
    closed = true;
    discard();
  }
}
