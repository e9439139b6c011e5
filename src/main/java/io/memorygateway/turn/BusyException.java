package io.memorygateway.turn;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;

/**
 * Thrown when a turn cannot be opened because this node has too much to do: 503. The store is well,
 * so the call is refused also where calls are to be answered without it.
 */
final class BusyException extends ApiException {
  BusyException(String message) {
    super(ApiError.unavailable(message, 1));
  }
}
