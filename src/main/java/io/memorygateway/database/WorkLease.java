package io.memorygateway.database;

import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Lease on work that one node at a time is to do, a row of the table {@code leases}. It avoids
 * duplicate work but does not exclude it: a slow node may lose the lease to another, and only finds
 * out when it renews it.
 */
final class WorkLease {
  /** Time after which another node takes over the work of one that died. */
  static final Duration SHORT = Duration.ofMinutes(1);

  private static final String RENEW =
      """
      UPDATE leases SET expires_at = UTC_TIMESTAMP(3) + INTERVAL :seconds SECOND, owner = :next
      WHERE name = :name AND owner = :owner
      """;

  private final Handle handle;
  private final String name;
  private final Duration time;
  private String owner;

  private WorkLease(Handle handle, String name, Duration time, String owner) {
    this.handle = handle;
    this.name = name;
    this.time = time;
    this.owner = owner;
  }

  /** Returns a lease that was taken before. */
  static WorkLease of(Handle handle, String name, Duration time, String owner) {
    return new WorkLease(handle, name, time, owner);
  }

  /** The holder, as the lease was taken or renewed last. */
  String owner() {
    return owner;
  }

  /**
   * Takes a lease.
   *
   * @param handle in auto-commit
   * @param name of the work: letters and hyphens
   * @param time after which another node takes over
   * @return null if another node holds it
   */
  static @Nullable WorkLease take(Handle handle, String name, Duration time) {
    String owner = newOwner(handle);
    try {
      return update(handle, name, time, owner) || insert(handle, name, time, owner)
          ? new WorkLease(handle, name, time, owner)
          : null;
    } catch (JdbiException e) {
      // Several nodes insert the row that its holder deletes, and wait for each other: one of them
      // takes the lease.
      if (DatabaseFailure.of(e) == DatabaseFailure.ROLLED_BACK) {
        return null;
      }
      throw e;
    }
  }

  /** Takes a lease that has expired: its holder died. */
  private static boolean update(Handle handle, String name, Duration time, String owner) {
    return handle
            .createUpdate(
                """
                UPDATE leases SET owner = :owner, expires_at = UTC_TIMESTAMP(3) + INTERVAL :seconds SECOND
                WHERE name = :name AND expires_at <= UTC_TIMESTAMP(3)
                """)
            .bind("owner", owner)
            .bind("seconds", time.toSeconds())
            .bind("name", name)
            .execute()
        == 1;
  }

  /** Takes a lease that nobody holds. */
  private static boolean insert(Handle handle, String name, Duration time, String owner) {
    return handle
            .createUpdate(
                """
                INSERT IGNORE INTO leases (name, owner, expires_at)
                VALUES (:name, :owner, UTC_TIMESTAMP(3) + INTERVAL :seconds SECOND)
                """)
            .bind("owner", owner)
            .bind("seconds", time.toSeconds())
            .bind("name", name)
            .execute()
        == 1;
  }

  /** Extends the lease; false if another node has taken it. */
  boolean renew() {
    // A new owner each time, so that the row is changed, which is what is counted.
    String next = newOwner(handle);
    int renewed =
        handle
            .createUpdate(RENEW)
            .bind("seconds", time.toSeconds())
            .bind("next", next)
            .bind("name", name)
            .bind("owner", owner)
            .execute();
    owner = next;
    return renewed == 1;
  }

  /** Releases the lease, so that another node can take it immediately. */
  void release() {
    handle
        .createUpdate("DELETE FROM leases WHERE name = :name AND owner = :owner")
        .bind("name", name)
        .bind("owner", owner)
        .execute();
  }

  private static String newOwner(Handle handle) {
    return handle.createQuery("SELECT UUID()").mapTo(String.class).one();
  }
}
