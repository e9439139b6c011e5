package io.memorygateway.observation;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * What those who change threads tell the observer. All of it belongs into their transactions, under
 * the lock of the thread's head, and costs them one statement.
 */
public final class ObservationJobs {
  private ObservationJobs() {}

  /**
   * Wants threads to be looked at: their {@code stored_bytes} came to their {@code observe_at}.
   * Asking again for one that waits or is being worked on changes nothing.
   *
   * @param threadIds {@code threads.id}
   */
  public static void request(Handle handle, Collection<Long> threadIds) {
    if (!threadIds.isEmpty()) {
      handle.attach(JobDao.class).insert(new TreeSet<>(threadIds));
    }
  }

  /** The same, for those who work without a handle. */
  public static void request(Connection connection, Collection<Long> threadIds)
      throws SQLException {
    if (threadIds.isEmpty()) {
      return;
    }
    String row = "(?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))";
    String rows = String.join(", ", Collections.nCopies(threadIds.size(), row));
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT IGNORE INTO observation_jobs (thread_id, due_at, requested_at) VALUES "
                + rows)) {
      int place = 1;
      for (long threadId : new TreeSet<>(threadIds)) {
        statement.setLong(place++, threadId);
      }
      statement.executeUpdate();
    }
  }

  /**
   * Wants a thread to be looked at before others, because a part of it that is not observed does
   * not go upstream any more (contract §8).
   */
  public static void hurry(Handle handle, long threadId) {
    JobDao dao = handle.attach(JobDao.class);
    if (dao.hurry(threadId) == 0) {
      dao.insert(Set.of(threadId));
      dao.hurry(threadId);
    }
  }

  /**
   * Forgets what was prepared of messages that changed, were deleted or no longer count, and wants
   * it to be prepared anew. What is part of the log already stays there.
   *
   * @param fromSeq of the first such message
   */
  public static void messagesChanged(Handle handle, long threadId, long fromSeq) {
    JobDao dao = handle.attach(JobDao.class);
    if (dao.dropChunks(threadId, fromSeq) > 0) {
      dao.insert(new TreeSet<>(Set.of(threadId)));
    }
  }
}
