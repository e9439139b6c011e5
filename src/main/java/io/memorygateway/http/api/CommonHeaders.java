package io.memorygateway.http.api;

import java.util.function.BiConsumer;

/**
 * Headers of responses that no resource gives, such as errors of Jetty and health checks. Resources
 * and proxied calls set the same headers by filters of their own.
 */
@FunctionalInterface
public interface CommonHeaders {

  /**
   * Sets the headers.
   *
   * @param path with a leading slash, decoded
   * @param headers takes names and values
   */
  void set(String method, String path, BiConsumer<String, String> headers);
}
