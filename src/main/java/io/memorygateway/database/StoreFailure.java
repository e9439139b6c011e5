package io.memorygateway.database;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import org.jdbi.v3.core.JdbiException;

/** Errors that callers get for failures of the database (contract §3). */
final class StoreFailure {
  private StoreFailure() {}

  /**
   * Returns 503 if the database is down or overloaded, 413 if it takes nothing so large; else
   * itself.
   */
  static RuntimeException answer(DatabaseFailure kind, JdbiException failure) {
    if (kind == DatabaseFailure.TOO_LARGE) {
      return new ApiException(ErrorCatalogue.forStatus(413));
    }
    if (kind == DatabaseFailure.LOCK_WAIT_TIMEOUT) {
      return ApiException.unavailable("Another write holds the same thread; try again.", 2);
    }
    if (kind == DatabaseFailure.POOL_EXHAUSTED) {
      // The database works, but this node has too many requests for it.
      return ApiException.unavailable(
          "Too many requests of this node wait for the store; try again.", 1);
    }
    return kind.isOutage() ? new StoreUnreachableException() : failure;
  }

  static ApiError unavailable() {
    return ApiError.unavailable("The store cannot be reached at the moment; try again.", 1);
  }
}
