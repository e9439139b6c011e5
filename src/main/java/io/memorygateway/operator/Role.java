package io.memorygateway.operator;

import java.util.Locale;

/** What an operator may do. Each role may do what those before it may. */
public enum Role {
  /** Look at everything but contents of threads, and change nothing. */
  VIEWER,
  /** Change how nodes run, and the limits of keys. */
  OPERATOR,
  /** Issue and revoke keys, remove data, read contents. */
  OWNER;

  /**
   * The role of a word.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Role of(String word) {
    for (Role role : values()) {
      if (role.word().equals(word)) {
        return role;
      }
    }
    throw new IllegalArgumentException("role must be one of viewer, operator, owner");
  }

  /** Whether whoever has this role may do what needs that one. */
  public boolean includes(Role needed) {
    return compareTo(needed) >= 0;
  }

  /** As it is configured, shown and stored. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
