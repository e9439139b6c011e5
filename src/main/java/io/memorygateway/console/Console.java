package io.memorygateway.console;

import io.dropwizard.core.setup.Environment;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;

/** Wires the console's pages into the root of the admin port. */
public final class Console {
  private Console() {}

  /** Installs the pages; to be called before the server is built. */
  public static void install(Environment environment) {
    environment
        .admin()
        .addFilter("browser-headers", new BrowserHeadersFilter())
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
    environment
        .admin()
        .addServlet("console", new ConsoleServlet())
        .addMapping(ConsoleServlet.PAGE, ConsoleServlet.FILES + "*");
  }
}
