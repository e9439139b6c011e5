package io.memorygateway.admin;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.Role;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.util.Set;

/**
 * Filter that restricts Dropwizard's servlets, which check no role: everything but reading is for
 * owners. The gateway's own tasks have a servlet each, under an exact path, and check roles
 * themselves.
 */
final class ForeignTaskFilter implements Filter {
  /** Path of the admin API, whose resources check roles themselves. */
  private static final String ADMIN_API = "/admin/api/*";

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
  private static final ApiError FORBIDDEN =
      ApiError.of(403, ErrorType.INVALID_REQUEST, "Only the role owner may do this.");

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    HttpServletMapping mapping = http.getHttpServletMapping();
    boolean own =
        mapping.getMappingMatch() == MappingMatch.EXACT || mapping.getPattern().equals(ADMIN_API);
    boolean owner =
        request.getAttribute(AdminCaller.ATTRIBUTE) instanceof AdminCaller caller
            && caller.role().includes(Role.OWNER);
    if (own || owner || SAFE.contains(http.getMethod())) {
      chain.doFilter(request, response);
      return;
    }
    byte[] body = FORBIDDEN.toJson();
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setStatus(FORBIDDEN.status());
    answer.setContentType("application/json");
    answer.setContentLength(body.length);
    answer.getOutputStream().write(body);
  }
}
