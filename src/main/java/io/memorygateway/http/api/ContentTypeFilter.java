package io.memorygateway.http.api;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * Treats an unparseable Content-Type as absent, so that the resource, not Jersey before
 * authentication, decides whether to refuse it. Jersey would refuse the request before it knows the
 * key, or what role the path needs.
 */
public final class ContentTypeFilter implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean none =
        request instanceof HttpServletRequest http
            && !isOne(http.getHeader(HttpHeaders.CONTENT_TYPE));
    chain.doFilter(none ? new RequestWithoutType((HttpServletRequest) request) : request, response);
  }

  private static boolean isOne(@Nullable String type) {
    if (type == null || type.equals(MediaType.APPLICATION_JSON)) {
      return true;
    }
    try {
      MediaType.valueOf(type);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static final class RequestWithoutType extends HttpServletRequestWrapper {
    RequestWithoutType(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getContentType() {
      return MediaType.APPLICATION_OCTET_STREAM;
    }

    @Override
    public String getHeader(String name) {
      return HttpHeaders.CONTENT_TYPE.equalsIgnoreCase(name)
          ? getContentType()
          : super.getHeader(name);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
      return HttpHeaders.CONTENT_TYPE.equalsIgnoreCase(name)
          ? Collections.enumeration(Collections.singleton(getContentType()))
          : super.getHeaders(name);
    }
  }
}
