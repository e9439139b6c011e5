package io.memorygateway.http.api;

import java.util.function.BiConsumer;

/**
 * Headers of every response on either port, whoever gives it: a resource, a filter, or Jetty for a
 * request that it refuses.
 */
final class EveryResponse {
  private EveryResponse() {}

  /**
   * Sets the headers.
   *
   * @param requestId of this request
   * @param headers takes names and values
   */
  static void setHeaders(String requestId, BiConsumer<String, String> headers) {
    headers.accept(ResponseHeader.REQUEST_ID.headerName(), requestId);
    headers.accept(ResponseHeader.ANTHROPIC_REQUEST_ID.headerName(), requestId);
  }
}
