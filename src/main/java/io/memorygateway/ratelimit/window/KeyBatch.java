package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.Decision.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The requests of one key in a batch, in order of arrival, those that are yet to come last. */
final class KeyBatch {

  /** What the database answered for a key. */
  static final class Reply {
    private final int[] granted;
    private final Counts counts;
    private final long databaseMillis;

    /**
     * Keeps the array as it is.
     *
     * @param granted how many requests of each kind are in, by {@link RequestKind#index()}
     * @param counts after that
     * @param databaseMillis when it decided
     */
    Reply(int[] granted, Counts counts, long databaseMillis) {
      this.granted = granted;
      this.counts = counts;
      this.databaseMillis = databaseMillis;
    }

    int granted(RequestKind kind) {
      return granted[kind.index()];
    }

    Counts counts() {
      return counts;
    }

    /** By how much each counter rose, an element per rule. */
    long[] added(RuleSet rules) {
      long[] added = new long[rules.size()];
      for (RequestKind kind : RequestKind.values()) {
        for (int i : rules.applicable(kind)) {
          added[i] += granted(kind);
        }
      }
      return added;
    }
  }

  private final long keyId;
  private final List<Ticket> tickets = new ArrayList<>(4);
  private final int[] wanted = new int[RequestKind.values().length];
  private final int[] ahead = new int[RequestKind.values().length];
  private long[] limits;

  /**
   * A key without requests so far.
   *
   * @param limits by rule; not to be changed
   */
  KeyBatch(long keyId, long[] limits) {
    this.keyId = keyId;
    this.limits = limits;
  }

  /** Groups by key, keys ascending. */
  static List<KeyBatch> of(List<Ticket> tickets) {
    List<Ticket> sorted = new ArrayList<>(tickets);
    sorted.sort(Comparator.comparingLong(Ticket::keyId));
    List<KeyBatch> keys = new ArrayList<>();
    KeyBatch last = null;
    for (Ticket ticket : sorted) {
      if (last == null || last.keyId != ticket.keyId()) {
        last = new KeyBatch(ticket.keyId(), ticket.limits());
        keys.add(last);
      }
      last.tickets.add(ticket);
      last.limits = ticket.limits();
      last.wanted[ticket.kind().index()]++;
    }
    return keys;
  }

  long keyId() {
    return keyId;
  }

  int wanted(RequestKind kind) {
    return wanted[kind.index()];
  }

  /** Of all kinds. */
  int wanted() {
    return Arrays.stream(wanted).sum();
  }

  /** Asks for requests that are yet to come, too. */
  void wantAhead(RequestKind kind, int requests) {
    wanted[kind.index()] += requests;
    ahead[kind.index()] += requests;
  }

  /** How many of those that are yet to come are in. */
  int spare(RequestKind kind, Reply reply) {
    int waiting = wanted[kind.index()] - ahead[kind.index()];
    return Math.max(0, reply.granted(kind) - waiting);
  }

  /** The key's limits as its newest request knows them. */
  long[] limits() {
    return limits;
  }

  /** Hands the grants out in order of arrival; each caller sees what was left just after it. */
  void settle(RuleSet rules, Verdicts verdicts, Reply reply) {
    long[] starts = reply.counts().starts();
    long[] after = reply.counts().used();
    long[] used = reply.added(rules);
    Arrays.setAll(used, i -> after[i] - used[i]);
    int[] granted = reply.granted.clone();
    for (Ticket ticket : tickets) {
      RequestKind kind = ticket.kind();
      if (granted[kind.index()] > 0) {
        granted[kind.index()]--;
        for (int i : rules.applicable(kind)) {
          used[i]++;
        }
        ticket.decide(verdicts.admitted(Outcome.ALLOWED, kind, limits, starts, used));
      } else {
        Decision refused = verdicts.refused(kind, limits, starts, after, reply.databaseMillis, 0);
        if (refused == null) {
          throw new IllegalStateException("neither granted nor exceeded");
        }
        ticket.decide(refused);
      }
    }
  }
}
