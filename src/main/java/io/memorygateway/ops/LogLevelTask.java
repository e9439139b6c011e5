package io.memorygateway.ops;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.TaskUsage;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code log-level}: changes the level of a logger while the node runs, for a while or until it
 * stops. Replaces Dropwizard's own task, which lets any logger print everything: below INFO those
 * of the libraries print headers and bodies, keys among them.
 */
final class LogLevelTask implements AdminTask {
  private static final String OURS = "io.memorygateway";

  private static final TaskUsage USAGE =
      TaskUsage.of(
          "log-level",
          "Change the level of a logger, for a while or until the node stops",
          List.of(
              Parameter.required("logger", "a package or class, or ROOT"),
              Parameter.optional(
                  "level",
                  "OFF, ERROR, WARN, INFO, and for "
                      + OURS
                      + " DEBUG, TRACE; inherited if left out"),
              Parameter.optional(
                  "duration", "such as 10m, after which the level is what it was before")));

  /**
   * A temporary level.
   *
   * @param before level to restore; null if it was inherited
   */
  private record Temporary(@Nullable Level before, Future<?> end, long number) {}

  private final LoggerContext loggers;
  private final ScheduledExecutorService timer;
  private final Map<String, Temporary> temporary = new HashMap<>();
  private long changes;

  LogLevelTask(LoggerContext loggers, ScheduledExecutorService timer) {
    this.loggers = loggers;
    this.timer = timer;
  }

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public String subject(ParameterValues values) {
    return name(values.required("logger"));
  }

  @Override
  public Object before(ParameterValues values) {
    String name = name(values.required("logger"));
    return Map.of("logger", name, "level", loggers.getLogger(name).getEffectiveLevel().toString());
  }

  @Override
  public synchronized Object run(ParameterValues values) {
    String name = name(values.required("logger"));
    Level level = level(values.optional("level"));
    Duration duration = values.duration("duration");
    requireSafe(name, level);
    Logger logger = loggers.getLogger(name);
    Temporary former = temporary.remove(name);
    if (former != null) {
      former.end().cancel(false);
    }
    Level before = former == null ? logger.getLevel() : former.before();
    logger.setLevel(level);
    if (duration != null) {
      long number = ++changes;
      Future<?> end =
          timer.schedule(() -> end(name, number), duration.toMillis(), TimeUnit.MILLISECONDS);
      temporary.put(name, new Temporary(before, end, number));
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("logger", name);
    answer.put("level", logger.getEffectiveLevel().toString());
    answer.put("duration", duration == null ? null : duration.toString());
    return answer;
  }

  /** Restores the former level, unless another change has replaced this one meanwhile. */
  private synchronized void end(String name, long number) {
    Temporary over = temporary.get(name);
    if (over != null && over.number() == number) {
      temporary.remove(name);
      loggers.getLogger(name).setLevel(over.before());
    }
  }

  /** What inherits from a package is below it: {@code org} stands for {@code org.eclipse} too. */
  private void requireSafe(String name, @Nullable Level level) {
    boolean isRoot = name.equals(org.slf4j.Logger.ROOT_LOGGER_NAME);
    if (level == null && isRoot) {
      throw ApiException.invalidRequest("level is required for ROOT.");
    }
    Level effective = level == null ? inherited(name) : level;
    boolean isOurs = name.equals(OURS) || name.startsWith(OURS + ".");
    if (!isOurs && !effective.isGreaterOrEqual(Level.INFO)) {
      throw ApiException.invalidRequest(
          "Only loggers of "
              + OURS
              + " can be set below INFO: those of libraries would print headers and bodies, and"
              + " with them keys.");
    }
  }

  private Level inherited(String name) {
    int dot = name.lastIndexOf('.');
    String parent = dot < 0 ? org.slf4j.Logger.ROOT_LOGGER_NAME : name.substring(0, dot);
    return loggers.getLogger(parent).getEffectiveLevel();
  }

  private static String name(String text) {
    if (!text.matches("[\\w$-]+(\\.[\\w$-]+)*") || text.length() > 255) {
      throw ApiException.invalidRequest("logger must be the name of a package or class, or ROOT.");
    }
    return text.equalsIgnoreCase(org.slf4j.Logger.ROOT_LOGGER_NAME)
        ? org.slf4j.Logger.ROOT_LOGGER_NAME
        : text;
  }

  private static @Nullable Level level(@Nullable String text) {
    if (text == null) {
      return null;
    }
    Level level = Level.toLevel(text, null);
    if (level == null) {
      throw ApiException.invalidRequest(
          "level must be one of OFF, ERROR, WARN, INFO, DEBUG, TRACE.");
    }
    return level;
  }
}
