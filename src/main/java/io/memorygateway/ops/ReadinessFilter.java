package io.memorygateway.ops;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Filter on the path of readiness probes: a draining node is not ready from that moment on, however
 * rarely Dropwizard runs its checks. It is still alive.
 */
final class ReadinessFilter implements Filter {
  private static final String NOT_READY =
      """
      [{"name":"draining","healthy":false,"type":"READY","critical":true}]""";

  private final Drain drain;

  ReadinessFilter(Drain drain) {
    this.drain = drain;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!drain.isOn() || "alive".equalsIgnoreCase(request.getParameter("type"))) {
      chain.doFilter(request, response);
      return;
    }
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
    answer.setContentType("application/json");
    answer.setHeader("Cache-Control", "no-store");
    answer.getWriter().write(NOT_READY);
  }
}
