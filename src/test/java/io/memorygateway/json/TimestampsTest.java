package io.memorygateway.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §5: ISO-8601, UTC, with milliseconds. */
class TimestampsTest {
  @ParameterizedTest
  @CsvSource({
    "2026-11-20T09:30:00Z, 2026-11-20T09:30:00.000Z",
    "2026-11-20T09:30:00.5Z, 2026-11-20T09:30:00.500Z",
    "2026-11-20T09:30:00.123999Z, 2026-11-20T09:30:00.123Z",
    "1969-12-31T23:59:59.999Z, 1969-12-31T23:59:59.999Z",
  })
  void alwaysHaveThreeDigitsOfASecond(String instant, String written) {
    assertThat(Timestamps.format(Instant.parse(instant))).isEqualTo(written);
  }
}
