package io.memorygateway.memory.rows;

import io.memorygateway.database.BindInHome;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.Define;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Table {@code removed_threads}: threads without a head, whose rows are to be removed. */
public interface RemovedThreadDao {
  record Due(long threadId, boolean removing) {}

  /**
   * Adds a thread.
   *
   * @param delaySeconds from now on, until its rows may be removed
   */
  @SqlUpdate(
      """
      INSERT INTO removed_threads (thread_id, project_id, due_at)
      VALUES (:threadId, :projectId, UTC_TIMESTAMP(3) + INTERVAL :delaySeconds SECOND)
      """)
  void enter(long threadId, long projectId, int delaySeconds);

  /** Adds a thread of which only the rows below it are left; returns 1 if it was not there. */
  @SqlUpdate(
      """
      INSERT IGNORE INTO removed_threads (thread_id, project_id, due_at)
      VALUES (:threadId, 0, UTC_TIMESTAMP(3))
      """)
  int enterOrphan(long threadId);

  /** Renames its row in {@code threads} to a name that no client can give, which frees its own. */
  @SqlUpdate(
      "UPDATE threads SET public_id = CONCAT(X'00', id), title = NULL, metadata = NULL WHERE id ="
          + " :threadId")
  void hide(long threadId);

  @SqlUpdate("DELETE FROM thread_heads WHERE thread_id = :threadId")
  void deleteHead(long threadId);

  @SqlUpdate("DELETE FROM observation_jobs WHERE thread_id = :threadId")
  void deleteJob(long threadId);

  /** Locks a thread that is still being created; empty if it is being removed already. */
  @SqlQuery("SELECT 1 FROM removed_threads WHERE thread_id = :threadId AND removing = 0 FOR UPDATE")
  Optional<Integer> lockWhole(long threadId);

  /** Sets how long from now its rows stay before they may be removed. */
  @SqlUpdate(
      """
      UPDATE removed_threads SET due_at = UTC_TIMESTAMP(3) + INTERVAL :delaySeconds SECOND
      WHERE thread_id = :threadId
      """)
  void delay(long threadId, int delaySeconds);

  /** Locks the next thread due, skipping locked ones where the server can; see {@link #lock}. */
  @SqlQuery(
      """
      SELECT thread_id, removing FROM removed_threads FORCE INDEX (removed_threads_due)
      WHERE due_at <= UTC_TIMESTAMP(3) AND thread_id BETWEEN :first AND :last
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      """)
  Optional<Due> lockDue(long first, long last);

  /** Locks a thread, also where the server skips no locked rows; empty if it has been removed. */
  @SqlQuery("SELECT 1 FROM removed_threads WHERE thread_id = :threadId FOR UPDATE")
  Optional<Integer> lock(long threadId);

  @SqlUpdate("UPDATE removed_threads SET removing = 1 WHERE thread_id = :threadId")
  void begin(long threadId);

  @SqlUpdate("DELETE FROM messages WHERE thread_id = :threadId AND seq >= :from AND seq <= :last")
  int deleteMessages(long threadId, long from, long last);

  /**
   * Deletes rows of another table.
   *
   * @param table one with a column {@code thread_id}
   */
  @SqlUpdate("DELETE FROM <table> WHERE thread_id = :threadId LIMIT :limit")
  int deleteRows(@Define("table") String table, long threadId, int limit);

  /** Clears stored responses about a thread, so that they are replayed as 404. */
  @SqlUpdate(
      """
      UPDATE idempotency_keys SET status = 404, thread_id = NULL, body = NULL, body_bytes = 0, message_seqs = NULL
      WHERE thread_id = :threadId AND project_id BETWEEN :first AND :last LIMIT :limit
      """)
  int forgetAnswers(@BindInHome("threadId") long threadId, int limit);

  /** Deletes the last row of a thread, and with it rows that were added meanwhile. */
  @SqlUpdate("DELETE FROM threads WHERE id = :threadId")
  void deleteThread(long threadId);

  @SqlUpdate("DELETE FROM removed_threads WHERE thread_id = :threadId AND removing = :removing")
  int leave(long threadId, boolean removing);
}
