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
 * Texts of the audit log: without secrets, bounded, and such that the database keeps every byte.
 */
final class AuditText {
  /** Bytes of a state at most; of a larger one, its size is recorded. */
  static final int LONGEST_STATE = 64 * 1024;

  static final int LONGEST_SUBJECT = 2048;

  /** A gateway key or admin token beyond its display prefix. */
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

  /** A text of at most so many characters. */
  static String plain(String text, int longest) {
    String stored = storable(masked(text));
    return stored.codePointCount(0, stored.length()) <= longest
        ? stored
        : stored.substring(0, stored.offsetByCodePoints(0, longest - 1)) + "…";
  }

  /** A state as JSON. */
  static @Nullable String state(@Nullable Object state) {
    if (state == null) {
      return null;
    }
    try {
      String text = storable(masked(JSON.writeValueAsString(state)));
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      return bytes <= LONGEST_STATE
          ? text
          : JSON.writeValueAsString(Map.of("tooLargeToRecord", bytes));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a state cannot be written as JSON", e);
    }
  }

  private static String masked(String text) {
    return SECRET.matcher(text).replaceAll("$1***");
  }

  /** Half a surrogate pair has no UTF-8: the database would store, and return, something else. */
  private static String storable(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
