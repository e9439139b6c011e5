package io.memorygateway.memory;

import io.memorygateway.database.OldRows;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** What messages were before they were changed, where no answer needs it any more. */
public final class ExpiredMessageRevisions {
  /** Of up to 32 MiB each. */
  private static final int PORTION = 10;

  private ExpiredMessageRevisions() {}

  /** Removes all that nobody needs at that time, unless another node is doing so; says how many. */
  public static long remove(Jdbi jdbi, Instant now) {
    return OldRows.remove(
        jdbi,
        "former-messages",
        PORTION,
        handle -> handle.attach(MessageRevisionDao.class).forget(now, PORTION));
  }
}
