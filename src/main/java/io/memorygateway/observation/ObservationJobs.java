package io.memorygateway.observation;

import io.memorygateway.database.SqlText;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Requests work from the observer for threads that changed. Each method runs in the transaction of
 * the change, under the lock of the thread's head, and costs it one statement.
 */
public final class ObservationJobs {
  private ObservationJobs() {}

  /**
   * Requests that threads are checked, because their {@code stored_bytes} have reached their {@code
   * observe_at}. For a thread with a job, waiting or running, this changes nothing.
   *
   * @param threadIds {@code threads.id}
   */
  public static void request(Handle handle, Collection<Long> threadIds) {
    if (!threadIds.isEmpty()) {
      handle.attach(JobDao.class).insert(new TreeSet<>(threadIds));
    }
  }

  /**
   * Appends the statement of {@link #request(Handle, Collection)} to a text.
   *
   * @param threadIds {@code threads.id}, at least one
   */
  public static SqlText request(SqlText sql, Collection<Long> threadIds) {
    return sql.sql("INSERT IGNORE INTO observation_jobs (thread_id, due_at, requested_at) VALUES ")
        .list(new TreeSet<>(threadIds), ObservationJobs::append);
  }

  private static void append(SqlText sql, Long threadId) {
    sql.sql("(").number(threadId).sql(", UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))");
  }

  /**
   * Requests that a thread is checked before others, because some of its unobserved messages no
   * longer go upstream (contract §8).
   */
  public static void prioritise(Handle handle, long threadId) {
    JobDao dao = handle.attach(JobDao.class);
    if (dao.prioritise(threadId) == 0) {
      dao.insert(Set.of(threadId));
      dao.prioritise(threadId);
    }
  }

  /**
   * Deletes the chunks of messages that were changed, deleted or superseded, and requests that they
   * are prepared again. Observations that are in the log already stay.
   *
   * @param fromSeq of the first such message
   */
  public static void messagesChanged(Handle handle, long threadId, long fromSeq) {
    JobDao dao = handle.attach(JobDao.class);
    if (dao.dropChunks(threadId, fromSeq) > 0) {
      dao.insert(new TreeSet<>(Set.of(threadId)));
      leaveResource(handle, threadId);
    }
  }

  /**
   * Requests that what is known of a thread's resource is made anew, if something of it came from
   * the thread: its observations changed, or it gives nothing any more.
   */
  static void leaveResource(Handle handle, long threadId) {
    if (handle.attach(ResourceDao.class).leave(threadId) > 0) {
      handle.attach(JobDao.class).insertAgain(threadId);
    }
  }

  /**
   * Requests that what is known of a deleted thread's resource is made anew by another of its
   * threads; of the last one, it is deleted. The head of the thread is gone already.
   */
  public static void threadDeleted(Handle handle, long threadId) {
    ResourceDao dao = handle.attach(ResourceDao.class);
    Optional<ResourceDao.Resource> resource = dao.knownOfDeleted(threadId);
    if (resource.isEmpty()) {
      return;
    }
    Optional<Long> other = dao.anyThread(resource.get());
    other.ifPresentOrElse(
        handle.attach(JobDao.class)::insertAgain,
        () -> {
          dao.deleteSources(resource.get());
          dao.deleteBefore(resource.get(), Integer.MAX_VALUE);
        });
  }
}
