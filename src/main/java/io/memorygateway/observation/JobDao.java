package io.memorygateway.observation;

import java.time.LocalDateTime;
import java.util.Collection;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Table {@code observation_jobs}. All times are the database's. */
public interface JobDao {

  /**
   * A job that may be taken.
   *
   * @param urgent whether it is taken before others, see {@link #prioritise}
   */
  record Due(long threadId, int attempts, boolean urgent) {}

  @SqlUpdate(
      """
      INSERT IGNORE INTO observation_jobs (thread_id, due_at, requested_at)
      SELECT thread_id, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM thread_heads
      WHERE thread_id IN (<threadIds>) ORDER BY thread_id
      """)
  void insert(@BindList Collection<Long> threadIds);

  /**
   * Inserts a job, or takes it from the worker that has it, who may have looked already at what
   * changed: what it does is not committed, and it is done again.
   */
  @SqlUpdate(
      """
      INSERT INTO observation_jobs (thread_id, due_at, requested_at)
      SELECT thread_id, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM thread_heads WHERE thread_id = :threadId
      ON DUPLICATE KEY UPDATE owner = NULL, due_at = UTC_TIMESTAMP(3)
      """)
  void insertAgain(long threadId);

  @SqlUpdate("DELETE FROM observation_chunks WHERE thread_id = :threadId AND last_seq >= :fromSeq")
  int dropChunks(long threadId, long fromSeq);

  @SqlQuery(
      """
      SELECT thread_id, attempts, due_at < requested_at AS urgent
      FROM observation_jobs FORCE INDEX (observation_jobs_due)
      WHERE due_at <= UTC_TIMESTAMP(3) AND thread_id BETWEEN :first AND :last
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      """)
  Optional<Due> lockDue(long first, long last);

  /** When the job behind the {@code behind} oldest is due; nothing if there are not so many. */
  @SqlQuery(
      """
      SELECT due_at FROM observation_jobs FORCE INDEX (observation_jobs_due)
      WHERE due_at <= UTC_TIMESTAMP(3) AND thread_id BETWEEN :first AND :last
      ORDER BY due_at LIMIT 1 OFFSET :behind
      """)
  Optional<LocalDateTime> dueBehind(long first, long last, int behind);

  /** The oldest job of a project that is not listed, due by {@code until} or now; not locked. */
  @SqlQuery(
      """
      SELECT j.thread_id, j.attempts, j.due_at < j.requested_at AS urgent
      FROM observation_jobs j FORCE INDEX (observation_jobs_due)
      WHERE j.due_at <= COALESCE(:until, UTC_TIMESTAMP(3)) AND j.thread_id BETWEEN :first AND :last
        AND (SELECT t.project_id FROM threads t WHERE t.id = j.thread_id) NOT IN (<projects>)
      ORDER BY j.due_at LIMIT 1
      """)
  Optional<Due> findDueOfOthers(
      long first, long last, @Nullable LocalDateTime until, @BindList Collection<Long> projects);

  @SqlQuery("SELECT project_id FROM threads WHERE id = :threadId")
  Optional<Long> project(long threadId);

  /**
   * Puts a job a day ahead of others, unless it is running or has just failed. The oldest job is
   * taken first, so urgent jobs come first, in their order, and no other job waits longer than a
   * day; but for those of a project that all nodes already work for, see {@link #findDueOfOthers}.
   *
   * @return 0 if there is no such job
   */
  @SqlUpdate(
      """
      UPDATE observation_jobs SET due_at = requested_at - INTERVAL 1 DAY
      WHERE thread_id = :threadId AND owner IS NULL AND attempts = 0
      """)
  int prioritise(long threadId);

  /** Takes a job; 0 if another node took it meanwhile. Whether it is due is decided here. */
  @SqlUpdate(
      """
      UPDATE observation_jobs SET owner = :owner, renewals = 0,
             due_at = UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND
      WHERE thread_id = :threadId AND due_at <= UTC_TIMESTAMP(3)
      """)
  int take(long threadId, String owner, long leaseMillis);

  /** Renews a lease; 0 if it is lost. */
  @SqlUpdate(
      """
      UPDATE observation_jobs SET renewals = renewals + 1,
             due_at = UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND
      WHERE thread_id = :threadId AND owner = :owner
      """)
  int renew(long threadId, String owner, long leaseMillis);

  @SqlQuery(
      "SELECT 1 FROM observation_jobs WHERE thread_id = :threadId AND owner = :owner FOR UPDATE")
  Optional<Integer> lockOwned(long threadId, String owner);

  /** Lets another node take the job, after a while. */
  @SqlUpdate(
      """
      UPDATE observation_jobs SET owner = NULL, attempts = attempts + :failures,
             due_at = UTC_TIMESTAMP(3) + INTERVAL :pauseMillis * 1000 MICROSECOND
      WHERE thread_id = :threadId AND owner = :owner
      """)
  int release(long threadId, String owner, int failures, long pauseMillis);

  @SqlUpdate("DELETE FROM observation_jobs WHERE thread_id = :threadId AND owner = :owner")
  void delete(long threadId, String owner);

  /** Milliseconds since the oldest job was requested; null if there is none. */
  @SqlQuery(
      "SELECT MAX(TIMESTAMPDIFF(MICROSECOND, requested_at, UTC_TIMESTAMP(3)) DIV 1000) FROM observation_jobs")
  @Nullable Long oldestMillis();
}
