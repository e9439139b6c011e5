package io.memorygateway.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.figures.TestFigures;
import io.memorygateway.http.api.RequestNotes;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The access log holds no request up: what cannot be written in time is dropped and counted. */
class AccessLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(AccessLog.LOGGER_NAME);
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Semaphore gate = new Semaphore(0);
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private final AppenderBase<ILoggingEvent> slow =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          gate.acquireUninterruptibly();
          lines.add(event.getFormattedMessage());
        }
      };

  @BeforeEach
  void listen() {
    slow.start();
    logger.addAppender(slow);
    logger.setAdditive(false);
    logger.setLevel(Level.INFO);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(slow);
    logger.setAdditive(true);
    logger.setLevel(null);
  }

  @Test
  void aLogThatIsWrittenTooSlowlyLosesLinesAndNeverARequest() throws Exception {
    AccessLog log = new AccessLog(registry);
    for (int i = 0; i < 10_000; i++) {
      log.add(entry("r" + i));
    }
    assertThat(dropped()).isEqualTo(10_000 - 8192);

    gate.release(10_000);
    log.start();
    // To stop waits for a while only, which a busy machine may need longer than.
    await().until(() -> lines.size() == 8192);
    log.stop();

    assertThat(lines).hasSize(8192);
    assertThat(lines.get(0)).startsWith("request_id=r0 ");
  }

  @Test
  void aLineOfTextQuotesWhatHasBlanks() {
    assertThat(entry("a \"b\""))
        .hasToString(
            "request_id=\"a \\\"b\\\"\" project=shop key=msk_12ab method=GET endpoint=unmatched"
                + " status=200 provider=p model=m stream=true input_tokens=1 duration_ms=1.5"
                + " upstream_ms=1.0 bytes_in=0 bytes_out=3");
  }

  private static AccessEntry entry(String id) {
    RequestNotes notes = new RequestNotes();
    notes.caller("shop", "msk_12ab");
    Figures values = TestFigures.tokens(1, -1, -1).with(Figure.UPSTREAM_MS, 1_000_000);
    notes.call(
        new CallFigures(
            "p", "m", 200, true, values, null, null, new CallFigures.Attempt(1, true, 200, 1)),
        null);
    return new AccessEntry(0, id, "GET", "unmatched", 200, 1_500_000, 0, 3, notes);
  }

  private double dropped() {
    return registry.scrape().stream()
        .map(CounterSnapshot.class::cast)
        .mapToDouble(counter -> counter.getDataPoints().get(0).getValue())
        .sum();
  }
}
