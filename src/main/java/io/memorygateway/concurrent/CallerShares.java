package io.memorygateway.concurrent;

import io.memorygateway.concurrent.Shares.Limit;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What callers may hold, while their requests are in flight, of something that a node has a number
 * of: one key at most half, one project three quarters.
 */
public final class CallerShares {
  private static final String ALL = "all";

  private final int total;
  private final Duration maxWait;
  private final Shares shares;
  private final Map<Full, Long> refused = new ConcurrentHashMap<>();

  /** Whose share is used up. */
  public enum Full {
    KEY,
    PROJECT,
    ALL
  }

  private record Key(long id) {}

  private record Project(long id) {}

  /**
   * Creates shares of which nothing is held.
   *
   * @param total of all callers
   * @param maxWait longest wait for a share; as many of a key may wait as may hold one
   */
  public CallerShares(int total, Duration maxWait) {
    this(total, maxWait, Math.max(1, total / 2));
  }

  /** Creates shares for which so many of a key may wait. */
  public CallerShares(int total, Duration maxWait, int maxWaiting) {
    this.total = total;
    this.maxWait = maxWait;
    this.shares = new Shares(maxWaiting);
  }

  /** Creates the share of a request, which is not held yet. */
  public Held open(long keyId, long projectId) {
    return new Held(
        shares.open(
            new Limit(new Key(keyId), Math.max(1, total / 2)),
            new Limit(new Project(projectId), Math.max(1, total - (total + 3) / 4)),
            new Limit(ALL, total)));
  }

  public final class Held implements AutoCloseable {
    private final Shares.Share share;

    private Held(Shares.Share share) {
      this.share = share;
    }

    /** Waits until it is held; returns what is full if that takes too long, or null. */
    public @Nullable Full acquire() {
      return acquire(Long.MAX_VALUE);
    }

    /**
     * Waits until it is held.
     *
     * @param timeoutMillis longest wait, if that of all shares is longer
     * @return what is full if that takes too long; null: it is held
     */
    public @Nullable Full acquire(long timeoutMillis) {
      Limit exceeded =
          share.acquire(Math.min(maxWait.toNanos(), TimeUnit.MILLISECONDS.toNanos(timeoutMillis)));
      if (exceeded == null) {
        return null;
      }
      Full full =
          exceeded.of() instanceof Key
              ? Full.KEY
              : exceeded.of() instanceof Project ? Full.PROJECT : Full.ALL;
      refused.merge(full, 1L, Long::sum);
      return full;
    }

    /** Gives it back, if it is held. */
    @Override
    public void close() {
      share.close();
    }
  }

  public int heldBy(long projectId) {
    return shares.held(new Project(projectId));
  }

  public int total() {
    return total;
  }

  public int held() {
    return shares.held(ALL);
  }

  public int waiting() {
    return shares.waiting();
  }

  /** How often a share was refused since the start, because that was full. */
  public long refused(Full full) {
    return refused.getOrDefault(full, 0L);
  }
}
