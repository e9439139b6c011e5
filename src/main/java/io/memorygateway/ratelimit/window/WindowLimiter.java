package io.memorygateway.ratelimit.window;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Decides by fixed windows that all nodes share whether a key's request is within its limits
 * (contract §4). Thread-safe, for platform and virtual threads; a call lasts at most one and a half
 * times the configured timeout.
 */
public final class WindowLimiter implements Managed {
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
  private final Settings settings;
  private final DatabaseAddress database;
  private final WindowMetrics metrics;
  private final InstantSource wall;
  private final long node = new SecureRandom().nextLong();
  private final Map<Home, HomeWindows> homes = new ConcurrentHashMap<>();
  private volatile boolean started;

  public WindowLimiter(
      List<RateLimitRule> configuredRules,
      Settings settings,
      DatabaseAddress database,
      PrometheusRegistry registry,
      InstantSource wall) {
    this.rules = new RuleSet(configuredRules);
    this.decisions = new Decisions(rules);
    this.settings = settings;
    this.database = database;
    this.metrics = new WindowMetrics(registry, this::isShared);
    this.wall = wall;
    homes.put(Home.FIRST, open(Home.FIRST));
  }

  private HomeWindows open(Home home) {
    return new HomeWindows(home, rules, settings, database, node, metrics, wall);
  }

  /** The windows of a key's home, which the first requests of it wait for. */
  private HomeWindows of(long keyId) {
    HomeWindows windows = homes.computeIfAbsent(Home.of(keyId), this::open);
    if (started) {
      windows.awaitBegun();
    }
    return windows;
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
    return of(keyId).lane().decide(keyId, kind, rules.limits(overrides));
  }

  /** The refusal of a request whose window is full as far as this node knows; else null. */
  public @Nullable Decision knownRefusal(
      long keyId, RequestKind kind, Map<String, Long> overrides) {
    HomeWindows known = homes.get(Home.of(keyId));
    return known == null || rules.applicable(kind).length == 0
        ? null
        : known.cache().refused(keyId, kind, rules.limits(overrides));
  }

  /**
   * What to show at the end of a request that was decided earlier.
   *
   * @param overrides limits of the key by name of the rule
   */
  public Decision current(
      Decision earlier, long keyId, RequestKind kind, Map<String, Long> overrides) {
    HomeWindows windows = of(keyId);
    return decisions.current(
        earlier,
        kind,
        rules.limits(overrides),
        windows.cache().get(keyId),
        windows.clock().earliest());
  }

  /** The tightest rule of the kind's scope, with nothing counted. */
  public Decision untouched(RequestKind kind) {
    return decisions.untouched(kind, of(Home.FIRST.first()).clock().earliest());
  }

  /** Whether all nodes count together, the keys of some home at least. */
  public boolean isShared() {
    return rules.size() == 0
        || homes.values().stream().anyMatch(windows -> windows.lane().isShared());
  }

  /** What applies while the nodes do not count together. */
  public StorageFailurePolicy onStorageFailure() {
    return settings.onStorageFailure();
  }

  /** Requests of a key that this node has counted and that have not come, by rule. */
  public long[] heldAhead(long keyId) {
    return of(keyId).reservations().held(keyId);
  }

  /** Renews the slots of the rules and removes the rows of idle keys; returns how many. */
  public long tidy(Jdbi jdbi) {
    try {
      jdbi.useTransaction(handle -> RuleSlots.claim(handle.getConnection(), rules));
    } catch (SQLException e) {
      throw new IllegalStateException("the slots of the rules cannot be renewed", e);
    }
    return IdleRows.remove(jdbi);
  }

  public void evictEnded() {
    homes.values().forEach(windows -> windows.cache().evictEnded());
  }

  /** Connects and warms up; returns without a connection if the database cannot be reached. */
  @Override
  public void start() throws InterruptedException {
    if (rules.size() > 0) {
      of(Home.FIRST.first()).start();
      started = true;
    }
  }

  /** Returns reserved permits and disconnects; requests are then decided without the database. */
  @Override
  public void stop() throws InterruptedException {
    homes.values().forEach(HomeWindows::stop);
    for (HomeWindows windows : homes.values()) {
      windows.awaitStopped();
    }
  }
}
