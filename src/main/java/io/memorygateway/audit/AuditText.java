package io.memorygateway.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Texts of the audit log: without secrets, bounded, and restricted to characters that the database
 * stores unchanged.
 */
final class AuditText {
  /** Longest state in bytes; of a longer one, only the size is recorded. */
  static final int MAX_STATE_BYTES = 64 * 1024;

  static final int MAX_SUBJECT_CHARACTERS = 2048;

  /** A gateway key or admin token that is longer than its display prefix. */
  private static final Pattern SECRET =
      Pattern.compile("(ms[ka]_[0-9a-fA-F]{4})[0-9a-fA-F]+", Pattern.CASE_INSENSITIVE);

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .build();

  private AuditText() {}

  /** A text cut to a number of characters. */
  static String plain(String text, int maxLength) {
    String stored = storable(masked(text));
    return stored.codePointCount(0, stored.length()) <= maxLength
        ? stored
        : stored.substring(0, stored.offsetByCodePoints(0, maxLength - 1)) + "…";
  }

  /** A state as JSON. */
  static @Nullable String state(@Nullable Object state) {
    if (state == null) {
      return null;
    }
    try {
      String text = storable(masked(JSON.writeValueAsString(state)));
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      return bytes <= MAX_STATE_BYTES
          ? text
          : JSON.writeValueAsString(Map.of("tooLargeToRecord", bytes));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a state cannot be written as JSON", e);
    }
  }

  private static String masked(String text) {
    return SECRET.matcher(text).replaceAll("$1***");
  }

  /**
   * Replaces unpaired surrogates, which UTF-8 cannot encode: the database would store something
   * else.
   */
  private static String storable(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
