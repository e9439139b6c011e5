package io.memorygateway.operator;

import java.util.Locale;

/** Role of an operator. Each role includes the rights of those before it. */
public enum Role {
  /** May read everything but contents of threads, and change nothing. */
  VIEWER,
  /** May change how nodes run, and the limits of keys. */
  OPERATOR,
  /** May issue and revoke keys, remove data, and read contents. */
  OWNER;

  /**
   * The role of a name.
   *
   * @throws IllegalArgumentException if there is no such role
   */
  public static Role of(String wireName) {
    for (Role role : values()) {
      if (role.wireName().equals(wireName)) {
        return role;
      }
    }
    throw new IllegalArgumentException("role must be one of viewer, operator, owner");
  }

  public boolean includes(Role needed) {
    return compareTo(needed) >= 0;
  }

  /** Name in the configuration, in output and in the database. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
