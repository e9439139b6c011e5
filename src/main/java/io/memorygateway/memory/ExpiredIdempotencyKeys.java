package io.memorygateway.memory;

import io.memorygateway.database.OldRows;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Idempotency-Keys that are too old to count. */
public final class ExpiredIdempotencyKeys {
  private static final int PORTION = 500;

  private ExpiredIdempotencyKeys() {}

  /**
   * Removes all that are too old at that time, unless another node is doing so; returns how many.
   */
  public static long remove(Jdbi jdbi, Instant now) {
    return OldRows.remove(
        jdbi,
        "idempotency-keys",
        PORTION,
        handle ->
            handle
                .attach(IdempotencyDao.class)
                .forgetOlder(now.minus(IdempotentWrites.RETENTION), PORTION));
  }
}
