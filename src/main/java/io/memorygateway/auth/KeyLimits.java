package io.memorygateway.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Codec of the column {@code api_keys.limits}: {@code {"memory_read": 100}}, requests per window by
 * rule name.
 */
final class KeyLimits {
  private static final ObjectMapper JSON = new ObjectMapper();

  private KeyLimits() {}

  static Map<String, Long> parse(@Nullable String column) {
    if (column == null) {
      return Map.of();
    }
    try {
      return JSON.readValue(column, new TypeReference<Map<String, Long>>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("api_keys.limits holds something else than limits", e);
    }
  }

  static @Nullable String format(Map<String, Long> limits) {
    try {
      return limits.isEmpty() ? null : JSON.writeValueAsString(limits);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
