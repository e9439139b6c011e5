package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.ParameterValues;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLevelTaskTest {
  private final LoggerContext loggers = new LoggerContext();

  @AutoClose("shutdownNow")
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  private final LogLevelTask task = new LogLevelTask(loggers, timer);

  @BeforeEach
  void configure() {
    loggers.getLogger("ROOT").setLevel(Level.INFO);
    loggers.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROOT",
        "root",
        "org",
        "org.eclipse",
        "org.eclipse.jetty",
        "org.eclipse.jetty.http.HttpParser",
        "org.glassfish.jersey",
        "com",
        "com.mysql",
        "org.apache.tomcat.jdbc",
        "io",
        "io.memorygatewayx",
      })
  void noLoggerThatCouldPrintKeysIsSetBelowInfo(String logger) {
    for (String level : new String[] {"DEBUG", "TRACE", "ALL", "debug"}) {
      assertThatThrownBy(() -> run(Map.of("logger", logger, "level", level)))
          .isInstanceOfSatisfying(
              ApiException.class, e -> assertThat(e.error().status()).isEqualTo(400))
          .hasMessageContaining("below INFO");
    }
    assertThat(loggers.getLogger("org.eclipse.jetty.http").isDebugEnabled()).isFalse();
    assertThat(loggers.getLogger("com.mysql.cj").isDebugEnabled()).isFalse();
  }

  /** A configuration with DEBUG for all and WARN for Jetty means the latter. */
  @Test
  void norByTakingItsOwnLevelAway() {
    loggers.getLogger("ROOT").setLevel(Level.DEBUG);

    assertThatThrownBy(() -> run(Map.of("logger", "org.eclipse.jetty")))
        .hasMessageContaining("below INFO");
    assertThat(loggers.getLogger("org.eclipse.jetty.http").isDebugEnabled()).isFalse();
  }

  @Test
  void theGatewaysOwnMayPrintEverything() {
    assertThat(run(Map.of("logger", "io.memorygateway.proxy", "level", "TRACE")))
        .asString()
        .contains("logger=io.memorygateway.proxy", "level=TRACE");
    assertThat(loggers.getLogger("io.memorygateway.proxy.call.StreamPump").isTraceEnabled())
        .isTrue();

    run(Map.of("logger", "io.memorygateway.proxy"));

    assertThat(loggers.getLogger("io.memorygateway.proxy").getLevel()).isNull();
    assertThat(loggers.getLogger("io.memorygateway.proxy").isDebugEnabled()).isFalse();
  }

  @Test
  void aLevelForAWhileGoesBackToWhatItWasBeforeTheFirstOfThem() {
    run(Map.of("logger", "org.eclipse.jetty", "level", "ERROR", "duration", "1h"));
    run(Map.of("logger", "org.eclipse.jetty", "level", "INFO", "duration", "10ms"));

    await().until(() -> loggers.getLogger("org.eclipse.jetty").getLevel() == Level.WARN);
  }

  @Test
  void whatIsNoLoggerLevelOrDurationIsSaid() {
    assertThatThrownBy(() -> run(Map.of("level", "INFO")))
        .hasMessageContaining("logger is required");
    assertThatThrownBy(() -> run(Map.of("logger", "a..b", "level", "INFO")))
        .hasMessageContaining("name of a package");
    assertThatThrownBy(() -> run(Map.of("logger", "a", "level", "LOUD")))
        .hasMessageContaining("level must be");
    assertThatThrownBy(() -> run(Map.of("logger", "ROOT")))
        .hasMessageContaining("required for ROOT");
    for (String duration : new String[] {"-1s", "PT10M", "soon"}) {
      assertThatThrownBy(() -> run(Map.of("logger", "a", "level", "INFO", "duration", duration)))
          .hasMessageContaining("duration must be");
    }
  }

  private Object run(Map<String, String> given) {
    return task.run(new ParameterValues(given, task.usage().parameters()));
  }
}
