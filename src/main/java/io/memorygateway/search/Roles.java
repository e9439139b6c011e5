package io.memorygateway.search;

import java.util.List;

/** The roles of messages as numbers. */
final class Roles {
  private static final List<String> ALL =
      List.of("system", "user", "assistant", "tool", "developer");

  private Roles() {}

  static byte number(String role) {
    return (byte) ALL.indexOf(role);
  }
}
