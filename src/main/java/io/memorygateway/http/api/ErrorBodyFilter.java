package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Adds a body to errors for which a servlet sets only a status, as Dropwizard's servlet does for an
 * unknown task (contract §3).
 */
public final class ErrorBodyFilter implements Filter {

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    chain.doFilter(request, response);
    HttpServletResponse answer = (HttpServletResponse) response;
    if (answer.getStatus() >= 400 && answer.getContentType() == null && !answer.isCommitted()) {
      answer.sendError(answer.getStatus());
    }
  }
}
