package io.memorygateway.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jdbi.v3.core.statement.StatementException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * What a failed test says besides its assertion: the last lines that the gateways of this JVM
 * logged while it ran, and for each failure in them the SQL statement and our first line in the
 * stack. JUnit finds it in {@code META-INF/services}.
 */
public final class FailureReport implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(FailureReport.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    Lines lines = new Lines();
    LoggerContext logging = root().getLoggerContext();
    lines.setContext(logging);
    lines.attach();
    logging.addListener(lines);
    context.getStore(NAMESPACE).put(Lines.class, lines);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Lines lines = context.getStore(NAMESPACE).remove(Lines.class, Lines.class);
    root().getLoggerContext().removeListener(lines);
    root().detachAppender(lines);
    lines.stop();
    if (context.getExecutionException().isPresent()) {
      lines.print(context.getUniqueId());
    }
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  /** The last lines of the log; a gateway that starts sets up all logging anew. */
  private static final class Lines extends AppenderBase<ILoggingEvent>
      implements LoggerContextListener {
    private static final int MAX_LINES = 60;

    private final Deque<String> last = new ArrayDeque<>();

    void attach() {
      start();
      root().addAppender(this);
    }

    @Override
    public boolean isResetResistant() {
      return true;
    }

    @Override
    public void onReset(LoggerContext logging) {
      attach();
    }

    @Override
    public void onStart(LoggerContext logging) {}

    @Override
    public void onStop(LoggerContext logging) {}

    @Override
    public void onLevelChange(Logger logger, Level level) {}

    @Override
    protected void append(ILoggingEvent event) {
      add(event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage());
      if (event.getThrowableProxy() instanceof ThrowableProxy proxy) {
        for (Throwable cause = proxy.getThrowable(); cause != null; cause = cause.getCause()) {
          add("  " + cause);
          if (cause instanceof StatementException failed && failed.getStatementContext() != null) {
            add("  statement: " + failed.getStatementContext().getRenderedSql());
          }
          Arrays.stream(cause.getStackTrace())
              .filter(frame -> frame.getClassName().startsWith("io.memorygateway."))
              .findFirst()
              .ifPresent(frame -> add("  at " + frame));
        }
      }
    }

    private void add(String line) {
      if (last.size() == MAX_LINES) {
        last.removeFirst();
      }
      last.addLast(line);
    }

    synchronized void print(String test) {
      System.err.println("Logged during " + test + ":");
      last.forEach(line -> System.err.println("  " + line));
    }
  }
}
