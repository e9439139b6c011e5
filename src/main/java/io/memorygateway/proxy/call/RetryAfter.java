package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonValue;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Wait that an upstream asks for before the next request: {@code retry-after-ms} or {@code
 * Retry-After}, or what its error says.
 */
final class RetryAfter {
  /** Statuses of errors that end by themselves. */
  private static final Set<Integer> STATUSES = Set.of(429, 503, 529);

  private static final int MAX_SCANNED = 64 << 10;

  /** What stands before a wait in the message of an error: words of OpenAI, Azure and Google. */
  private static final List<String> BEFORE =
      List.of("try again in", "try again after", "retry again in", "retry in", "retry after");

  private static final String BETWEEN = " :\"";

  /** The seconds of each unit of a wait, such as both in {@code 1m20.5s}. */
  private static final Map<String, Double> UNITS = units();

  private static final int MAX_DIGITS = 20;

  private static final String MILLIS = "retry-after-ms";
  private static final String SECONDS = "retry-after";
  private static final double MAX_SECONDS = Duration.ofDays(365).toSeconds();

  /** The most that words tell: a message may have some of a caller's. */
  private static final double MAX_IN_WORDS = Duration.ofHours(1).toSeconds();

  private RetryAfter() {}

  /** The duration from now; null if the headers are absent or in an unknown format. */
  static @Nullable Duration of(HttpFields headers, Instant now) {
    Duration millis = seconds(headers.get(MILLIS), 1000);
    if (millis != null) {
      return millis;
    }
    String value = headers.get(SECONDS);
    Duration seconds = seconds(value, 1);
    return seconds == null && value != null ? untilDate(value.strip(), now) : seconds;
  }

  /**
   * The headers of an error, with the wait that it alone tells.
   *
   * @param envelope of the error, as callers get it
   */
  static HttpFields told(int status, HttpFields headers, byte[] envelope) {
    if (!STATUSES.contains(status) || headers.contains(MILLIS) || headers.contains(SECONDS)) {
      return headers;
    }
    JsonValue error = JsonValue.of(new String(envelope, UTF_8)).at("error");
    double seconds = 0;
    for (JsonValue detail : error.at("details").items()) {
      seconds = Math.max(seconds, secondsAt(detail.text("retryDelay"), 0));
    }
    seconds = seconds > 0 ? seconds : Math.min(secondsIn(error.text("message")), MAX_IN_WORDS);
    return seconds > 0 && seconds <= MAX_SECONDS
        ? HttpFields.build(headers).put(SECONDS, Long.toString((long) Math.ceil(seconds)))
        : headers;
  }

  private static double secondsIn(String message) {
    String text =
        message.substring(0, Math.min(message.length(), MAX_SCANNED)).toLowerCase(Locale.ROOT);
    for (String words : BEFORE) {
      for (int at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
        double seconds = secondsAt(text, at + words.length());
        if (seconds > 0) {
          return seconds;
        }
      }
    }
    return 0;
  }

  /** The seconds of a wait that begins here, with its parts, each smaller; 0 if none does. */
  private static double secondsAt(String text, int from) {
    double seconds = 0;
    double before = Double.MAX_VALUE;
    int at = end(text, from, c -> BETWEEN.indexOf(c) >= 0);
    int number = end(text, at, c -> isDigit(c) || c == '.');
    while (number > at && number - at <= MAX_DIGITS && isDigit(text.charAt(at))) {
      int unit = end(text, number, c -> c == ' ');
      int behind = end(text, unit, Character::isLetter);
      Double each = UNITS.get(text.substring(unit, behind));
      String digits = text.substring(at, number);
      if (each == null || each >= before || digits.indexOf('.') != digits.lastIndexOf('.')) {
        break;
      }
      seconds += each * Double.parseDouble(digits);
      before = each;
      at = end(text, behind, c -> c == ' ');
      number = end(text, at, c -> isDigit(c) || c == '.');
    }
    return seconds;
  }

  /** The first place from here on of a character that is none of these. */
  private static int end(String text, int from, IntPredicate characters) {
    int at = from;
    while (at < text.length() && characters.test(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static Map<String, Double> units() {
    Map<String, Double> units = new HashMap<>();
    List.of("ms", "millisecond", "milliseconds").forEach(name -> units.put(name, 0.001));
    List.of("s", "sec", "secs", "second", "seconds").forEach(name -> units.put(name, 1.0));
    List.of("m", "min", "mins", "minute", "minutes").forEach(name -> units.put(name, 60.0));
    List.of("h", "hour", "hours").forEach(name -> units.put(name, 3600.0));
    return Map.copyOf(units);
  }

  private static @Nullable Duration seconds(@Nullable String value, int parts) {
    if (value == null) {
      return null;
    }
    try {
      double seconds = Double.parseDouble(value.strip()) / parts;
      return seconds >= 0 && seconds <= MAX_SECONDS
          ? Duration.ofMillis((long) Math.ceil(seconds * 1000))
          : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable Duration untilDate(String value, Instant now) {
    try {
      Instant date =
          ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
              .toInstant();
      Duration left = Duration.between(now, date);
      return left.isNegative() ? Duration.ZERO : left;
    } catch (DateTimeException e) {
      return null;
    }
  }
}
