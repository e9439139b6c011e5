package io.memorygateway.http.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract §9: the end of a port's certificate is told before. */
class PortCertificatesTest {
  private static final Instant END = Instant.parse("2027-01-31T12:00:00Z");
  private static final Map<String, Instant> ENDS = Map.of("server.adminConnectors[0]", END);

  @Test
  void theHealthCheckFailsOnceACertificateHasEnded() {
    ManualClock clock = new ManualClock(END.minusMillis(1));
    PortCertificates check = new PortCertificates(ENDS, clock);

    HealthCheck.Result before = check.execute();
    clock.advance(Duration.ofMillis(1));
    HealthCheck.Result after = check.execute();

    assertThat(before.isHealthy()).isTrue();
    assertThat(after.isHealthy()).isFalse();
    assertThat(after.getMessage()).isEqualTo("server.adminConnectors[0] until " + END);
  }

  @Test
  void twoWeeksBeforeItIsALineOfTheLog() {
    assertThat(PortCertificates.warnings(ENDS, END.minus(Duration.ofDays(14)))).isEmpty();
    assertThat(PortCertificates.warnings(ENDS, END.minus(Duration.ofDays(13))))
        .containsExactly("the certificate of server.adminConnectors[0] ends at " + END);
    assertThat(PortCertificates.warnings(ENDS, END.plusMillis(1)))
        .containsExactly("the certificate of server.adminConnectors[0] has ended at " + END);
  }
}
