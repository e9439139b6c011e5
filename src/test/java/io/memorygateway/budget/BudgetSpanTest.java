package io.memorygateway.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.memorygateway.budget.BudgetSpan.Window;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15: windows of budgets, in the calendar of a time zone or aligned to the epoch. */
class BudgetSpanTest {
  @ParameterizedTest
  @CsvSource({
    "1m, UTC, 2026-03-29T00:59:59.999Z, 2026-03-29T00:59:00Z, 2026-03-29T01:00:00Z",
    "5h, Europe/Berlin, 1970-01-01T05:00:00Z, 1970-01-01T05:00:00Z, 1970-01-01T10:00:00Z",
    "31d, UTC, 1970-02-01T00:00:00Z, 1970-02-01T00:00:00Z, 1970-03-04T00:00:00Z",
    "744h, UTC, 1970-01-31T23:59:59.999Z, 1970-01-01T00:00:00Z, 1970-02-01T00:00:00Z",
    "day, UTC, 2026-11-27T23:59:59.999Z, 2026-11-27T00:00:00Z, 2026-11-28T00:00:00Z",
    // The day without an hour, and the day with one more.
    "day, Europe/Berlin, 2026-03-29T12:00:00Z, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
    "day, Europe/Berlin, 2026-10-25T01:30:00Z, 2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
    "week, Europe/Berlin, 2026-03-29T12:00:00Z, 2026-03-22T23:00:00Z, 2026-03-29T22:00:00Z",
    "month, Europe/Berlin, 2026-03-15T00:00:00Z, 2026-02-28T23:00:00Z, 2026-03-31T22:00:00Z",
    // The clock goes from 23:59:59 to 01:00: that day begins at one.
    "day, America/Havana, 2026-03-08T05:00:00Z, 2026-03-08T05:00:00Z, 2026-03-09T04:00:00Z",
    "day, America/Havana, 2026-03-08T04:59:59.999Z, 2026-03-07T05:00:00Z, 2026-03-08T05:00:00Z",
    // Midnight is there twice: the first one begins the day.
    "day, America/Havana, 2026-11-01T05:30:00Z, 2026-11-01T04:00:00Z, 2026-11-02T05:00:00Z",
    // 30 December 2011 is no day of Samoa.
    "day, Pacific/Apia, 2011-12-30T09:59:59.999Z, 2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
    "day, Pacific/Apia, 2011-12-30T10:00:00Z, 2011-12-30T10:00:00Z, 2011-12-31T10:00:00Z",
    "week, Pacific/Apia, 2011-12-31T00:00:00Z, 2011-12-26T10:00:00Z, 2012-01-01T10:00:00Z",
    "week, UTC, 2026-11-29T23:59:59Z, 2026-11-23T00:00:00Z, 2026-11-30T00:00:00Z",
    "week, UTC, 2026-11-30T00:00:00Z, 2026-11-30T00:00:00Z, 2026-12-07T00:00:00Z",
    "month, UTC, 2028-02-29T23:59:59.999Z, 2028-02-01T00:00:00Z, 2028-03-01T00:00:00Z",
    "month, UTC, 2026-12-31T23:59:59.999Z, 2026-12-01T00:00:00Z, 2027-01-01T00:00:00Z",
  })
  void aWindowBeginsAndEndsWhereItsKindSays(
      String span, String zone, Instant time, Instant start, Instant end) {
    Window window = BudgetSpan.parse(span).at(time.toEpochMilli(), ZoneId.of(zone));

    assertThat(Instant.ofEpochMilli(window.start())).isEqualTo(start);
    assertThat(Instant.ofEpochMilli(window.end())).isEqualTo(end);
    assertThat(window.reset()).isEqualTo(end);
    assertThat(window.contains(time.toEpochMilli())).isTrue();
  }

  @Test
  void aTotalNeverEnds() {
    Window window = BudgetSpan.parse("total").at(System.currentTimeMillis(), ZoneOffset.UTC);

    assertThat(window.start()).isZero();
    assertThat(window.reset()).isNull();
    assertThat(window.contains(Long.MAX_VALUE - 1)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"01h, 1h", "00005m, 5m", "10m, 10m", "31d, 31d", "day, day"})
  void aLengthIsWrittenInOneWay(String text, String written) {
    assertThat(BudgetSpan.parse(text)).isEqualTo(BudgetSpan.parse(written)).hasToString(written);
  }

  /** No moment is in two windows, and none in no window. */
  @ParameterizedTest
  @CsvSource({
    "7m, UTC",
    "day, Europe/Berlin",
    "day, America/Havana",
    "day, Pacific/Apia",
    "week, Pacific/Apia",
    "week, America/Havana",
    "month, America/Havana",
    "month, Australia/Lord_Howe",
    // The clock goes from 00:01 to 23:01 of the day before.
    "day, America/St_Johns",
    "17h, Asia/Kolkata",
    "13d, Pacific/Apia"
  })
  void windowsTileTime(String text, String zoneName) {
    BudgetSpan span = BudgetSpan.parse(text);
    ZoneId zone = ZoneId.of(zoneName);
    Random random = new Random(3);
    LongStream moments = random.longs(2000, 0, Duration.ofDays(80 * 365).toMillis());
    List<ZoneOffsetTransition> changes = zone.getRules().getTransitions();
    LongStream odd =
        changes.stream()
            .mapToLong(change -> change.toEpochSecond() * 1000)
            .flatMap(
                change -> LongStream.rangeClosed(-4, 4).map(half -> change + half * 1_800_000));
    for (long millis : LongStream.concat(moments, odd).toArray()) {
      Window window = span.at(millis, zone);

      String as = text + " of " + zoneName + " at " + Instant.ofEpochMilli(millis);
      assertThat(window.contains(millis)).as(as).isTrue();
      assertThat(span.at(window.start(), zone)).as(as).isEqualTo(window);
      assertThat(span.at(window.end() - 1, zone)).as(as).isEqualTo(window);
      assertThat(span.at(window.end(), zone).start()).as(as).isEqualTo(window.end());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1m, true",
    "60m, true",
    "1h, true",
    "61m, false",
    "2h, false",
    "day, false",
    "total, false"
  })
  void whoIsRefusedIsToldToWaitForAnHourAtMost(String span, boolean isShort) {
    assertThat(BudgetSpan.parse(span).isShort()).isEqualTo(isShort);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "m",
        "0m",
        "32d",
        "745h",
        "1s",
        "-1m",
        "+1m",
        "1.5h",
        "1 h",
        "١m",
        "100000m",
        "99999999999m",
        "Day",
        "year",
        "1M"
      })
  void anythingElseIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BudgetSpan.parse(text))
        .withMessageContaining("from 1m to 31d");
  }
}
