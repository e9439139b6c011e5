package io.memorygateway.ratelimit.window;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides batches in the shared windows and passes the decisions to the requests. Holds the
 * worker's connection, and replaces it when it is lost: one dropped connection is no outage. For
 * the lane's worker only.
 */
final class BatchDecider {
  /** Id that no key has, for probes. */
  static final long PROBE_KEY = 0;

  private final WindowStore.Source source;
  private final RuleSet rules;
  private final Decisions decisions;
  private final Reservations reservations;
  private final WindowCache cache;
  private final WindowMetrics metrics;
  private @Nullable WindowStore store;

  BatchDecider(
      WindowStore.Source source,
      RuleSet rules,
      Reservations reservations,
      WindowCache cache,
      WindowMetrics metrics) {
    this.source = source;
    this.rules = rules;
    this.decisions = new Decisions(rules);
    this.reservations = reservations;
    this.cache = cache;
    this.metrics = metrics;
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
   * @throws SQLException if some are not decided
   */
  void decide(List<PermitRequest> requests) throws SQLException {
    try {
      settle(reservations.plan(requests));
    } catch (SQLException lost) {
      disconnect();
      if (DatabaseFailure.isTimeout(lost) || isServerBusy(lost)) {
        throw lost;
      }
      // If the transaction was committed nevertheless, its requests count twice: too few may be
      // admitted, never too many.
      try {
        settle(KeyBatch.of(requests.stream().filter(PermitRequest::isSent).toList()));
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
    PermitRequest request = new PermitRequest(PROBE_KEY, probeKind(), rules.limits());
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
    try {
      connect().ping();
    } catch (SQLException lost) {
      disconnect();
      if (DatabaseFailure.isTimeout(lost)) {
        throw lost;
      }
      connect().ping();
    }
  }

  /** Adds permits that were admitted without the database. */
  void add(List<Adjustment> admitted) throws SQLException {
    if (!admitted.isEmpty()) {
      connect().add(admitted);
    }
  }

  /** Returns permits that were not used, in a single attempt. */
  void subtract(List<Adjustment> unused) throws SQLException {
    if (!unused.isEmpty()) {
      connect().subtract(unused);
    }
  }

  private void settle(List<KeyBatch> keys) throws SQLException {
    int permits = keys.stream().mapToInt(KeyBatch::wanted).sum();
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
                } else {
                  cache.put(key.keyId(), reply.counts());
                  key.settle(rules, decisions, reply);
                  reservations.granted(key, reply);
                }
              });
      metrics.stored(permits, (System.nanoTime() - before) / 1e9);
      open = inserted;
    }
  }
}
