package io.memorygateway.database;

import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * {@link WorkLease} for work that goes on as long as a node runs: taken and renewed repeatedly,
 * without holding a connection in between. If the node dies, another one takes it when its time is
 * over. For one thread.
 */
public final class NodeLease {
  private final Jdbi jdbi;
  private final String name;
  private final Duration time;
  private @Nullable String owner;

  /**
   * Creates a lease that is not held yet.
   *
   * @param name of the work: letters and hyphens
   */
  public NodeLease(Jdbi jdbi, String name) {
    this(jdbi, name, WorkLease.SHORT);
  }

  /**
   * Creates a lease that is not held yet.
   *
   * @param name of the work: letters and hyphens
   * @param time after which another node takes it if this one has not renewed it
   */
  public NodeLease(Jdbi jdbi, String name, Duration time) {
    this.jdbi = jdbi;
    this.name = name;
    this.time = time;
  }

  /** Renews the lease, or takes it if no node holds it; false if another node does. */
  public boolean hold() {
    return jdbi.withHandle(this::hold);
  }

  private boolean hold(Handle handle) {
    WorkLease lease = owner == null ? null : WorkLease.of(handle, name, time, owner);
    if (lease == null || !lease.renew()) {
      lease = WorkLease.take(handle, name, time);
    }
    owner = lease == null ? null : lease.owner();
    return lease != null;
  }

  /** Releases the lease, so that another node can take it immediately. */
  public void release() {
    String held = owner;
    owner = null;
    if (held != null) {
      jdbi.useHandle(handle -> WorkLease.of(handle, name, time, held).release());
    }
  }
}
