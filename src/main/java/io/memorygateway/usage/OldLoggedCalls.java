package io.memorygateway.usage;

import io.memorygateway.database.OldRows;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Rows of {@code request_log} that are older than they are to be kept. */
public final class OldLoggedCalls {
  private static final int PORTION = 1000;

  private OldLoggedCalls() {}

  /** Removes all that began before that time, unless another node is doing so; returns how many. */
  public static long remove(Jdbi jdbi, Instant before) {
    return OldRows.remove(
        jdbi,
        "request-log",
        PORTION,
        handle -> handle.attach(RequestLogDao.class).removeOlder(before, PORTION));
  }
}
