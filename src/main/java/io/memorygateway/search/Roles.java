package io.memorygateway.search;

import java.util.List;

/** Numbers the roles of messages. */
final class Roles {
  private static final List<String> ALL =
      List.of("system", "user", "assistant", "tool", "developer");

  private static final byte SYSTEM = number("system");
  private static final byte DEVELOPER = number("developer");

  private Roles() {}

  /**
   * Whether messages of a role are part of the talk: what operators and applications say is not.
   */
  static boolean isTalk(byte role) {
    return role != SYSTEM && role != DEVELOPER;
  }

  static byte number(String role) {
    return (byte) ALL.indexOf(role);
  }
}
