package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;

/**
 * Serves HEAD as GET, except for the body, which Jetty then omits: filters that compress bodies and
 * count their bytes see the same, so the headers are the same.
 */
public final class HeadFilter implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean head = request instanceof HttpServletRequest http && http.getMethod().equals("HEAD");
    chain.doFilter(head ? new GetRequest((HttpServletRequest) request) : request, response);
  }

  private static final class GetRequest extends HttpServletRequestWrapper {
    GetRequest(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getMethod() {
      return "GET";
    }
  }
}
