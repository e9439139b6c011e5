package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.memory.rows.Identifier;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A column of a file of threads: what it may hold is what the API and the observer could store.
 *
 * @param what it must be, for an error
 */
record ThreadColumn(String name, Predicate<JsonNode> allowed, String what) {
  /** No thread comes to more messages, or tokens. */
  private static final long MAX_NUMBER = 1L << 52;

  private static final int MAX_TEXT_BYTES = 64 << 10;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

  /** Characters that the ASCII columns hold. */
  private static final int MAX_PRINTABLE = 64;

  static ThreadColumn id(String name) {
    return text(
        name,
        text -> {
          try {
            return text.equals(Identifier.check(name, text));
          } catch (ApiException e) {
            return false;
          }
        },
        "an id of 1 to 255 characters");
  }

  static ThreadColumn uuid(String name) {
    return text(name, ThreadColumn::isUuid, "a UUID");
  }

  static ThreadColumn word(String name, Set<String> words) {
    return text(
        name, words::contains, "one of " + String.join(", ", words.stream().sorted().toList()));
  }

  static ThreadColumn printable(String name) {
    return text(name, ThreadColumn::isPrintable, "1 to 64 characters of ASCII");
  }

  static ThreadColumn zone(String name) {
    return text(
        name,
        text -> {
          try {
            return isPrintable(text) && text.equals(ZoneId.of(text).getId());
          } catch (DateTimeException e) {
            return false;
          }
        },
        "a time zone");
  }

  /** A text of any length. */
  static ThreadColumn longText(String name) {
    return text(name, text -> true, "a text");
  }

  static ThreadColumn text(String name, int maxCharacters) {
    return text(
        name,
        text -> text.codePointCount(0, text.length()) <= maxCharacters,
        "a text of at most " + maxCharacters + " characters");
  }

  static ThreadColumn shortText(String name) {
    return text(name, text -> Characters.utf8Length(text) < MAX_TEXT_BYTES, "a text below 64 KiB");
  }

  static ThreadColumn time(String name) {
    return text(
        name,
        text -> {
          try {
            Instant time = Instant.parse(text);
            return !time.isBefore(Instant.EPOCH) && !time.isAfter(LATEST);
          } catch (DateTimeException e) {
            return false;
          }
        },
        "a time from 1970 on, such as 2026-01-31T12:00:00Z");
  }

  /** JSON of some kinds, on up to 500 levels. */
  static ThreadColumn json(String name, int maxBytes, Kind... kinds) {
    return text(
        name,
        text -> {
          byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
          try {
            return bytes.length <= maxBytes
                && Set.of(kinds)
                    .contains(JsonValue.parse(bytes, ParseOptions.LENIENT.withLevels(1)).kind());
          } catch (MalformedJsonException e) {
            return false;
          }
        },
        "the text of a JSON value of the right kind and size");
  }

  /** A JSON array of strings. */
  static ThreadColumn strings(String name) {
    return text(
        name,
        text -> {
          try {
            JsonValue value =
                JsonValue.parse(
                    text.getBytes(StandardCharsets.UTF_8), ParseOptions.LENIENT.withLevels(2));
            return value.is(Kind.ARRAY)
                && value.items().stream().allMatch(item -> item.is(Kind.STRING));
          } catch (MalformedJsonException e) {
            return false;
          }
        },
        "the text of a JSON array of strings");
  }

  static ThreadColumn number(String name, long min) {
    return number(name, min, MAX_NUMBER);
  }

  static ThreadColumn number(String name, long min, long max) {
    return new ThreadColumn(
        name,
        value ->
            value.isIntegralNumber()
                && value.canConvertToLong()
                && value.longValue() >= min
                && value.longValue() <= max,
        "a whole number from " + min + " to " + max);
  }

  private static ThreadColumn text(String name, Predicate<String> allowed, String what) {
    return new ThreadColumn(
        name,
        value ->
            value.isTextual()
                && Characters.areStorable(value.textValue())
                && allowed.test(value.textValue()),
        what);
  }

  private static boolean isPrintable(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_PRINTABLE
        && text.chars().allMatch(c -> c >= '!' && c <= '~');
  }

  private static boolean isUuid(String text) {
    try {
      return UUID.fromString(text).toString().equals(text);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  ThreadColumn orNull() {
    return new ThreadColumn(
        name, value -> value.isNull() || allowed.test(value), what + ", or null");
  }

  /** The fault of a value; null if it may be stored. */
  @Nullable String fault(JsonNode value) {
    return allowed.test(value) ? null : name + " must be " + what;
  }
}
