package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Part of a batch for one key: its requests in order of arrival, then reservations. */
final class KeyBatch {

  /**
   * The database's reply for one key.
   *
   * @param granted permits of each kind, by {@link RequestKind#index()}
   * @param counts after that
   * @param held rules, a bit each, in whose windows other nodes hold permits that may come back
   * @param databaseMillis time of the decision
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Reply(int[] granted, WindowCounts counts, int held, long databaseMillis) {
    int granted(RequestKind kind) {
      return granted[kind.index()];
    }
  }

  private final long keyId;
  private final List<PermitRequest> requests = new ArrayList<>(4);
  private final int[] wanted = new int[RequestKind.values().length];
  private final int[] reservations = new int[RequestKind.values().length];
  private long[] limits;
  private int announced;

  /**
   * @param limits by rule; not to be changed
   */
  KeyBatch(long keyId, long[] limits) {
    this.keyId = keyId;
    this.limits = limits;
  }

  /** Groups requests by key, keys ascending. */
  static List<KeyBatch> of(List<PermitRequest> requests) {
    List<PermitRequest> sorted = new ArrayList<>(requests);
    sorted.sort(Comparator.comparingLong(PermitRequest::keyId));
    List<KeyBatch> keys = new ArrayList<>();
    KeyBatch last = null;
    for (PermitRequest request : sorted) {
      if (last == null || last.keyId != request.keyId()) {
        last = new KeyBatch(request.keyId(), request.limits());
        keys.add(last);
      }
      last.requests.add(request);
      last.limits = request.limits();
      last.wanted[request.kind().index()]++;
    }
    return keys;
  }

  long keyId() {
    return keyId;
  }

  /** Permits of a kind to ask for, including those to be reserved. */
  int wanted(RequestKind kind) {
    return wanted[kind.index()];
  }

  /** Permits of all kinds to ask for. */
  int wanted() {
    return Arrays.stream(wanted).sum();
  }

  /**
   * Adds permits to be reserved.
   *
   * @param announce whether the other nodes do not know yet that this one holds such permits
   */
  void reserve(RequestKind kind, int permits, boolean announce) {
    wanted[kind.index()] += permits;
    reservations[kind.index()] += permits;
    announced |= announce ? 1 << kind.index() : 0;
  }

  /** The rules, a bit each, of permits to be reserved that the other nodes do not know of yet. */
  int announced(RuleSet rules) {
    int bits = 0;
    for (RequestKind kind : RequestKind.values()) {
      bits |= (announced >> kind.index() & 1) == 0 ? 0 : rules.bits(kind);
    }
    return bits;
  }

  boolean isReserving(RequestKind kind) {
    return reservations[kind.index()] > 0;
  }

  /** Granted permits that none of the requests needs. */
  int reserved(RequestKind kind, Reply reply) {
    int waiting = wanted[kind.index()] - reservations[kind.index()];
    return Math.max(0, reply.granted(kind) - waiting);
  }

  /** Limits of the key, by rule, from its newest request. */
  long[] limits() {
    return limits;
  }

  /**
   * Decides the requests in order of arrival; each decision shows what was left just after it.
   *
   * @param ahead what is counted and used by no request of this node, by rule
   * @param held rules, a bit each, in whose windows permits are held that may come back
   * @return requests that are undecided, for every window that is full for them may yet have room
   */
  List<PermitRequest> settle(
      RuleSet rules, Decisions decisions, Reply reply, long[] ahead, int held) {
    List<PermitRequest> undecided = new ArrayList<>(0);
    long[] starts = reply.counts().starts();
    long[] after = reply.counts().used();
    int[] granted = new int[wanted.length];
    for (RequestKind kind : RequestKind.values()) {
      granted[kind.index()] = reply.granted(kind) - reserved(kind, reply);
    }
    long[] used = rules.counted(granted);
    Arrays.setAll(used, i -> after[i] - ahead[i] - used[i]);
    for (PermitRequest request : requests) {
      RequestKind kind = request.kind();
      if (granted[kind.index()] > 0) {
        granted[kind.index()]--;
        for (int i : rules.applicable(kind)) {
          used[i]++;
        }
        request.decide(decisions.admitted(Outcome.ALLOWED, kind, limits, starts, used));
        continue;
      }
      int full = full(rules, kind, after);
      if (full != 0 && (full & ~held) == 0) {
        request.undecided(System.nanoTime());
        undecided.add(request);
      } else {
        Decision refused = decisions.refused(kind, limits, starts, after, reply.databaseMillis, 0);
        if (refused == null) {
          throw new IllegalStateException("neither granted nor exceeded");
        }
        request.decide(refused);
      }
    }
    return undecided;
  }

  /** Whether one of the requests has been undecided for so long. */
  boolean isOverdue(long now, long nanos) {
    return requests.stream().anyMatch(request -> request.isOverdue(now, nanos));
  }

  /** Whether a window is full that would have room again if what is held came back. */
  boolean mayHaveRoom(RuleSet rules, Reply reply, int held) {
    int full = 0;
    for (RequestKind kind : RequestKind.values()) {
      full |= full(rules, kind, reply.counts().used());
    }
    return (full & held) != 0;
  }

  private int full(RuleSet rules, RequestKind kind, long[] used) {
    int full = 0;
    for (int i : rules.applicable(kind)) {
      full |= used[i] >= limits[i] ? 1 << i : 0;
    }
    return full;
  }
}
