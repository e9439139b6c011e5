package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Answers preflight requests of browsers, which carry no key, and lets pages of the allowed origins
 * read all other responses.
 */
public record CrossOriginFilter(CrossOrigin crossOrigin, CommonHeaders commonHeaders)
    implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest asked = (HttpServletRequest) request;
    HttpServletResponse answer = (HttpServletResponse) response;
    String origin = asked.getHeader("Origin");
    crossOrigin.set(origin, answer::addHeader);
    boolean preflight =
        asked.getMethod().equals("OPTIONS")
            && asked.getHeader("Access-Control-Request-Method") != null
            && crossOrigin.allows(origin);
    if (!preflight) {
      chain.doFilter(request, response);
      return;
    }
    commonHeaders.set(asked.getMethod(), asked.getRequestURI(), answer::setHeader);
    CrossOrigin.setPreflight(asked.getHeader("Access-Control-Request-Headers"), answer::setHeader);
    answer.addHeader("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers");
    answer.setStatus(HttpServletResponse.SC_NO_CONTENT);
  }
}
