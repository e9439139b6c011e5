package io.memorygateway.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.logging.common.AppenderFactory;
import io.dropwizard.logging.common.DefaultLoggingFactory;
import io.dropwizard.logging.common.FileAppenderFactory;
import io.dropwizard.logging.common.LoggerConfiguration;
import io.dropwizard.request.logging.LogbackAccessRequestLogFactory;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Check of where the log goes: of the appenders that loggers have of their own, which are read when
 * the server starts, and of files, without which Logback goes on.
 */
public final class LogFiles {
  private static final ObjectMapper LOGGERS =
      DropwizardJson.mapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private LogFiles() {}

  /**
   * Checks them; writes nothing.
   *
   * @throws IllegalArgumentException with the key and the fault
   */
  public static void check(Configuration configuration) {
    if (configuration.getLoggingFactory() instanceof DefaultLoggingFactory logging) {
      check("logging.appenders", logging.getAppenders());
      logging
          .getLoggers()
          .forEach(
              (name, logger) -> {
                if (logger.isObject()) {
                  String key = "logging.loggers." + name;
                  check(key + ".appenders", read(key, logger).getAppenders());
                }
              });
    }
    if (configuration.getServerFactory() instanceof AbstractServerFactory server
        && server.getRequestLogFactory() instanceof LogbackAccessRequestLogFactory requests) {
      check("server.requestLog.appenders", requests.getAppenders());
    }
  }

  private static LoggerConfiguration read(String key, JsonNode logger) {
    try {
      return LOGGERS.treeToValue(logger, LoggerConfiguration.class);
    } catch (UnrecognizedPropertyException e) {
      throw new IllegalArgumentException(
          key + ": " + e.getPropertyName() + " is unrecognized; there is no such key", e);
    } catch (JsonProcessingException e) {
      String wrong = WrongValue.line(e);
      throw new IllegalArgumentException(
          wrong == null ? key + ": " + e.getOriginalMessage() : key + "." + wrong, e);
    }
  }

  private static void check(String key, List<? extends AppenderFactory<?>> appenders) {
    for (AppenderFactory<?> each : appenders) {
      if (each instanceof FileAppenderFactory<?> file) {
        check(key, file.getCurrentLogFilename());
        check(key, file.isArchive() ? file.getArchivedLogFilenamePattern() : null);
      }
    }
  }

  /**
   * Checks a file.
   *
   * @param name or pattern of names, whose first part stands for all
   */
  private static void check(String key, @Nullable String name) {
    if (name == null) {
      return;
    }
    int pattern = name.indexOf('%');
    Path file = Path.of(pattern < 0 ? name : name.substring(0, pattern) + "0").toAbsolutePath();
    Path there = file;
    while (!Files.exists(there) && there.getParent() != null) {
      if (isHidden(there)) {
        return;
      }
      there = there.getParent();
    }
    if (Files.isDirectory(there) == there.equals(file) || !Files.isWritable(there)) {
      throw new IllegalArgumentException(
          "%s: the file %s cannot be written, because of %s".formatted(key, name, there));
    }
  }

  /** Whether a folder on the way to it can be entered by others alone, as the service's user. */
  private static boolean isHidden(Path file) {
    try {
      file.getFileSystem().provider().checkAccess(file);
      return false;
    } catch (IOException e) {
      return e instanceof AccessDeniedException;
    }
  }
}
