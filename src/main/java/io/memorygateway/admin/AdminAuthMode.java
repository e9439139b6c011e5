package io.memorygateway.admin;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How operators say who they are. */
public enum AdminAuthMode {
  /** Not at all: whoever reaches the port may do everything. On loopback only. */
  NONE,
  /** By name and password, which config.yml has as a bcrypt hash. */
  BASIC,
  /** A proxy in front has asked them, and says so in headers, with a secret. */
  HEADERS,
  /** By tokens that {@code admin-token issue} gives out. */
  TOKEN;

  @JsonCreator
  static AdminAuthMode of(String word) {
    for (AdminAuthMode mode : values()) {
      if (mode.word().equals(word)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("mode must be one of none, basic, headers, token");
  }

  /** As it stands in config.yml. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
