package io.memorygateway.database;

import io.memorygateway.http.ApiException;

/**
 * Ends a write whose COMMIT was sent, and not answered: it may be stored, or not. Towards callers
 * it is a 503. Whoever can tell by a unique key whether the write is there looks it up, under the
 * lock of its thread, before anything is answered; nobody does it again blindly.
 */
public final class OutcomeUnknownException extends ApiException {
  OutcomeUnknownException() {
    super(StoreFailure.unavailable());
  }
}
