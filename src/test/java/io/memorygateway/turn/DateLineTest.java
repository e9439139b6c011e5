package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §11: how a model is told when something was said, and what day it is. */
class DateLineTest {
  private static final Instant NOW = Instant.parse("2026-11-27T13:10:00Z");
  private static final DateLine UTC = new DateLine(ZoneOffset.UTC);

  @ParameterizedTest
  @CsvSource({
    "2026-11-28, in the future",
    "9999-12-31, in the future",
    "2026-11-27, today",
    "2026-11-26, yesterday",
    "2026-11-25, 2 days ago",
    "2026-11-14, 13 days ago",
    "2026-11-13, 2 weeks ago",
    "2026-09-26, 8 weeks ago",
    "2026-09-25, 2 months ago",
    "2024-11-28, 23 months ago",
    "2024-11-27, 2 years ago",
    "1996-11-27, 30 years ago"
  })
  void agesAreThoseOfTheirDay(String day, String age) {
    assertThat(UTC.of(Instant.parse(day + "T23:00:00Z"), NOW))
        .endsWith(", 23:00 UTC, " + age + "]");
  }

  @Test
  void todayIsToldWithTheDayOfTheOldestMessage() {
    assertThat(UTC.today(NOW, null)).isEqualTo("[Today is Friday, 27 November 2026, 13:10 UTC.]");
    assertThat(UTC.today(NOW, NOW.minusSeconds(3600))).isEqualTo(UTC.today(NOW, null));
    assertThat(UTC.today(NOW, Instant.parse("2026-05-03T00:00:00Z")))
        .isEqualTo(
            "[Today is Friday, 27 November 2026, 13:10 UTC. The oldest message above is of Sunday,"
                + " 3 May 2026.]");
    assertThat(
            new DateLine(ZoneId.of("Asia/Tokyo"))
                .today(Instant.parse("2026-11-27T20:00:00Z"), null))
        .isEqualTo("[Today is Saturday, 28 November 2026, 05:00 GMT+9.]");
  }
}
