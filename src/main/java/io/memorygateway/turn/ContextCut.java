package io.memorygateway.turn;

import io.memorygateway.observation.StableCut;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides where the messages of a thread that are not observed yet are cut, so that they fit a
 * number of tokens (contract §8): the newest are sent. The cut is made at a place that stays the
 * same while the thread grows, until about an eighth of the room has been used up by new messages,
 * so that what is sent only grows at its end in between and prompt caches hold. No result of a tool
 * is sent without its call.
 */
final class ContextCut {
  /** Tokens of what encloses a call of a tool or its result, and of its id. */
  static final int TOOL_ENVELOPE = 16;

  /** The part of the room that is used at least, unless single messages are very large. */
  private static final double LEAST_USED = 0.75;

  private final List<ThreadTail.Entry> entries;
  private final int first;
  private final int end;
  private final boolean moreBefore;

  /**
   * A cut of some entries.
   *
   * @param entries oldest first
   * @param first index of the first one that can be sent
   * @param end index behind the last one
   * @param moreBefore whether messages before the first one are left out in any case
   */
  ContextCut(List<ThreadTail.Entry> entries, int first, int end, boolean moreBefore) {
    this.entries = entries;
    this.first = first;
    this.end = end;
    this.moreBefore = moreBefore;
  }

  /** The index of the first message that is sent if there is room for so many tokens. */
  int within(long room) {
    int furthest = end;
    int nearest = end;
    long cost = 0;
    while (furthest > first) {
      cost += message(furthest - 1).cost();
      if (cost > room) {
        break;
      }
      furthest--;
      nearest = cost <= LEAST_USED * room ? furthest : nearest;
    }
    return furthest == first && !moreBefore ? first : stable(furthest, nearest);
  }

  /** The place of the highest rank in a range, if it can be at the beginning of a user message. */
  private int stable(int furthest, int nearest) {
    Set<String> orphans = orphans();
    Set<String> open = new HashSet<>();
    int best = -1;
    int next = end;
    for (int at = end - 1; at >= furthest; at--) {
      message(at).calls().forEach(open::remove);
      message(at).results().stream().filter(id -> !orphans.contains(id)).forEach(open::add);
      if (open.isEmpty()) {
        if (at <= nearest) {
          best = best < 0 || isBetter(at, best) ? at : best;
        } else {
          next = at;
        }
      }
    }
    return best < 0 ? next : best;
  }

  private boolean isBetter(int one, int other) {
    ThreadTail.Entry a = entries.get(one);
    ThreadTail.Entry b = entries.get(other);
    return a.ofUser() == b.ofUser()
        ? StableCut.rank(a.seq()) > StableCut.rank(b.seq())
        : a.ofUser();
  }

  /** Results whose calls are not there: they bind nothing. */
  private Set<String> orphans() {
    Set<String> calls = new HashSet<>();
    Set<String> orphans = new HashSet<>();
    for (int at = first; at < end; at++) {
      calls.addAll(message(at).calls());
      message(at).results().stream().filter(id -> !calls.contains(id)).forEach(orphans::add);
    }
    return orphans;
  }

  private ContextMessage message(int at) {
    return entries.get(at).heldMessage();
  }
}
