package io.memorygateway.budget;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long a budget runs before it begins anew: a length from a minute to 31 days, aligned to the
 * Unix epoch; a calendar day, week or month; or {@code total}, which never ends.
 */
public final class BudgetSpan {
  private static final String TOTAL = "total";
  private static final Map<Character, Duration> UNITS =
      Map.of('m', Duration.ofMinutes(1), 'h', Duration.ofHours(1), 'd', Duration.ofDays(1));
  private static final Duration LONGEST = Duration.ofDays(31);

  /** Up to this, a caller waits for the next window. */
  private static final Duration SHORT = Duration.ofHours(1);

  private static final int MAX_DIGITS = 5;

  private final String text;
  private final @Nullable Duration length;

  private BudgetSpan(String text, @Nullable Duration length) {
    this.text = text;
    this.length = length;
  }

  /**
   * A window.
   *
   * @param start in milliseconds since the epoch, included
   * @param end excluded; {@link Long#MAX_VALUE} if it never ends
   */
  public record Window(long start, long end) {
    public boolean contains(long millis) {
      return start <= millis && millis < end;
    }

    /** When the next one begins; null if none does. */
    public @Nullable Instant reset() {
      return end == Long.MAX_VALUE ? null : Instant.ofEpochMilli(end);
    }
  }

  /**
   * Reads a length or a name.
   *
   * @throws IllegalArgumentException with a message for the operator
   */
  @JsonCreator
  public static BudgetSpan parse(String text) {
    return switch (text) {
      case "day", "week", "month", TOTAL -> new BudgetSpan(text, null);
      default -> {
        Duration length = length(text);
        // Written in one way: 01h is 1h.
        int zeros = 0;
        while (text.charAt(zeros) == '0') {
          zeros++;
        }
        yield new BudgetSpan(text.substring(zeros), length);
      }
    };
  }

  private static Duration length(String text) {
    int digits = text.length() - 1;
    Duration unit = digits < 1 ? null : UNITS.get(text.charAt(digits));
    boolean number =
        digits <= MAX_DIGITS
            && text.chars().limit(Math.max(0, digits)).allMatch(c -> c >= '0' && c <= '9');
    if (unit != null && number) {
      Duration length = unit.multipliedBy(Integer.parseInt(text.substring(0, digits)));
      if (!length.isZero() && length.compareTo(LONGEST) <= 0) {
        return length;
      }
    }
    throw new IllegalArgumentException(
        "window must be a length from 1m to 31d, such as 5h, or day, week, month or total");
  }

  /**
   * Spans that a window may be of, as they are written; one that has more digits than it needs is
   * not.
   */
  public static List<String> of(Window window) {
    List<String> texts = new ArrayList<>(List.of("day", "week", "month", TOTAL));
    UNITS.forEach(
        (unit, length) ->
            texts.add((window.end() - window.start()) / length.toMillis() + unit.toString()));
    return texts;
  }

  public Window at(long millis, ZoneId zone) {
    if (length != null) {
      long start = millis - Math.floorMod(millis, length.toMillis());
      return new Window(start, start + length.toMillis());
    }
    if (text.equals(TOTAL)) {
      return new Window(0, Long.MAX_VALUE);
    }
    LocalDate day = LocalDate.ofInstant(Instant.ofEpochMilli(millis), zone);
    // Where a clock is put back over midnight, the next day has begun already.
    LocalDate next = day.plusDays(1);
    day = millis < next.atStartOfDay(zone).toInstant().toEpochMilli() ? day : next;
    LocalDate first =
        switch (text) {
          case "week" -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
          case "month" -> day.withDayOfMonth(1);
          default -> day;
        };
    ChronoUnit unit =
        switch (text) {
          case "week" -> ChronoUnit.WEEKS;
          case "month" -> ChronoUnit.MONTHS;
          default -> ChronoUnit.DAYS;
        };
    // The first moment of a day is not midnight everywhere.
    return new Window(
        first.atStartOfDay(zone).toInstant().toEpochMilli(),
        first.plus(1, unit).atStartOfDay(zone).toInstant().toEpochMilli());
  }

  /** Whether a caller that is refused is told to wait. */
  public boolean isShort() {
    return length != null && length.compareTo(SHORT) <= 0;
  }

  @Override
  @JsonValue
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BudgetSpan span && span.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
