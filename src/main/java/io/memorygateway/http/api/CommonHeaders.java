package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.BiConsumer;

/**
 * Headers of responses that no resource gives, such as errors of Jetty and health checks. Resources
 * and proxied calls set the same headers by filters of their own.
 */
@FunctionalInterface
public interface CommonHeaders {
  /** Dropwizard's name for the servlet of the resources. */
  String RESOURCES = "jersey";

  /**
   * Sets the headers.
   *
   * @param path with a leading slash, decoded
   * @param headers takes names and values
   */
  void set(String method, String path, BiConsumer<String, String> headers);

  /** Filter that sets the headers where no resource answers, as for health checks. */
  default Filter filter() {
    return (request, response, chain) -> {
      if (request instanceof HttpServletRequest http
          && response instanceof HttpServletResponse answer
          && !RESOURCES.equals(http.getHttpServletMapping().getServletName())) {
        String rest = http.getPathInfo();
        String path = http.getServletPath() + (rest == null ? "" : rest);
        set(http.getMethod(), path, answer::setHeader);
      }
      chain.doFilter(request, response);
    };
  }
}
