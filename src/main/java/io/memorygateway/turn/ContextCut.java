package io.memorygateway.turn;

import io.memorygateway.observation.StableCut;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides from where on the unobserved messages of a thread are sent, so that they fit a number of
 * tokens (contract §8): the newest are sent. The cut stays at the same message while the thread
 * grows, until new messages have used up about an eighth of the tokens: in between, what is sent
 * only grows at its end, and prompt caches hold. No result of a tool is sent without its call.
 *
 * @param entries oldest first
 * @param first index of the first one that can be sent
 * @param end index behind the last one
 * @param moreBefore whether messages before the first one are left out in any case
 */
record ContextCut(List<TailEntry> entries, int first, int end, boolean moreBefore) {
  /** The least share of the tokens that is used, unless single messages are very large. */
  private static final double MIN_USED_SHARE = 0.75;

  /** The index of the first message to send within so many tokens. */
  int within(long tokenBudget) {
    int furthest = end;
    int nearest = end;
    long cost = 0;
    while (furthest > first) {
      cost += message(furthest - 1).cost();
      if (cost > tokenBudget) {
        break;
      }
      furthest--;
      nearest = cost <= MIN_USED_SHARE * tokenBudget ? furthest : nearest;
    }
    return furthest == first && !moreBefore ? first : stableCut(furthest, nearest);
  }

  /**
   * The index of the highest rank in a range, at the beginning of a user message if there is one.
   */
  private int stableCut(int furthest, int nearest) {
    Set<String> orphans = orphans();
    Set<String> open = new HashSet<>();
    boolean called = false;
    int best = -1;
    int next = end;
    for (int at = end - 1; at >= furthest; at--) {
      Set<String> calls = new HashSet<>(message(at).calls());
      called |= !calls.isEmpty();
      calls.remove("");
      open.removeAll(calls);
      if (called && (at == first || !entries.get(at - 1).ofModel())) {
        open.remove(""); // A result without an id is of all that the model called then.
        called = false;
      }
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
    TailEntry a = entries.get(one);
    TailEntry b = entries.get(other);
    return a.ofUser() == b.ofUser()
        ? StableCut.rank(a.seq()) > StableCut.rank(b.seq())
        : a.ofUser();
  }

  /** Ids of results whose calls are missing: they do not restrict the cut. */
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
