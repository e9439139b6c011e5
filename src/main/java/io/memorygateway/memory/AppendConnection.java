package io.memorygateway.memory;

import io.memorygateway.database.ConnectionSource;
import java.sql.Connection;
import java.sql.SQLException;
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

  private final ConnectionSource source;
  private volatile @Nullable Connection connection;
  private long usedAt;
  private long failedAt = System.nanoTime() - OPENED_AGAIN_AFTER_NANOS;
  private volatile boolean closed;

  AppendConnection(ConnectionSource source) {
    this.source = source;
  }

  /** The connection, outside a transaction; null if there is none at the moment. */
  @Nullable Connection connection() {
    long now = System.nanoTime();
    try {
      Connection open = connection;
      if (open != null && now - usedAt > CHECKED_AFTER_NANOS && !open.isValid(CHECK_SECONDS)) {
        discard();
      }
      if (connection == null && now - failedAt >= OPENED_AGAIN_AFTER_NANOS) {
        connection = source.open();
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
      try {
        open.abort(Runnable::run);
      } catch (SQLException ignored) {
        // It is gone either way.
      }
    }
  }

  /** Closes the connection for good. */
  void close() {
    closed = true;
    discard();
  }
}
