package io.memorygateway.console;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.errors.ApiException;
import java.sql.SQLException;
import java.util.Set;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Reads on connections whose statements the server ends after two seconds. */
record LimitedReads(Jdbi jdbi) {
  /** Error codes of MySQL and of MariaDB. */
  private static final Set<Integer> STATEMENT_TIMEOUTS = Set.of(3024, 1969);

  /** Runs a read; null while the database does not serve. */
  <T> @Nullable T readIfPossible(HandleCallback<T, RuntimeException> work) {
    try {
      return read(work);
    } catch (JdbiException e) {
      if (DatabaseFailure.of(e).isOutage()) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Runs a read.
   *
   * @throws ApiException 400 if it takes too long
   */
  <T> T read(HandleCallback<T, RuntimeException> work) {
    try {
      return jdbi.withHandle(work);
    } catch (JdbiException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof SQLException sql && STATEMENT_TIMEOUTS.contains(sql.getErrorCode())) {
          throw ApiException.invalidRequest(
              "That took more than two seconds: choose a shorter time range.");
        }
      }
      throw e;
    }
  }
}
