package io.memorygateway.console;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Filter that sets the security headers of the admin port for browsers: no guessing of types, no
 * framing, no loading from elsewhere, no caching. The console's own files, which contain no data,
 * set their own caching.
 */
final class BrowserHeadersFilter implements Filter {
  /** Policy of the console and all other responses here: no page has inline scripts or styles. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';"
          + " frame-ancestors 'none'";

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    answer.setHeader("X-Content-Type-Options", "nosniff");
    answer.setHeader("X-Frame-Options", "DENY");
    answer.setHeader("Referrer-Policy", "no-referrer");
    answer.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    answer.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    answer.setHeader("Cache-Control", "no-store");
    chain.doFilter(request, response);
  }
}
