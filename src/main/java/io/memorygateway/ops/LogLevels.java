package io.memorygateway.ops;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import io.dropwizard.logging.common.DefaultLoggingFactory;
import io.dropwizard.logging.common.LoggingFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * Check of the levels below {@code logging:} in config.yml. Logback would take an unknown level for
 * INFO, and Jetty below INFO prints all headers of requests, and with them keys.
 */
public final class LogLevels {
  private static final String ROOT = "";
  private static final String JETTY = "org.eclipse.jetty";

  private LogLevels() {}

  /**
   * Checks all levels.
   *
   * @throws IllegalArgumentException with the key below {@code logging:} and the fault
   */
  public static void check(LoggingFactory logging) {
    if (!(logging instanceof DefaultLoggingFactory factory)) {
      return;
    }
    Map<String, Level> levels = new HashMap<>();
    levels.put(ROOT, level("level", factory.getLevel()));
    factory.getLoggers().forEach((name, logger) -> levels.put(name, level(name, logger)));
    requirePrintsNoKeys(JETTY, effective(levels, JETTY));
    levels.forEach(
        (name, level) -> {
          if (name.startsWith(JETTY + ".")) {
            requirePrintsNoKeys(name, level);
          }
        });
  }

  private static Level level(String logger, JsonNode configured) {
    // A logger with appenders is an object, whose level may be left out.
    JsonNode level = configured.isObject() ? configured.path("level") : configured;
    return level.isMissingNode() ? Level.INFO : level("loggers." + logger, level.asText());
  }

  private static Level level(String key, String text) {
    // As Dropwizard reads them: some readers of YAML take an unquoted OFF for false.
    Level level =
        switch (text) {
          case "false" -> Level.OFF;
          case "true" -> Level.TRACE;
          default -> Level.toLevel(text, null);
        };
    if (level == null) {
      throw new IllegalArgumentException(
          key + " must be one of OFF, ERROR, WARN, INFO, DEBUG, TRACE");
    }
    return level;
  }

  /** The level of a logger, or of the nearest configured one above it. */
  private static Level effective(Map<String, Level> levels, String logger) {
    String name = logger;
    while (!levels.containsKey(name)) {
      int dot = name.lastIndexOf('.');
      name = dot < 0 ? ROOT : name.substring(0, dot);
    }
    return levels.getOrDefault(name, Level.INFO);
  }

  private static void requirePrintsNoKeys(String logger, Level level) {
    if (!level.isGreaterOrEqual(Level.INFO)) {
      throw new IllegalArgumentException(
          "loggers."
              + logger
              + " must be INFO or above: below, it prints the headers of requests, and with them"
              + " keys");
    }
  }
}
