package io.memorygateway.database;

import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Lease on work that one node at a time is to do, a row of the table {@code leases}. It avoids
 * duplicate work but does not exclude it: a slow node may lose the lease to another, and only finds
 * out when it renews it. No connection is held in between. For one thread.
 */
public final class NodeLease {
  /** Time after which another node takes over the work of one that died. */
  private static final Duration SHORT = Duration.ofMinutes(1);

  /** Of the lease that is held, or that has expired. A new owner counts as a change of the row. */
  private static final String TAKE =
      """
      UPDATE leases SET owner = ?, expires_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND
      WHERE name = ? AND (owner = ? OR expires_at <= UTC_TIMESTAMP(3))
      """;

  private static final String INSERT =
      """
      INSERT IGNORE INTO leases (name, owner, expires_at)
      VALUES (?, ?, UTC_TIMESTAMP(3) + INTERVAL ? SECOND)
      """;

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
    this(jdbi, name, SHORT);
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
    String next = UUID.randomUUID().toString();
    boolean held = jdbi.withHandle(handle -> take(handle, next));
    owner = held ? next : null;
    return held;
  }

  private boolean take(Handle handle, String next) {
    try {
      return handle.execute(TAKE, next, time.toSeconds(), name, owner) == 1
          || handle.execute(INSERT, name, next, time.toSeconds()) == 1;
    } catch (JdbiException e) {
      // Several nodes insert the row that its holder deletes, and wait for each other: one of them
      // takes the lease.
      if (DatabaseFailure.of(e) == DatabaseFailure.ROLLED_BACK) {
        return false;
      }
      throw e;
    }
  }

  /** Releases the lease, so that another node can take it immediately. */
  public void release() {
    String held = owner;
    owner = null;
    if (held != null) {
      jdbi.useHandle(
          handle -> handle.execute("DELETE FROM leases WHERE name = ? AND owner = ?", name, held));
    }
  }
}
