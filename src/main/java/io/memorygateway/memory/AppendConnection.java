package io.memorygateway.memory;

import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of its own for one transaction after the other, apart from the pool: it is never in
 * auto-commit, so none of them has to be begun, and it takes several statements in one text. For
 * one thread at a time. While it cannot be had, its user does without.
 */
final class AppendConnection {
  private static final Logger LOGGER = LoggerFactory.getLogger(AppendConnection.class);

  /** An idle connection may have been dropped on the way without a word. */
  private static final long CHECKED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int CHECK_SECONDS = 1;
  private static final long OPENED_AGAIN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Of the time of those who wait: connecting anew, to find out what became of a commit. */
  private static final Duration KEPT_BACK = Duration.ofSeconds(3);

  private static final int ANSWER_MILLIS = (int) Transactions.ANSWER_TIMEOUT.toMillis();
  private static final int LEAST_MILLIS = 500;

  private final ConnectionSource source;
  private volatile @Nullable Connection connection;
  private long usedAt;
  private long failedAt = System.nanoTime() - OPENED_AGAIN_AFTER_NANOS;
  private volatile boolean closed;

  AppendConnection(ConnectionSource source) {
    this.source = source;
  }

  /**
   * The connection, outside a transaction; null if there is none at the moment.
   *
   * @param deadline of what is done on it; half of what is left is kept for doing it elsewhere
   */
  @Nullable Connection connection(Deadline deadline) {
    long now = System.nanoTime();
    try {
      Connection open = connection;
      if (open != null && now - usedAt > CHECKED_AFTER_NANOS && !open.isValid(CHECK_SECONDS)) {
        discard();
      }
      if (connection == null && now - failedAt >= OPENED_AGAIN_AFTER_NANOS) {
        connection = source.open();
      }
      if (connection != null) {
        limit(connection, deadline);
      }
    } catch (SQLException e) {
      LOGGER.debug("No connection for appends", e);
      discard();
      failedAt = System.nanoTime();
    }
    usedAt = now;
    if (closed) {
      discard();
    }
    return connection;
  }

  /** The driver waits for an answer no longer than until shortly before the deadline. */
  private void limit(Connection open, Deadline deadline) throws SQLException {
    long left = deadline.leaving(KEPT_BACK).millisLeft();
    int millis = (int) Math.max(LEAST_MILLIS, Math.min(left, ANSWER_MILLIS));
    // Most have just begun, and need no other timeout than the one that is set.
    if (Math.abs(open.getNetworkTimeout() - millis) > LEAST_MILLIS) {
      open.setNetworkTimeout(Runnable::run, millis);
    }
  }

  /**
   * Leaves the database alone for a while: it stands still, and the others who wait need not find
   * that out one after the other.
   */
  void pause() {
    discard();
    failedAt = System.nanoTime();
  }

  /** Ends what has been begun without committing it. */
  void rollBack() {
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

  /** Closes the connection for good. */
  void close() {
    closed = true;
    discard();
  }
}
