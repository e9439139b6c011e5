package io.memorygateway.search;

import java.util.List;

/** Numbers the roles of messages. */
final class Roles {
  private static final List<String> ALL =
      List.of("system", "user", "assistant", "tool", "developer");

  private Roles() {}

  static byte number(String role) {
    return (byte) ALL.indexOf(role);
  }
}
