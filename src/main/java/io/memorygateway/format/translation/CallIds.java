package io.memorygateway.format.translation;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** The ids by which the caller knows the calls of one answer: each comes once in a conversation. */
public final class CallIds {
  /** Random characters behind an id that is taken. */
  private static final int ADDED = 8;

  private final Set<String> earlier;
  private final Set<String> own = new HashSet<>();

  public CallIds() {
    this(Set.of());
  }

  /**
   * Ids for an answer.
   *
   * @param earlier those of the calls that the conversation has before it
   */
  public CallIds(Set<String> earlier) {
    this.earlier = earlier;
  }

  /** The id of the next call: the one that the target gave, unless that is taken or empty. */
  public String next(String given) {
    String id = given;
    while (id.isEmpty() || earlier.contains(id) || !own.add(id)) {
      id = given.isEmpty() ? "call_" + random() : given + "_" + random().substring(0, ADDED);
    }
    return id;
  }

  public boolean isEmpty() {
    return own.isEmpty();
  }

  static String random() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
