package io.memorygateway.console;

import io.memorygateway.http.api.BrowserHeaders;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Filter that sets the {@link BrowserHeaders} of the admin port, and forbids caching. The console's
 * own files, which contain no data, set their own caching.
 */
final class BrowserHeadersFilter implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletResponse answer = (HttpServletResponse) response;
    BrowserHeaders.set(answer::setHeader);
    answer.setHeader("Cache-Control", "no-store");
    chain.doFilter(request, response);
  }
}
