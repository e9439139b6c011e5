package io.memorygateway.admin;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Way in which operators log in. */
public enum AdminAuthMode {
  /** No login: everybody who reaches the port may do everything. On loopback only. */
  NONE,
  /** By name and password; config.yml has its bcrypt hash. */
  BASIC,
  /** By a proxy in front, which sends the operator in headers, with a secret. */
  HEADERS,
  /** By tokens that {@code admin-token issue} creates. */
  TOKEN;

  @JsonCreator
  static AdminAuthMode of(String wireName) {
    for (AdminAuthMode mode : values()) {
      if (mode.wireName().equals(wireName)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("mode must be one of none, basic, headers, token");
  }

  /** Name in config.yml. */
  @JsonValue
  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
