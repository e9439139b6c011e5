package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the user said last in a thread and nobody has answered, which a client may send as one
 * message: that is compared as those that it joins.
 */
final class JoinedTail {
  /** The most messages that are looked for in one. */
  private static final int MAX = 8;

  private JoinedTail() {}

  /**
   * The messages of a call as they are compared.
   *
   * @param brokenOff whether the thread's last turn is marked incomplete
   */
  static List<NormalForm> apart(
      List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff) {
    int end = stored.size();
    while (brokenOff && end > 0 && stored.get(end - 1).ofModel()) {
      end--;
    }
    Map<Words, List<NormalForm>> joined = new HashMap<>();
    Words said = Words.NONE;
    for (int at = end - 1; at >= Math.max(0, end - MAX) && stored.get(at).isText(); at--) {
      said = stored.get(at).words().and(said);
      joined.put(said, stored.subList(at, end));
    }
    if (joined.size() < 2) {
      return incoming;
    }
    List<NormalForm> all = new ArrayList<>(incoming.size());
    for (NormalForm message : incoming) {
      boolean isOne = message.size() == 1 && message.isText();
      List<NormalForm> parts = isOne ? joined.getOrDefault(message.words(), List.of()) : List.of();
      all.add(parts.size() < 2 ? message : NormalForm.of(parts));
    }
    return all;
  }
}
