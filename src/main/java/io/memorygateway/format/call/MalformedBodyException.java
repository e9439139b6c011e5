package io.memorygateway.format.call;

/**
 * Thrown when a request's body is not valid for its endpoint. The message is sent in a 400: it
 * contains nothing of the request, no position and no number (contract §3).
 */
public final class MalformedBodyException extends Exception {
  public MalformedBodyException(String message) {
    super(message, null, false, false);
  }
}
