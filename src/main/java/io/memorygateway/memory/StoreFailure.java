package io.memorygateway.memory;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ErrorCatalogue;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** What a failure of the database means. Numbers are those of MySQL and MariaDB. */
final class StoreFailure {
  private static final int DUPLICATE_KEY = 1062;
  private static final int PACKET_TOO_LARGE = 1153;

  /** Deadlock, and a wait for a lock that was too long. */
  private static final Set<Integer> TRANSIENT = Set.of(1213, 1205);

  /** Too many connections, shutting down, read-only, interrupted, full. */
  private static final Set<Integer> UNAVAILABLE =
      Set.of(1040, 1053, 1290, 1836, 1317, 1021, 1114, 1203, 1226);

  private StoreFailure() {}

  /** Whether the same transaction may well succeed if it is begun again. */
  static boolean isTransient(Throwable failure) {
    SQLException cause = sqlException(failure);
    return cause != null && TRANSIENT.contains(cause.getErrorCode());
  }

  /** Whether a row with the same key is there already. */
  static boolean isDuplicateKey(Throwable failure) {
    SQLException cause = sqlException(failure);
    return cause != null && cause.getErrorCode() == DUPLICATE_KEY;
  }

  /** 503 if the database is down or overloaded, 413 if it takes nothing so large; else itself. */
  static RuntimeException answer(JdbiException failure) {
    SQLException cause = sqlException(failure);
    if (cause == null) {
      return failure instanceof ConnectionException ? unavailable() : failure;
    }
    if (cause.getErrorCode() == PACKET_TOO_LARGE
        || cause.getClass().getSimpleName().equals("PacketTooBigException")) {
      return new ApiException(ErrorCatalogue.forStatus(413));
    }
    boolean down =
        failure instanceof ConnectionException
            || cause instanceof SQLTransientException
            || (cause.getSQLState() != null && cause.getSQLState().startsWith("08"))
            || TRANSIENT.contains(cause.getErrorCode())
            || UNAVAILABLE.contains(cause.getErrorCode());
    return down ? unavailable() : failure;
  }

  private static ApiException unavailable() {
    return new ApiException(
        ApiError.unavailable("The store cannot be reached at the moment; try again.", 1));
  }

  private static @Nullable SQLException sqlException(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException found) {
        return found;
      }
    }
    return null;
  }
}
