package io.memorygateway.memory.replay;

import io.memorygateway.database.OldRows;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Cleaner of expired Idempotency-Keys. */
public final class ExpiredIdempotencyKeys {
  private static final int BATCH = 500;

  private static final OldRows.Table TABLE =
      new OldRows.Table(
          "idempotency_keys",
          "project_id",
          "idempotency_keys_age",
          "created_at",
          "created_at < :before");

  private ExpiredIdempotencyKeys() {}

  /**
   * Removes the keys that have expired at {@code now}, unless another node is doing so; returns how
   * many.
   */
  public static long remove(Jdbi jdbi, Instant now) {
    return OldRows.remove(
        jdbi,
        "idempotency-keys",
        BATCH,
        (handle, home) -> TABLE.remove(handle, home, now.minus(IdempotentWrites.RETENTION), BATCH));
  }
}
