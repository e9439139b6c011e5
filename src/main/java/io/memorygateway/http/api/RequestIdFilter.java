package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;
import org.slf4j.MDC;

/**
 * Gives every request of a servlet an id, sets the headers of every response, and adds the id to
 * every log line about the request.
 */
public final class RequestIdFilter implements Filter {

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String id = RequestId.of(((HttpServletRequest) request).getHeader(RequestId.HEADER));
    request.setAttribute(RequestId.ATTRIBUTE, id);
    request.setAttribute(
        RequestNotes.ATTRIBUTE,
        new RequestNotes(Request.unWrap(ServletContextRequest.getServletContextRequest(request))));
    RequestId.setHeaders(id, ((HttpServletResponse) response)::setHeader);
    MDC.put(RequestId.ATTRIBUTE, id);
    try {
      chain.doFilter(request, response);
    } finally {
      MDC.remove(RequestId.ATTRIBUTE);
    }
  }
}
