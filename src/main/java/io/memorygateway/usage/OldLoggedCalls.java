package io.memorygateway.usage;

import io.memorygateway.database.OldRows;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Cleaner of rows of {@code request_log} that are past their retention. */
public final class OldLoggedCalls {
  private static final int ROWS_PER_DELETE = 1000;

  private OldLoggedCalls() {}

  /**
   * Removes all rows of calls that began before that time, unless another node is doing so; returns
   * how many.
   */
  public static long remove(Jdbi jdbi, Instant before) {
    return OldRows.remove(
        jdbi,
        "request-log",
        ROWS_PER_DELETE,
        handle -> handle.attach(RequestLogDao.class).removeOlder(before, ROWS_PER_DELETE));
  }
}
