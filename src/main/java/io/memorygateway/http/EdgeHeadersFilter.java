package io.memorygateway.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Sets what every response carries where no resource answers, as for health checks. */
final class EdgeHeadersFilter implements Filter {
  /** Dropwizard's name for the servlet of the resources. */
  private static final String RESOURCES = "jersey";

  private final EdgeHeaders edgeHeaders;

  EdgeHeadersFilter(EdgeHeaders edgeHeaders) {
    this.edgeHeaders = edgeHeaders;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse answer
        && !RESOURCES.equals(http.getHttpServletMapping().getServletName())) {
      String rest = http.getPathInfo();
      String path = http.getServletPath() + (rest == null ? "" : rest);
      edgeHeaders.set(http.getMethod(), path, answer::setHeader);
    }
    chain.doFilter(request, response);
  }
}
