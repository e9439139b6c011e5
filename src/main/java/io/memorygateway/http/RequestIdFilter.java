package io.memorygateway.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.MDC;

/**
 * Puts {@code X-Request-Id} and {@code request-id} on every response that a servlet makes, and into
 * every log line about it.
 */
public final class RequestIdFilter implements Filter {

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String id = RequestId.of(((HttpServletRequest) request).getHeader(RequestId.HEADER));
    request.setAttribute(RequestId.ATTRIBUTE, id);
    request.setAttribute(RequestNotes.ATTRIBUTE, new RequestNotes());
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setHeader(RequestId.HEADER, id);
    answer.setHeader(RequestId.ANTHROPIC_HEADER, id);
    MDC.put(RequestId.ATTRIBUTE, id);
    try {
      chain.doFilter(request, response);
    } finally {
      MDC.remove(RequestId.ATTRIBUTE);
    }
  }
}
