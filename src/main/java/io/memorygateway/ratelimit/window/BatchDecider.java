package io.memorygateway.ratelimit.window;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides batches in the shared windows and passes the decisions to the requests. Holds the
 * worker's connection, and replaces it when it is lost: one dropped connection is no outage. For
 * the lane's worker only.
 */
final class BatchDecider {
  private final WindowStore.Source source;
  private final long probeKey;
  private final RuleSet rules;
  private final Decisions decisions;
  private final Reservations reservations;
  private final WindowCache cache;
  private final WindowMetrics metrics;
  private final long recallNanos;
  private @Nullable WindowStore store;

  /**
   * @param probeKey id that no key has, for probes
   * @param recallNanos time that a node has to return what it holds; after it, it counts as dead
   */
  BatchDecider(
      WindowStore.Source source,
      long probeKey,
      RuleSet rules,
      Reservations reservations,
      WindowCache cache,
      WindowMetrics metrics,
      long recallNanos) {
    this.source = source;
    this.probeKey = probeKey;
    this.rules = rules;
    this.decisions = new Decisions(rules);
    this.reservations = reservations;
    this.cache = cache;
    this.metrics = metrics;
    this.recallNanos = recallNanos;
  }

  /** Connects unless there is a connection. */
  WindowStore connect() throws SQLException {
    WindowStore open = store;
    if (open == null) {
      open = source.open();
      store = open;
    }
    return open;
  }

  void disconnect() {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  /**
   * Decides requests, and reserves permits in the same transaction.
   *
   * @return requests that are undecided: they find a window full of permits that are held ahead,
   *     which were asked back
   * @throws SQLException if some are not decided
   */
  List<PermitRequest> decide(List<PermitRequest> requests) throws SQLException {
    try {
      return settle(reservations.plan(requests));
    } catch (SQLException lost) {
      disconnect();
      if (DatabaseFailure.isTimeout(lost) || isServerBusy(lost)) {
        throw lost;
      }
      // If the transaction was committed nevertheless, its requests count twice: too few may be
      // admitted, never too many.
      try {
        return settle(KeyBatch.of(requests.stream().filter(PermitRequest::isSent).toList()));
      } catch (SQLException again) {
        disconnect();
        again.addSuppressed(lost);
        throw again;
      }
    }
  }

  /** Whether the server answers, but did not execute the statement. */
  static boolean isServerBusy(SQLException failure) {
    return switch (DatabaseFailure.of(failure)) {
      case ROLLED_BACK, LOCK_WAIT_TIMEOUT, UNAVAILABLE -> true;
      default -> false;
    };
  }

  /** Decides a request of no key, to test whether the shared windows answer, and how fast. */
  void probe() throws SQLException {
    PermitRequest request = new PermitRequest(probeKey, probeKind(), rules.limits());
    request.send();
    settle(KeyBatch.of(List.of(request)));
  }

  private RequestKind probeKind() {
    for (RequestKind kind : RequestKind.values()) {
      if (rules.applicable(kind).length > 0) {
        return kind;
      }
    }
    throw new IllegalStateException("no rules, no store");
  }

  /** Reads the database's clock and notices a connection that was lost. */
  void ping() throws SQLException {
    twice(WindowStore::ping);
  }

  private interface Question {
    void ask(WindowStore store) throws SQLException;
  }

  /** Asks on a new connection again if the connection was lost. */
  private void twice(Question question) throws SQLException {
    try {
      question.ask(connect());
    } catch (SQLException lost) {
      disconnect();
      if (DatabaseFailure.isTimeout(lost)) {
        throw lost;
      }
      question.ask(connect());
    }
  }

  /** Adds permits that were admitted without the database. */
  void add(List<Adjustment> admitted) throws SQLException {
    if (!admitted.isEmpty()) {
      connect().add(admitted);
    }
  }

  /** Ends the reservations of which other nodes need the permits. */
  void answerRecalls() throws SQLException {
    if (reservations.isAnnounced()) {
      twice(connected -> reservations.recalled(connected.recalled()));
    }
  }

  /** Returns permits that were not used, in a single attempt. */
  void returnUnused() throws SQLException {
    Returned returned = reservations.drainUnused();
    if (!returned.isEmpty()) {
      connect().subtract(returned);
    }
  }

  private List<PermitRequest> settle(List<KeyBatch> keys) throws SQLException {
    int permits = keys.stream().mapToInt(KeyBatch::wanted).sum();
    List<PermitRequest> undecided = new ArrayList<>(0);
    Set<Long> full = new HashSet<>();
    Set<Long> overdue = new HashSet<>();
    List<KeyBatch> open = keys;
    while (!open.isEmpty()) {
      long before = System.nanoTime();
      List<KeyBatch> inserted = new ArrayList<>();
      connect()
          .decide(
              open,
              (key, reply) -> {
                if (reply == null) {
                  inserted.add(key);
                  return;
                }
                long[] ahead = reservations.granted(key, reply);
                int held =
                    key.isOverdue(before, recallNanos)
                        ? 0
                        : reply.held() | reservations.returnable(key.keyId());
                if (held == 0 && reply.held() != 0) {
                  overdue.add(key.keyId());
                }
                if (key.mayHaveRoom(rules, reply, held)) {
                  full.add(key.keyId());
                } else {
                  cache.put(key.keyId(), reply.counts(), key.limits());
                }
                undecided.addAll(key.settle(rules, decisions, reply, ahead, held));
              });
      metrics.stored(permits, (System.nanoTime() - before) / 1e9);
      open = inserted;
    }
    if (!full.isEmpty()) {
      connect().recall(full);
      reservations.recalled(full);
    }
    if (!overdue.isEmpty()) {
      connect().forget(overdue);
    }
    return undecided;
  }
}
