package io.memorygateway.memory;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ErrorCatalogue;
import org.jdbi.v3.core.JdbiException;

/** What callers are told of a failure of the database (contract §3). */
final class StoreFailure {
  private StoreFailure() {}

  /** Whether a row with the same key is there already. */
  static boolean isDuplicateKey(Throwable failure) {
    return DatabaseFailure.of(failure) == DatabaseFailure.DUPLICATE_KEY;
  }

  /** 503 if the database is down or overloaded, 413 if it takes nothing so large; else itself. */
  static RuntimeException answer(JdbiException failure) {
    DatabaseFailure kind = DatabaseFailure.of(failure);
    if (kind == DatabaseFailure.TOO_LARGE) {
      return new ApiException(ErrorCatalogue.forStatus(413));
    }
    return kind.isOutage() ? new ApiException(unavailable()) : failure;
  }

  static ApiError unavailable() {
    return ApiError.unavailable("The store cannot be reached at the moment; try again.", 1);
  }
}
