package io.memorygateway.memory.replay;

import io.memorygateway.database.OldRows;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Cleaner of message revisions that no stored response needs any more. */
public final class ExpiredMessageRevisions {
  /** Rows removed together; each has up to 32 MiB. */
  private static final int BATCH = 10;

  private static final OldRows.Table TABLE =
      new OldRows.Table(
          "former_messages",
          "thread_id",
          "former_messages_age",
          "needed_until",
          "needed_until < :before");

  private ExpiredMessageRevisions() {}

  /**
   * Removes revisions not needed at {@code now}, unless another node is doing so; returns how many.
   */
  public static long remove(Jdbi jdbi, Instant now) {
    return OldRows.remove(
        jdbi, "former-messages", BATCH, (handle, home) -> TABLE.remove(handle, home, now, BATCH));
  }
}
