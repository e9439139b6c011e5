package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the user said last in a thread and nobody has answered, which a client may send as one
 * message: that is compared as those that it joins.
 */
final class JoinedTail {
  /** The most messages that are looked for in one. */
  private static final int MAX = 8;

  /** What the user says, and what follows it. */
  private record Said(Words words, List<Atom> next) {
    static Said in(List<NormalForm> messages, int at) {
      int next = at + 1;
      while (next < messages.size() && messages.get(next).isSilent()) {
        next++;
      }
      return new Said(
          messages.get(at).words(),
          next < messages.size() ? messages.get(next).atoms() : List.of());
    }
  }

  private JoinedTail() {}

  /** The messages of a call as they are compared. */
  static List<NormalForm> apart(List<NormalForm> incoming, List<NormalForm> stored) {
    int end = stored.size();
    while (end > 0 && stored.get(end - 1).ofModel() && stored.get(end - 1).isIncomplete()) {
      end--;
    }
    Map<Words, List<NormalForm>> joined = new HashMap<>();
    Words said = Words.NONE;
    int first = end;
    while (first > Math.max(0, end - MAX) && stored.get(first - 1).isText()) {
      first--;
      said = stored.get(first).words().and(said);
      joined.put(said, stored.subList(first, end));
    }
    if (joined.size() < 2) {
      return incoming;
    }
    Set<Said> before = new HashSet<>();
    for (int at = 0; at < first; at++) {
      if (stored.get(at).isText() && joined.containsKey(stored.get(at).words())) {
        before.add(Said.in(stored, at));
      }
    }
    List<NormalForm> all = new ArrayList<>(incoming.size());
    for (int at = 0; at < incoming.size(); at++) {
      NormalForm message = incoming.get(at);
      boolean isOne =
          message.size() == 1 && message.isText() && !before.contains(Said.in(incoming, at));
      List<NormalForm> parts = isOne ? joined.getOrDefault(message.words(), List.of()) : List.of();
      all.add(parts.size() < 2 ? message : NormalForm.of(parts));
    }
    return all;
  }
}
