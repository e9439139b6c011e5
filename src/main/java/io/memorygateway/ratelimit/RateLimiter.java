package io.memorygateway.ratelimit;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseAddress;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether a caller's request is within its limits, exactly across all nodes (contract §4).
 * Safe for any number of threads, platform or virtual; a call lasts at most one and a half times
 * the configured timeout.
 */
public final class RateLimiter implements Managed {
  private static final Duration START = Duration.ofSeconds(10);

  private final RuleSet rules;
  private final Verdicts verdicts;
  private final DatabaseClock clock;
  private final RateLimitMetrics metrics;
  private final LastSeen lastSeen;
  private final StorageFailure onStorageFailure;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<LaneWorker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  public RateLimiter(
      RateLimitConfiguration configuration,
      DatabaseAddress database,
      PrometheusRegistry registry,
      InstantSource wall) {
    this.rules = new RuleSet(configuration.validRules());
    this.verdicts = new Verdicts(rules);
    this.clock = new DatabaseClock(wall, System::nanoTime);
    this.lastSeen = new LastSeen(rules);
    this.metrics = new RateLimitMetrics(registry, this::isShared);
    this.onStorageFailure = configuration.onStorageFailure();
    long timeoutNanos = configuration.timeout().toNanoseconds();
    Duration connectTimeout = configuration.connectTimeout().toJavaDuration();
    Duration answerTimeout = configuration.timeout().toJavaDuration();
    long patienceNanos = timeoutNanos + timeoutNanos / 2;
    WindowStore.Source source =
        () -> MySqlWindowStore.open(database, connectTimeout, answerTimeout, rules, clock);
    for (int i = 0; i < configuration.connections() && rules.size() > 0; i++) {
      Lane lane = new Lane(rules, lastSeen, clock, metrics, onStorageFailure, patienceNanos);
      lanes.add(lane);
      workers.add(
          new LaneWorker(
              lane,
              rules,
              source,
              lastSeen,
              metrics,
              timeoutNanos,
              configuration.probeInterval().toNanoseconds()));
    }
  }

  /** Decides one request and counts it if it is allowed. */
  public Decision decide(Caller caller, RequestKind kind) {
    Decision decision = Decision.UNCOUNTED;
    if (rules.applicable(kind).length > 0) {
      decision = lane(caller.keyId()).decide(caller.keyId(), kind, rules.limits(caller.limits()));
    }
    metrics.decided(kind, decision.outcome());
    return decision;
  }

  /** What to show without a valid key: the scope's tightest rule, untouched. */
  public Decision untouched(RequestKind kind) {
    return verdicts.untouched(kind, clock.earliest());
  }

  /** Whether all nodes count together; else see {@link #onStorageFailure}. */
  public boolean isShared() {
    return lanes.stream().allMatch(Lane::isShared);
  }

  public StorageFailure onStorageFailure() {
    return onStorageFailure;
  }

  /** Drops what memory holds of windows that have ended. */
  void forgetEnded() {
    lastSeen.forgetEnded(clock.earliest());
  }

  /** Connects and warms up; returns without the database if that cannot be reached. */
  @Override
  public void start() throws InterruptedException {
    for (int i = 0; i < workers.size(); i++) {
      Thread thread = new Thread(workers.get(i), "rate-limits-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    for (LaneWorker worker : workers) {
      worker.awaitStarted(START);
    }
  }

  @Override
  public void stop() throws InterruptedException {
    workers.forEach(LaneWorker::stop);
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    }
    threads.clear();
  }

  private Lane lane(long keyId) {
    return lanes.get((int) Math.floorMod(keyId, (long) lanes.size()));
  }
}
