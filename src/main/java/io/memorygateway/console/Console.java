package io.memorygateway.console;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.http.api.BrowserHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.util.EnumSet;

/** Wires the console's pages into the root of the admin port. */
public final class Console {
  private Console() {}

  /**
   * Installs the pages, and the headers of all answers of the port, which forbid caching; to be
   * called before the server is built. The console's files contain no data and set their own
   * caching.
   */
  public static void install(Environment environment) {
    Filter headers =
        (request, response, chain) -> {
          HttpServletResponse answer = (HttpServletResponse) response;
          BrowserHeaders.set(answer::setHeader);
          answer.setHeader("Cache-Control", "no-store");
          chain.doFilter(request, response);
        };
    environment
        .admin()
        .addFilter("browser-headers", headers)
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
    environment
        .admin()
        .addServlet("console", new ConsoleServlet())
        .addMapping(ConsoleServlet.PAGE, ConsoleServlet.FILES + "*");
  }
}
