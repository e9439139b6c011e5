package io.memorygateway.database;

import io.memorygateway.http.errors.ApiException;

/**
 * Thrown for a write whose COMMIT was sent but not answered: it may be stored, or not. Callers get
 * a 503. Code that can find the write by a unique key looks it up, under the lock of its thread,
 * before anything is answered; no code repeats it blindly.
 */
public final class OutcomeUnknownException extends ApiException {
  OutcomeUnknownException() {
    super(StoreFailure.unavailable());
  }
}
