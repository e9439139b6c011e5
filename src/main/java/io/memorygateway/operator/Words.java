package io.memorygateway.operator;

import io.dropwizard.util.Duration;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The words of one call, read with errors that say which word is wrong. */
public final class Words {
  /** A century: later, and the database has no date for it. */
  private static final long MOST_DAYS = 36_525;

  private final Map<String, String> given;

  /**
   * The words that a command or task takes.
   *
   * @throws ApiException 400 if there are others, or a required one is missing
   */
  public Words(Map<String, String> given, List<Word> known) {
    this.given = Map.copyOf(given);
    List<String> names = known.stream().map(Word::name).toList();
    if (!names.containsAll(given.keySet())) {
      throw wrong(
          names.isEmpty()
              ? "Unknown parameter; there are none."
              : "Unknown parameter; known are " + String.join(", ", names) + ".");
    }
    String missing =
        known.stream()
            .filter(word -> word.required() && optional(word.name()) == null)
            .map(Word::name)
            .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      throw wrong(missing + " is required.");
    }
  }

  public @Nullable String optional(String word) {
    String value = given.get(word);
    return value == null || value.isBlank() ? null : value;
  }

  public String required(String word) {
    String value = optional(word);
    if (value == null) {
      throw wrong(word + " is required.");
    }
    return value;
  }

  /**
   * A time, or a day in UTC.
   *
   * @param endOfDay whether a day stands for its end
   */
  public @Nullable Instant time(String word, boolean endOfDay) {
    String value = optional(word);
    if (value == null) {
      return null;
    }
    try {
      if (value.length() == "2026-01-31".length()) {
        LocalDate day = LocalDate.parse(value);
        return (endOfDay ? day.plusDays(1) : day).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      return Instant.parse(value);
    } catch (DateTimeException e) {
      throw wrong(
          word + " must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z.");
    }
  }

  /** A positive duration such as {@code 90d}. */
  public java.time.@Nullable Duration duration(String word) {
    String value = optional(word);
    if (value == null) {
      return null;
    }
    try {
      Duration duration = Duration.parse(value);
      if (duration.toMilliseconds() > 0 && duration.toDays() <= MOST_DAYS) {
        return duration.toJavaDuration();
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw wrong(word + " must be a duration such as 90d or 12h, and no more than a century.");
  }

  /** A positive whole number. */
  public @Nullable Long positive(String word) {
    String value = optional(word);
    if (value == null) {
      return null;
    }
    try {
      long number = Long.parseLong(value);
      if (number > 0 && number <= Integer.MAX_VALUE) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw wrong(word + " must be a positive whole number.");
  }

  /** One of these; null if it is not given. */
  public @Nullable String oneOf(String word, List<String> values) {
    String value = optional(word);
    if (value != null && !values.contains(value)) {
      throw wrong(word + " must be one of " + String.join(", ", values) + ".");
    }
    return value;
  }

  public static ApiException wrong(String message) {
    return new ApiException(ApiError.invalidRequest(message));
  }
}
