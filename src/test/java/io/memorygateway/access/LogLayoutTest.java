package io.memorygateway.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.LayoutBase;
import java.util.TimeZone;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class LogLayoutTest {
  /** A line of so many takes hours if each of them is looked at from each of them. */
  private static final String BLANKS = " ".repeat(2_000_000);

  @ParameterizedTest
  @ValueSource(strings = {"text", "json"})
  void aMessageIsOneLineWhateverADriverOrACallerPutsIntoIt(String format) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    LogLayout configured = new LogLayout();
    configured.setFormat(format);
    LayoutBase<ILoggingEvent> layout = configured.build(context, TimeZone.getTimeZone("UTC"));
    layout.start();
    Logger logger = context.getLogger("io.memorygateway.database.Cleaner");

    String line =
        layout.doLayout(
            new LoggingEvent(
                "",
                logger,
                Level.WARN,
                "Old rows stay: {}",
                null,
                new Object[] {
                  "link failure\n\nThe last\u0085\u2028\u001b packet\r\n  was lost \\ $1"
                      + BLANKS
                      + "x"
                }));

    assertThat(line.lines()).hasSize(1);
    assertThat(line).endsWith(System.lineSeparator()).contains("The last").contains("$1");
    if (format.equals("text")) {
      assertThat(line)
          .contains("Old rows stay: link failure The last packet was lost \\ $1" + BLANKS + "x");
    }
  }
}
