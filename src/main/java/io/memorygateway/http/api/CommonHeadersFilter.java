package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Sets the headers of every response where no resource answers, as for health checks. */
public final class CommonHeadersFilter implements Filter {
  /** Dropwizard's name for the servlet of the resources. */
  private static final String RESOURCES = "jersey";

  private final CommonHeaders commonHeaders;

  public CommonHeadersFilter(CommonHeaders commonHeaders) {
    this.commonHeaders = commonHeaders;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse answer
        && !RESOURCES.equals(http.getHttpServletMapping().getServletName())) {
      String rest = http.getPathInfo();
      String path = http.getServletPath() + (rest == null ? "" : rest);
      commonHeaders.set(http.getMethod(), path, answer::setHeader);
    }
    chain.doFilter(request, response);
  }
}
