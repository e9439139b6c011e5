package io.memorygateway.dialect;

/**
 * The body of a request is not what an endpoint takes. The message is fit for the body of a 400: it
 * holds nothing that came with the request, no position and no number (contract §3).
 */
public final class MalformedBodyException extends Exception {
  MalformedBodyException(String message) {
    super(message, null, false, false);
  }
}
