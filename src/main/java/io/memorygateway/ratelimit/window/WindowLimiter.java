package io.memorygateway.ratelimit.window;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides by fixed windows that all nodes share whether a key's request is within its limits
 * (contract §4). Thread-safe, for platform and virtual threads; a call lasts at most one and a half
 * times the configured timeout.
 */
public final class WindowLimiter {
  private static final Duration START = Duration.ofSeconds(10);

  /** Between attempts to reach the database again. */
  private static final Duration PROBE_INTERVAL = Duration.ofMillis(500);

  /**
   * Settings of the windows.
   *
   * @param timeout of an answer, after which the database counts as unreachable
   * @param countAhead whether permits are reserved for keys in use
   */
  public record Settings(
      StorageFailurePolicy onStorageFailure, Duration timeout, boolean countAhead) {}

  private final RuleSet rules;
  private final Decisions decisions;
  private final DatabaseClock clock;
  private final WindowCache cache;
  private final Reservations reservations;
  private final Lane lane;
  private final LaneWorker worker;
  private final Thread thread;

  public WindowLimiter(
      List<RateLimitRule> configuredRules,
      Settings settings,
      DatabaseAddress database,
      PrometheusRegistry registry,
      InstantSource wall) {
    this.rules = new RuleSet(configuredRules);
    this.decisions = new Decisions(rules);
    this.clock = new DatabaseClock(wall, System::nanoTime);
    this.cache = new WindowCache(rules, clock);
    WindowMetrics metrics = new WindowMetrics(registry, this::isShared);
    Duration timeout = settings.timeout();
    long node = new SecureRandom().nextLong();
    // Half of the time, so that what follows the connection has the other half.
    WindowStore.Source source =
        () -> MySqlWindowStore.open(database, timeout.dividedBy(2), timeout, rules, node, clock);
    RequestQueue queue = new RequestQueue();
    LaneState state =
        new LaneState(rules, queue, cache, clock, metrics, settings.onStorageFailure());
    reservations =
        settings.countAhead()
            ? new MeasuredReservations(rules, cache, clock, System::nanoTime, queue::wakeWorker)
            : new NoReservations(rules.size());
    BatchDecider decider =
        new BatchDecider(
            source, rules, reservations, cache, metrics, timeout.dividedBy(4).toNanos());
    long maxWaitNanos = timeout.multipliedBy(3).dividedBy(2).toNanos();
    lane = new Lane(queue, state, reservations, cache, metrics, maxWaitNanos);
    worker = new LaneWorker(queue, state, reservations, decider, timeout, PROBE_INTERVAL);
    thread = new Thread(worker, "rate-limits");
    thread.setDaemon(true);
  }

  /**
   * Decides one request and counts it if it is allowed.
   *
   * @param overrides limits of the key by name of the rule
   */
  public Decision decide(long keyId, RequestKind kind, Map<String, Long> overrides) {
    if (rules.applicable(kind).length == 0) {
      return Decision.UNCOUNTED;
    }
    return lane.decide(keyId, kind, rules.limits(overrides));
  }

  /** The refusal of a request whose window is full as far as this node knows; else null. */
  public @Nullable Decision knownRefusal(
      long keyId, RequestKind kind, Map<String, Long> overrides) {
    return rules.applicable(kind).length == 0
        ? null
        : cache.refused(keyId, kind, rules.limits(overrides));
  }

  /**
   * What to show at the end of a request that was decided earlier.
   *
   * @param overrides limits of the key by name of the rule
   */
  public Decision current(
      Decision earlier, long keyId, RequestKind kind, Map<String, Long> overrides) {
    return decisions.current(
        earlier, kind, rules.limits(overrides), cache.get(keyId), clock.earliest());
  }

  /** The tightest rule of the kind's scope, with nothing counted. */
  public Decision untouched(RequestKind kind) {
    return decisions.untouched(kind, clock.earliest());
  }

  /** Whether all nodes count together. */
  public boolean isShared() {
    return rules.size() == 0 || lane.isShared();
  }

  /** Requests of a key that this node has counted and that have not come, by rule. */
  public long[] heldAhead(long keyId) {
    return reservations.held(keyId);
  }

  /** Evicts windows that have ended from memory. */
  void evictEnded() {
    cache.evictEnded();
  }

  /** Connects and warms up; returns without a connection if the database cannot be reached. */
  public void start() throws InterruptedException {
    if (rules.size() > 0) {
      thread.start();
      worker.awaitStarted(START);
    }
  }

  /** Returns reserved permits and disconnects; requests are then decided without the database. */
  public void stop() throws InterruptedException {
    worker.stop();
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(2));
  }
}
