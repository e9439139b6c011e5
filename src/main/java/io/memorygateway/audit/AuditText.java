package io.memorygateway.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.memorygateway.json.KeyText;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Texts of the audit log: without secrets, bounded, and restricted to characters that the database
 * stores unchanged.
 */
final class AuditText {
  /** Longest state in bytes; of a longer one, only the size is recorded. */
  static final int MAX_STATE_BYTES = 64 * 1024;

  static final int MAX_SUBJECT_CHARACTERS = 2048;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private AuditText() {}

  /** A text cut to a number of characters. */
  static String plain(String text, int maxLength) {
    String stored = storable(KeyText.masked(text, KeyText.SHOWN_DIGITS));
    return stored.codePointCount(0, stored.length()) <= maxLength
        ? stored
        : stored.substring(0, stored.offsetByCodePoints(0, maxLength - 1)) + "…";
  }

  static @Nullable String state(@Nullable Object state) {
    if (state == null) {
      return null;
    }
    try {
      String text = storable(KeyText.masked(JSON.writeValueAsString(state), KeyText.SHOWN_DIGITS));
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      return bytes <= MAX_STATE_BYTES
          ? text
          : JSON.writeValueAsString(Map.of("tooLargeToRecord", bytes));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a state cannot be written as JSON", e);
    }
  }

  /**
   * Replaces unpaired surrogates, which UTF-8 cannot encode: the database would store something
   * else.
   */
  private static String storable(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
