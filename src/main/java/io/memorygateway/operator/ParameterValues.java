package io.memorygateway.operator;

import static io.memorygateway.http.errors.ApiException.invalidRequest;

import io.dropwizard.util.Duration;
import io.memorygateway.database.Home;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.json.Timestamps;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parameter values of one call, parsed with errors that name the wrong parameter. */
public final class ParameterValues {
  /** Days in a century; the database cannot store much later dates. */
  private static final long MAX_DAYS = 36_525;

  private static final int MAX_DIGITS = 18;

  private final Map<String, String> given;

  /**
   * Creates the values of a command's or task's parameters.
   *
   * @throws ApiException 400 if one is unknown, a required one is missing, or one is empty, as by a
   *     script whose variable is not set, that nothing can be taken away by
   */
  public ParameterValues(Map<String, String> given, List<Parameter> known) {
    this(given);
    List<String> names = known.stream().map(Parameter::name).toList();
    if (!names.containsAll(given.keySet())) {
      throw invalidRequest(
          names.isEmpty()
              ? "Unknown parameter; there are none."
              : "Unknown parameter; known are " + String.join(", ", names) + ".");
    }
    String missing =
        known.stream()
            .filter(parameter -> parameter.required() && optional(parameter.name()) == null)
            .map(Parameter::name)
            .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      throw invalidRequest(missing + " is required.");
    }
    for (Parameter parameter : known) {
      if (parameter.form() != Parameter.Form.CLEARED
          && isGiven(parameter.name())
          && optional(parameter.name()) == null) {
        throw invalidRequest(parameter.name() + " is empty.");
      }
    }
  }

  private ParameterValues(Map<String, String> given) {
    this.given = Map.copyOf(given);
  }

  /**
   * The values by the names of their parameters.
   *
   * @throws ApiException 400 if one is given twice, of which nobody can tell which is meant
   */
  static Map<String, String> once(Map<String, ? extends List<String>> given) {
    Map<String, String> values = new LinkedHashMap<>();
    given.forEach(
        (name, all) -> {
          if (all.size() > 1) {
            throw invalidRequest(name + " is given more than once.");
          }
          values.put(name, all.get(0));
        });
    return values;
  }

  /** Values of which it is not known whether they are the right ones. */
  static ParameterValues unchecked(Map<String, String> given) {
    return new ParameterValues(given);
  }

  /** Whether it is given, if only as an empty text. */
  public boolean isGiven(String parameter) {
    return given.containsKey(parameter);
  }

  public @Nullable String optional(String parameter) {
    String value = given.get(parameter);
    return value == null || value.isBlank() ? null : value;
  }

  public String required(String parameter) {
    String value = optional(parameter);
    if (value == null) {
      throw invalidRequest(parameter + " is required.");
    }
    return value;
  }

  /**
   * A time, or a day in UTC; null if it is not given.
   *
   * @param endOfDay whether a day means its end
   */
  public @Nullable Instant time(String parameter, boolean endOfDay) {
    String value = optional(parameter);
    if (value == null) {
      return null;
    }
    try {
      Instant time;
      if (value.length() == "2026-01-31".length()) {
        LocalDate day = LocalDate.parse(value);
        time = (endOfDay ? day.plusDays(1) : day).atStartOfDay(ZoneOffset.UTC).toInstant();
      } else {
        time = Instant.parse(value);
      }
      if (Timestamps.isInRange(time)) {
        return time;
      }
    } catch (DateTimeException e) {
      // handled below
    }
    throw invalidRequest(
        parameter + " must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z.");
  }

  /** A positive duration such as {@code 90d}; null if it is not given. */
  public java.time.@Nullable Duration duration(String parameter) {
    String value = optional(parameter);
    if (value == null) {
      return null;
    }
    try {
      Duration duration = Duration.parse(value);
      if (duration.toMilliseconds() > 0 && duration.toDays() <= MAX_DAYS) {
        return duration.toJavaDuration();
      }
    } catch (IllegalArgumentException e) {
      // handled below
    }
    throw invalidRequest(
        parameter + " must be a duration such as 90d or 12h, and no more than a century.");
  }

  /** A positive whole number; null if it is not given. */
  public @Nullable Long positive(String parameter) {
    String value = optional(parameter);
    if (value == null) {
      return null;
    }
    // Java would take the digits of every script.
    long number = Characters.areDigits(value, MAX_DIGITS) ? Long.parseLong(value) : 0;
    if (number > 0 && number <= Integer.MAX_VALUE) {
      return number;
    }
    throw invalidRequest(parameter + " must be a positive whole number.");
  }

  /** A {@link Home}; null if it is not given. */
  public @Nullable Home home(String parameter) {
    String value = optional(parameter);
    if (value == null) {
      return null;
    }
    try {
      return new Home(Characters.areDigits(value, MAX_DIGITS) ? Integer.parseInt(value) : -1);
    } catch (IllegalArgumentException e) {
      throw invalidRequest(parameter + " must be a whole number from 0 to 32767.");
    }
  }

  /** One of the allowed values; null if it is not given. */
  public @Nullable String oneOf(String parameter, List<String> values) {
    String value = optional(parameter);
    if (value != null && !values.contains(value)) {
      throw invalidRequest(parameter + " must be one of " + String.join(", ", values) + ".");
    }
    return value;
  }
}
