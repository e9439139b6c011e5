package io.memorygateway.memory;

import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.Define;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Table {@code removed_threads}: threads without a head, whose rows are to be removed. */
@RegisterConstructorMapper(RemovedThreadDao.Due.class)
public interface RemovedThreadDao {
  /** A thread whose rows may be removed. */
  record Due(long threadId, long projectId, boolean removing) {}

  /**
   * Enters a thread.
   *
   * @param delaySeconds from now on, until its rows may be removed
   */
  @SqlUpdate(
      """
      INSERT INTO removed_threads (thread_id, project_id, due_at)
      VALUES (:threadId, :projectId, UTC_TIMESTAMP(3) + INTERVAL :delaySeconds SECOND)
      """)
  void enter(
      @Bind("threadId") long threadId,
      @Bind("projectId") long projectId,
      @Bind("delaySeconds") int delaySeconds);

  /** Gives its row in {@code threads} a name that no client can give, so that its own is free. */
  @SqlUpdate(
      "UPDATE threads SET public_id = CONCAT(X'00', id), title = NULL, metadata = NULL WHERE id ="
          + " :threadId")
  void hide(@Bind("threadId") long threadId);

  @SqlUpdate("DELETE FROM thread_heads WHERE thread_id = :threadId")
  void deleteHead(@Bind("threadId") long threadId);

  @SqlUpdate("DELETE FROM observation_jobs WHERE thread_id = :threadId")
  void deleteJob(@Bind("threadId") long threadId);

  /** Locks a thread that is being made; nothing if it is being removed already. */
  @SqlQuery("SELECT 1 FROM removed_threads WHERE thread_id = :threadId AND removing = 0 FOR UPDATE")
  Optional<Integer> lockWhole(@Bind("threadId") long threadId);

  /** Lets its rows be removed after so long. */
  @SqlUpdate(
      """
      UPDATE removed_threads SET due_at = UTC_TIMESTAMP(3) + INTERVAL :delaySeconds SECOND
      WHERE thread_id = :threadId
      """)
  void delay(@Bind("threadId") long threadId, @Bind("delaySeconds") int delaySeconds);

  /** Locks the next one that no other node is at. */
  @SqlQuery(
      """
      SELECT thread_id, project_id, removing FROM removed_threads WHERE due_at <= UTC_TIMESTAMP(3)
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      """)
  Optional<Due> lockDue();

  @SqlUpdate("UPDATE removed_threads SET removing = 1 WHERE thread_id = :threadId")
  void begin(@Bind("threadId") long threadId);

  /** Messages up to a seq. */
  @SqlUpdate("DELETE FROM messages WHERE thread_id = :threadId AND seq >= :from AND seq <= :last")
  int deleteMessages(
      @Bind("threadId") long threadId, @Bind("from") long from, @Bind("last") long last);

  /**
   * Rows of another table.
   *
   * @param table one that belongs to threads
   */
  @SqlUpdate("DELETE FROM <table> WHERE thread_id = :threadId LIMIT :limit")
  int deleteRows(
      @Define("table") String table, @Bind("threadId") long threadId, @Bind("limit") int limit);

  /** What was said of the thread is not said again. */
  @SqlUpdate(
      """
      UPDATE idempotency_keys SET status = 404, thread_id = NULL, body = NULL, body_bytes = 0, message_seqs = NULL
      WHERE thread_id = :threadId LIMIT :limit
      """)
  int forgetAnswers(@Bind("threadId") long threadId, @Bind("limit") int limit);

  /** The last row of a thread; what may have been added meanwhile goes with it. */
  @SqlUpdate("DELETE FROM threads WHERE id = :threadId")
  void deleteThread(@Bind("threadId") long threadId);

  @SqlUpdate("DELETE FROM removed_threads WHERE thread_id = :threadId AND removing = :removing")
  int leave(@Bind("threadId") long threadId, @Bind("removing") boolean removing);

  @SqlQuery("SELECT COUNT(*) FROM removed_threads")
  long count();
}
