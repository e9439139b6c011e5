package io.memorygateway.database;

import io.memorygateway.http.errors.ApiException;

/**
 * Thrown where the database does not serve at all: it is away, or does not answer in time. Callers
 * get a 503. A pool whose connections are all in use is not that.
 */
public final class StoreUnreachableException extends ApiException {
  public StoreUnreachableException() {
    super(StoreFailure.unavailable());
  }
}
