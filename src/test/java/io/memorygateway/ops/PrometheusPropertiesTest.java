package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.config.PrometheusProperties;
import org.junit.jupiter.api.Test;

/** What the metrics library takes from {@code prometheus.properties}. */
class PrometheusPropertiesTest {
  @Test
  void aSeriesLooksForAnExemplarOnceASecond() {
    assertThat(PrometheusProperties.get().getExemplarProperties().getSampleIntervalMilliseconds())
        .isEqualTo(1000);
  }
}
